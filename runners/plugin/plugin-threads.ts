/**
 * Threads of one plugin. Attempts share a thread, because most of them only wait. An attempt whose thread
 * died or is blocked is retried in a dedicated thread, so that a faulty attempt harms only itself.
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
  /** Complete environment of the threads. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds without an answer to pings after which a thread counts as blocked. */
  readonly pingTimeoutMs: number;
  /** Maximum heap of a thread, in MB; beyond that the thread ends. */
  readonly memoryMb: number;
  readonly log: Log;
}

/** One try of an attempt in a thread. */
export interface ThreadRun {
  /** Rejects when the thread ends before the attempt. */
  readonly outcome: Promise<TaskOutcome>;
  /** Terminates the thread of this try. */
  terminate(): void;
}

export interface PluginThreads {
  /** @param port engine's end of the port in `request`; @param isDedicated runs it in a dedicated thread */
  run(request: PluginAttemptRequest, port: MessagePort, isDedicated: boolean): ThreadRun;
  /** Records a message from the thread of this port. */
  recordActivity(port: MessagePort): void;
  close(): Promise<void>;
}

/** Maximum dedicated threads of a plugin; further attempts wait. */
const dedicatedThreadsMax = 32;
/** Time in ms after which an idle thread ends. */
const idleMs = 30_000;
/** Pings without an answer until a thread counts as blocked. */
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
    // Atomics.wait would block timers and sockets of idle threads.
    atomics: 'disabled',
    env: { ...environment },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  });
}

export function createPluginThreads(options: PluginThreadsOptions): PluginThreads {
  let shared = createThreadPool(options, 1, options.attemptsPerThread);
  const dedicated = createThreadPool(options, dedicatedThreadsMax, 1);
  const replaceShared = (): void => {
    const old = shared;
    shared = createThreadPool(options, 1, options.attemptsPerThread);
    void old.destroy();
  };
  const pingMonitor = createPingMonitor(options.pingTimeoutMs, () => {
    options.log.warn(
      { kind: options.kind },
      'The thread of this plugin is blocked; retrying its attempts in dedicated threads.',
    );
    replaceShared();
  });
  const runShared = (request: PluginAttemptRequest, port: MessagePort): ThreadRun => {
    const pool = shared;
    pingMonitor.add(port);
    const outcome = pool
      .run(request, { transferList: [request.port] })
      .finally(() => pingMonitor.remove(port));
    return {
      outcome,
      terminate: () => {
        if (pool === shared) replaceShared();
      },
    };
  };
  const runDedicated = (request: PluginAttemptRequest): ThreadRun => {
    const end = new AbortController();
    return {
      outcome: dedicated.run(request, { transferList: [request.port], signal: end.signal }),
      terminate: () => end.abort(),
    };
  };
  return {
    run: (request, port, isDedicated) => (isDedicated ? runDedicated(request) : runShared(request, port)),
    recordActivity: pingMonitor.recordActivity,
    async close() {
      pingMonitor.stop();
      await Promise.all([shared.destroy(), dedicated.destroy()]);
    },
  };
}

interface PingMonitor {
  add(port: MessagePort): void;
  remove(port: MessagePort): void;
  recordActivity(port: MessagePort): void;
  stop(): void;
}

/** Pings the thread behind some ports while there are any. */
function createPingMonitor(timeoutMs: number, onSilence: () => void): PingMonitor {
  const ports = new Set<MessagePort>();
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const ping = (): void => {
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
      timer = setInterval(ping, timeoutMs / pingsMax).unref();
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
