/** Runs attempts in Piscina threads. Attempts of a dead thread are retried and attach to their processes. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { messageOf } from '../../engine/errors.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { ChildRunLauncher, TaskPool } from '../../engine/ports/task-pool.ts';
import type { TaskOutcome, TaskAssignment } from '../../engine/run/assignment.ts';
import { ownershipLost } from '../../engine/run/ownership.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { LocateTarget } from '../contract.ts';
import type { AttemptRequest, EngineMessage, RunnerMessage, RunnerSettings } from './thread-messages.ts';
import { createPluginThreads, type PluginThreads, type ThreadRun } from '../plugin/plugin-threads.ts';
import { killMarkedProcesses } from '../process/process-group.ts';

export interface TaskPoolOptions {
  readonly threads: number;
  /** Concurrent attempts of one thread, which mostly waits for processes. */
  readonly attemptsPerThread: number;
  readonly settings: RunnerSettings;
  /** Finds a file named in a task. @throws ServiceError fit for the run's state */
  readonly locate: (uri: string, what: LocateTarget) => Promise<string>;
  readonly log: Log;
  /** Kinds of plugins, each with threads of its own. */
  readonly plugins?: readonly PluginKind[];
  /** Time in ms without an answer after which the thread of a plugin counts as blocked. */
  readonly pluginPingTimeoutMs?: number;
  /** Memory of a thread of a plugin, in MB. */
  readonly pluginMemoryMb?: number;
  /** Module of the threads; tests replace it. */
  readonly worker?: URL;
}

export interface ClosableTaskPool extends TaskPool {
  /** Releases every attempt: processes continue, and no outcome follows. */
  close(): Promise<void>;
}

/** Size of the young generation of a thread, in MB. */
const youngGenerationMb = 8;

/** Maximum tries of an attempt whose thread died. */
const threadTriesMax = 5;
/** Maximum tries for plugins; the second and later ones run in dedicated threads. */
const pluginThreadTriesMax = 3;
/** Time in ms that a plugin has to return after the grace period of its processes. */
const pluginStopMarginMs = 2_000;

export function createTaskPool(options: TaskPoolOptions): ClosableTaskPool {
  const piscina = new Piscina<AttemptRequest, TaskOutcome>({
    filename: (options.worker ?? new URL('./worker.ts', import.meta.url)).href,
    name: 'runAttempt',
    minThreads: 1,
    maxThreads: options.threads,
    concurrentTasksPerWorker: options.attemptsPerThread,
    // Atomics.wait would block timers and sockets of idle threads.
    atomics: 'disabled',
    // Without a limit, the little garbage of a waiting thread grows to tens of megabytes.
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  const plugins = new Map(
    (options.plugins ?? []).map((plugin) => [
      plugin.name,
      { module: plugin.module, threads: createThreadsForKind(plugin.name, options) },
    ]),
  );
  let closing = false;

  /** Starts one try; its promise rejects when the thread ends before the attempt. */
  const startThreadRun = ({
    assignment,
    childRuns,
    stopRequested,
    isRetry,
  }: ThreadRunRequest): ActiveThreadRun => {
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
    // No AbortSignal: Piscina would dedicate a thread to the attempt and kill it to stop the attempt.
    return { port, outcome: piscina.run(request, { transferList: [port2] }), terminate: undefined };
  };

  return {
    run: (assignment, childRuns) =>
      runWithThreadRetries({ assignment, childRuns, startThreadRun, options, isClosing: () => closing }),
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
  /** True when the thread of the previous try died. */
  readonly isRetry: boolean;
}

interface AttemptRunOptions extends Pick<ThreadRunRequest, 'assignment' | 'childRuns'> {
  startThreadRun(request: ThreadRunRequest): ActiveThreadRun;
  readonly options: TaskPoolOptions;
  isClosing(): boolean;
}

/** Runs an attempt through all its tries. */
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
  let current = startThreadRun({ assignment, childRuns, stopRequested: stopped, isRetry: false });
  const outcome = async (): Promise<TaskOutcome> => {
    for (
      let tries = 1;
      ;
      tries += 1, current = startThreadRun({ assignment, childRuns, stopRequested: stopped, isRetry: true })
    ) {
      try {
        return await current.outcome;
      } catch (error) {
        // The engine shuts down; the engine that adopts the attempt receives its outcome.
        if (isClosing()) return new Promise(() => undefined);
        if (terminated) return end({ kind: 'stopped', note: blockedText(assignment.kind, options) });
        options.log.warn(
          { ...about, error: messageOf(error), tries },
          'The thread of this attempt died; retrying.',
        );
        const triesMax = current.terminate === undefined ? threadTriesMax : pluginThreadTriesMax;
        if (tries === triesMax)
          return end({
            kind: 'lost',
            message: `The thread of the ${assignment.kind} runner died ${tries} times; last error: ${messageOf(error)}`,
          });
      } finally {
        current.port.close();
      }
    }
  };
  const terminate = (): void => {
    if (current.terminate === undefined) return;
    options.log.warn(about, 'This attempt does not stop; terminating its thread.');
    terminated = true;
    current.terminate();
  };
  return {
    outcome: outcome().finally(() => clearTimeout(timer)),
    stop() {
      stopped = true;
      const { port } = current;
      port.postMessage({ type: 'stop' } satisfies EngineMessage);
      timer ??= setTimeout(terminate, options.settings.stopGraceMs + pluginStopMarginMs).unref();
    },
  };
}

/** Says that a plugin had to be stopped by force. */
function blockedText(kind: string, { settings }: TaskPoolOptions): string {
  const seconds = (settings.stopGraceMs + pluginStopMarginMs) / 1_000;
  return `Plugin ${kind} blocked its thread and did not stop within ${Number(seconds.toFixed(1))} s`;
}

/** An active try. */
interface ActiveThreadRun extends Pick<ThreadRun, 'outcome'> {
  readonly port: MessagePort;
  /** Undefined for built-in kinds, which stop on request. */
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

/** Engine side of the port of one attempt. */
interface AttemptConnection {
  readonly options: TaskPoolOptions;
  readonly assignment: TaskAssignment;
  readonly childRuns: ChildRunLauncher;
  readonly port: MessagePort;
  /** By request id. Launches of a dead thread continue, because the retry requests them again. */
  readonly childLaunches: Map<number, AbortController>;
}

function handleMessage(
  { options, assignment, childRuns, port, childLaunches }: AttemptConnection,
  message: RunnerMessage,
): void {
  const send = (reply: EngineMessage): void => port.postMessage(reply);
  switch (message.type) {
    case 'pong':
      return;
    case 'log':
      options.log.info({ run_id: assignment.runId, task_key: assignment.taskKey }, message.line);
      return;
    case 'locate': {
      const { id, uri, what } = message;
      options.locate(uri, what).then(
        (path) => send({ type: 'located', id, path }),
        (error: unknown) => send({ type: 'not-located', id, message: messageOf(error) }),
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
        .then((end) =>
          // The engine that adopts the run answers the process.
          end === ownershipLost ? undefined : send({ type: 'launched', id, end }),
        )
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
