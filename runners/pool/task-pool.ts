/**
 * Hands attempts to Piscina threads, and survives the death of one: attempts are asked for again and attach.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { messageOf } from '../../engine/errors.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import type { Log, ChildRunLauncher, TaskPool } from '../../engine/ports/engine.ts';
import type { TaskOutcome, TaskAssignment } from '../../engine/run/assignment.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { LocateTarget } from '../contract.ts';
import type { AttemptRequest, EngineMessage, RunnerMessage, RunnerSettings } from './thread-messages.ts';
import { createPluginThreads, type PluginThreads, type ThreadRun } from '../plugin/plugin-threads.ts';
import { killMarkedProcesses } from '../process/process-group.ts';

export interface TaskPoolOptions {
  readonly threads: number;
  /** Attempts that one thread looks after at a time: a thread waits for processes, it does not compute. */
  readonly attemptsPerThread: number;
  readonly settings: RunnerSettings;
  /** Finds a file named in a task. @throws ServiceError fit for the run's state */
  readonly locate: (uri: string, what: LocateTarget) => Promise<string>;
  readonly log: Log;
  /** Kinds of plugins, each of which gets threads of its own. */
  readonly plugins?: readonly PluginKind[];
  /** How long a thread of a plugin may give no sign of life before it counts as blocked (ms). */
  readonly pluginPingTimeoutMs?: number;
  /** Memory of a thread of a plugin, in MB. */
  readonly pluginMemoryMb?: number;
  /** What runs in the threads; tests give one that dies. */
  readonly worker?: URL;
}

export interface ClosableTaskPool extends TaskPool {
  /** Lets go of every attempt: processes go on, and no outcome follows. */
  close(): Promise<void>;
}

/** Room for what a thread has just made, in MB; collected when it is full. */
const youngGenerationMb = 8;

/** How often an attempt is asked for again after its thread has died, before the engine gives it up. */
const threadTriesMax = 5;
/** The same for a plugin's: the second try and those after it have threads of their own. */
const pluginThreadTriesMax = 3;
/** How long a plugin may take to end after its processes have had their time to (ms). */
const pluginStopMarginMs = 2_000;

export function createTaskPool(options: TaskPoolOptions): ClosableTaskPool {
  const piscina = new Piscina<AttemptRequest, TaskOutcome>({
    filename: (options.worker ?? new URL('./worker.ts', import.meta.url)).href,
    name: 'runAttempt',
    minThreads: 1,
    maxThreads: options.threads,
    concurrentTasksPerWorker: options.attemptsPerThread,
    // A thread that keeps timers and sockets must not be put to sleep between tasks.
    atomics: 'disabled',
    // A thread that waits for processes makes little garbage: without a bound it would let that little grow
    // to tens of megabytes.
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  const plugins = new Map(
    (options.plugins ?? []).map((plugin) => [
      plugin.name,
      { module: plugin.module, threads: createThreadsForKind(plugin.name, options) },
    ]),
  );
  let closing = false;

  /** One try; Piscina's promise rejects when the thread is gone before the attempt is over. */
  const begin = ({ assignment, childRuns, stopRequested, isRetry }: ThreadRunRequest): ActiveThreadRun => {
    const { port1: port, port2 } = new MessageChannel();
    const request: AttemptRequest = { assignment, settings: options.settings, port: port2, stopRequested };
    const plugin = plugins.get(assignment.kind);
    const launches = new Map<number, AbortController>();
    port.on('message', (message: RunnerMessage) => {
      plugin?.threads.recordActivity(port);
      handleMessage({ options, assignment, childRuns, port, childLaunches: launches }, message);
    });
    if (plugin !== undefined)
      return { port, ...plugin.threads.run({ ...request, module: plugin.module }, port, isRetry) };
    // Never an AbortSignal: Piscina would give the attempt a whole thread and kill that thread to stop it.
    return { port, outcome: piscina.run(request, { transferList: [port2] }), terminate: undefined };
  };

  return {
    run: (assignment, door) =>
      runWithThreadRetries({
        assignment,
        childRuns: door,
        startThreadRun: begin,
        options,
        isClosing: () => closing,
      }),
    async close() {
      closing = true;
      await Promise.all([piscina.destroy(), ...[...plugins.values()].map(({ threads }) => threads.close())]);
    },
  };
}

interface ThreadRunRequest {
  readonly assignment: TaskAssignment;
  readonly childRuns: ChildRunLauncher;
  readonly stopRequested: boolean;
  /** A thread has died with the try before. */
  readonly isRetry: boolean;
}

interface AttemptRunOptions extends Pick<ThreadRunRequest, 'assignment' | 'childRuns'> {
  startThreadRun(beginning: ThreadRunRequest): ActiveThreadRun;
  readonly options: TaskPoolOptions;
  isClosing(): boolean;
}

/** An attempt through all its tries. */
function runWithThreadRetries({
  assignment,
  childRuns,
  startThreadRun,
  options,
  isClosing,
}: AttemptRunOptions): ReturnType<TaskPool['run']> {
  const about = { run_id: assignment.runId, kind: assignment.kind };
  const end = async (outcome: TaskOutcome): Promise<TaskOutcome> => {
    await killMarkedProcesses(assignment.directory, createWakeSignal()).catch(() => undefined);
    return outcome;
  };
  let stopped = false;
  let terminated = false;
  let timer: NodeJS.Timeout | undefined;
  let now = startThreadRun({ assignment, childRuns, stopRequested: stopped, isRetry: false });
  const outcome = async (): Promise<TaskOutcome> => {
    for (
      let tries = 1;
      ;
      tries += 1, now = startThreadRun({ assignment, childRuns, stopRequested: stopped, isRetry: true })
    ) {
      try {
        return await now.outcome;
      } catch (error) {
        // The engine is going down: whoever adopts the attempt will hear its outcome.
        if (isClosing()) return new Promise(() => undefined);
        if (terminated) return end({ kind: 'stopped' });
        options.log.warn(
          { ...about, error: messageOf(error), tries },
          'The thread of this attempt died; asking for the attempt again.',
        );
        const most = now.terminate === undefined ? threadTriesMax : pluginThreadTriesMax;
        if (tries === most)
          return end({
            kind: 'lost',
            message: `The thread of its runner (${assignment.kind}) died ${tries} times, last with: ${messageOf(error)}`,
          });
      } finally {
        now.port.close();
      }
    }
  };
  const terminate = (): void => {
    if (now.terminate === undefined) return;
    options.log.warn(about, 'This attempt does not stop: its thread is ended.');
    terminated = true;
    now.terminate();
  };
  return {
    outcome: outcome().finally(() => clearTimeout(timer)),
    stop() {
      stopped = true;
      const { port } = now;
      port.postMessage({ type: 'stop' } satisfies EngineMessage);
      timer ??= setTimeout(terminate, options.settings.stopGraceMs + pluginStopMarginMs).unref();
    },
  };
}

/** A try that is under way. */
interface ActiveThreadRun extends Pick<ThreadRun, 'outcome'> {
  readonly port: MessagePort;
  /** Undefined for built-in kinds, which stop when they are told to. */
  readonly terminate: ThreadRun['terminate'] | undefined;
}

function createThreadsForKind(
  kind: string,
  { attemptsPerThread, settings, log, pluginPingTimeoutMs = 15_000, pluginMemoryMb = 256 }: TaskPoolOptions,
): PluginThreads {
  return createPluginThreads({
    kind,
    attemptsPerThread,
    environment: settings.taskEnvironment,
    pingTimeoutMs: pluginPingTimeoutMs,
    memoryMb: pluginMemoryMb,
    log,
  });
}

/** One attempt as the engine hears of it. */
interface AttemptConnection {
  readonly options: TaskPoolOptions;
  readonly assignment: TaskAssignment;
  readonly childRuns: ChildRunLauncher;
  readonly port: MessagePort;
  /** By the number of the question. What a thread that died has asked for goes on: it is asked for again. */
  readonly childLaunches: Map<number, AbortController>;
}

function handleMessage(
  { options, assignment, childRuns, port, childLaunches }: AttemptConnection,
  message: RunnerMessage,
): void {
  const say = (reply: EngineMessage): void => port.postMessage(reply);
  switch (message.type) {
    case 'pong':
      return;
    case 'log':
      options.log.info({ run_id: assignment.runId, task_key: assignment.taskKey }, message.line);
      return;
    case 'locate': {
      const { id, uri, what } = message;
      options.locate(uri, what).then(
        (path) => say({ type: 'located', id, path }),
        (error: unknown) => say({ type: 'not-located', id, message: messageOf(error) }),
      );
      return;
    }
    case 'launch': {
      const { id, key, request, stopped } = message;
      const stop = new AbortController();
      if (stopped) stop.abort();
      childLaunches.set(id, stop);
      void childRuns
        .launchChild(key, request, stop.signal)
        .then((end) => say({ type: 'launched', id, end }))
        .finally(() => childLaunches.delete(id));
      return;
    }
    case 'stop-launch':
      childLaunches.get(message.id)?.abort();
      return;
    default:
      message satisfies never;
  }
}
