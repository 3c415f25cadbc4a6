/**
 * The threads of one plugin. Its attempts share a thread, because most of them only wait; an attempt whose
 * thread has died, or whose thread answers no more, goes on in a thread of its own, so that whoever did it
 * does it to itself.
 */
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Log } from '../../engine/ports/log.ts';
import type { TaskOutcome } from '../../engine/run/assignment.ts';
import type { EngineMessage } from '../pool/thread-messages.ts';
import type { PluginAttemptRequest } from './plugin-worker.ts';

export interface PluginThreadsOptions {
  readonly kind: string;
  readonly attemptsPerThread: number;
  /** Everything that the threads see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds without an answer after which a thread counts as blocked. */
  readonly pingTimeoutMs: number;
  /** What the code of the plugin may keep within a thread, in MB; beyond that the thread ends. */
  readonly memoryMb: number;
  readonly log: Log;
}

/** One try of an attempt. */
export interface ThreadRun {
  /** Rejects when the thread is gone before the attempt is over. */
  readonly outcome: Promise<TaskOutcome>;
  /** Ends the thread of this try, whatever it is doing. */
  terminate(): void;
}

export interface PluginThreads {
  /** @param port the engine's end of the port that is in `request`; @param alone in a thread of its own */
  run(request: PluginAttemptRequest, port: MessagePort, alone: boolean): ThreadRun;
  /** The thread behind this port has answered. */
  recordActivity(port: MessagePort): void;
  close(): Promise<void>;
}

/** Attempts of a plugin that may have a thread of their own at a time; more wait for one. */
const dedicatedThreadsMax = 32;
/** A thread without attempts ends after this (ms). */
const idleMs = 30_000;
/** Questions within the patience. */
const pingsMax = 3;

type ThreadPool = Piscina<PluginAttemptRequest, TaskOutcome>;

function createThreadPool(
  { environment, memoryMb }: PluginThreadsOptions,
  maxThreads: number,
  attempts: number,
): ThreadPool {
  return new Piscina<PluginAttemptRequest, TaskOutcome>({
    filename: new URL('./plugin-worker.ts', import.meta.url).href,
    name: 'runAttempt',
    minThreads: 0,
    maxThreads,
    concurrentTasksPerWorker: attempts,
    idleTimeout: idleMs,
    // A thread that keeps timers and sockets must not be put to sleep between tasks.
    atomics: 'disabled',
    env: { ...environment },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  });
}

export function createPluginThreads(options: PluginThreadsOptions): PluginThreads {
  let shared = createThreadPool(options, 1, options.attemptsPerThread);
  const alone = createThreadPool(options, dedicatedThreadsMax, 1);
  const replaceShared = (): void => {
    const old = shared;
    shared = createThreadPool(options, 1, options.attemptsPerThread);
    void old.destroy();
  };
  const pulse = createPingMonitor(options.pingTimeoutMs, () => {
    options.log.warn(
      { kind: options.kind },
      'The thread of this plugin answers no more: its attempts go on in threads of their own.',
    );
    replaceShared();
  });
  const runShared = (request: PluginAttemptRequest, port: MessagePort): ThreadRun => {
    const mine = shared;
    pulse.add(port);
    const outcome = mine.run(request, { transferList: [request.port] }).finally(() => pulse.remove(port));
    return {
      outcome,
      terminate: () => {
        if (mine === shared) replaceShared();
      },
    };
  };
  const runAlone = (request: PluginAttemptRequest): ThreadRun => {
    const end = new AbortController();
    return {
      outcome: alone.run(request, { transferList: [request.port], signal: end.signal }),
      terminate: () => end.abort(),
    };
  };
  return {
    run: (request, port, inOwnThread) => (inOwnThread ? runAlone(request) : runShared(request, port)),
    recordActivity: pulse.recordActivity,
    async close() {
      pulse.stop();
      await Promise.all([shared.destroy(), alone.destroy()]);
    },
  };
}

interface PingMonitor {
  add(port: MessagePort): void;
  remove(port: MessagePort): void;
  recordActivity(port: MessagePort): void;
  stop(): void;
}

/** Asks the thread behind some ports whether it is there, as long as there are any. */
function createPingMonitor(patienceMs: number, onSilence: () => void): PingMonitor {
  const ports = new Set<MessagePort>();
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const ask = (): void => {
    const [port] = ports;
    if (unanswered === pingsMax) {
      unanswered = 0;
      return onSilence();
    }
    unanswered += 1;
    port?.postMessage({ type: 'ping' } satisfies EngineMessage);
  };
  return {
    add(port) {
      ports.add(port);
      if (timer !== undefined) return;
      unanswered = 0;
      timer = setInterval(ask, patienceMs / pingsMax).unref();
    },
    remove(port) {
      ports.delete(port);
      if (ports.size === 0) stop();
    },
    recordActivity(port) {
      if (ports.has(port)) unanswered = 0;
    },
    stop,
  };
}
