/** `runyard logs`: prints and follows the logs of the tasks of a run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { followLog } from './follow-log.ts';
import { createLinePrinter, type LineOutput, type LinePrinter } from './line-printer.ts';
import { printDiagnostic } from './print-line.ts';
import { callService, ServiceUnreachable } from './service-client.ts';
import { CommandError } from '../start-error.ts';

export interface LogsOptions {
  readonly follow?: true;
  readonly stream: 'stdout' | 'stderr' | 'both';
  readonly task?: string;
  readonly tail?: number;
}

const State = Type.Object({
  life_cycle_state: Type.String(),
  result_state: Type.Optional(Type.String()),
  state_message: Type.Optional(Type.String()),
});
const TaskRun = Type.Object({
  run_id: Type.Integer(),
  task_key: Type.String(),
  attempt_number: Type.Integer(),
  state: State,
  /** Epoch ms; 0 before the event. */
  start_time: Type.Integer(),
  end_time: Type.Integer(),
});
const Run = Type.Object({ run_id: Type.Integer(), state: State, tasks: Type.Array(TaskRun) });
const Page = Type.Object({ offset: Type.Integer(), next_offset: Type.Integer(), content: Type.String() });

type Run = Static<typeof Run>;
type TaskRun = Static<typeof TaskRun>;

/** Takes what is followed: the states of the tasks, and the lines of their logs. */
export interface Screen {
  readonly stdout: LineOutput;
  readonly stderr: LineOutput;
  showTasks(tasks: readonly TaskRun[]): void;
  close(): void;
}

/** Prints log lines alone. */
const logsOnly: Screen = {
  stdout: process.stdout,
  stderr: process.stderr,
  showTasks: () => undefined,
  close: () => undefined,
};

const terminalStates: ReadonlySet<string> = new Set(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);
/** Exit code of a followed run that did not succeed. */
const unsuccessfulExitCode = 1;
const interruptedExitCode = 130;

/**
 * Prints the logs. Resolves with the exit code, which tells the result of the run with `follow`.
 * @throws CommandError
 */
export async function printLogs(
  runId: number,
  options: LogsOptions,
  screen: Screen = logsOnly,
): Promise<number> {
  const run = await getRun(runId);
  const selected = selectTasks(run, options);
  const streams = options.stream === 'both' ? (['stdout', 'stderr'] as const) : [options.stream];
  const several = new Set(run.tasks.map((task) => task.task_key)).size > 1 && options.task === undefined;
  const printerOf = (task: TaskRun, stream: 'stdout' | 'stderr'): LinePrinter =>
    createLinePrinter(
      stream === 'stderr' && streams.length > 1 ? screen.stderr : screen.stdout,
      several ? `${task.task_key} | ` : '',
    );
  if (options.follow !== true) {
    for (const task of selected) {
      for (const stream of streams) await printPages(task, stream, options.tail, printerOf(task, stream));
    }
    return 0;
  }
  return followRun(run, options, streams, printerOf, screen);
}

/** Follows all current and later attempts, also those of repairs. */
async function followRun(
  first: Run,
  options: LogsOptions,
  streams: readonly ('stdout' | 'stderr')[],
  printerOf: (task: TaskRun, stream: 'stdout' | 'stderr') => LinePrinter,
  screen: Screen,
): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  const { signal } = interrupted;
  const onInterruption = throttle(() =>
    printDiagnostic(
      'runyard: the service does not answer; retrying (Ctrl-C stops this command, not the run).',
    ),
  );
  const followed = new Set<number>();
  const printLog = async (task: TaskRun, stream: 'stdout' | 'stderr'): Promise<void> => {
    const printer = printerOf(task, stream);
    const offset = options.tail === undefined ? 0 : await printTail(task, stream, options.tail, printer);
    for await (const text of followLog({ runId: task.run_id, stream, offset, onInterruption, signal }))
      await printer.print(text);
    await printer.flush();
  };
  const following: Promise<void>[] = [];
  let failure: { readonly error: unknown } | undefined;
  const onFailure = (error: unknown): void => {
    failure ??= { error };
    interrupt();
  };
  try {
    for (
      let run = first;
      !signal.aborted;
      run = await retryWhileUnreachable(() => getRun(first.run_id), onInterruption, signal)
    ) {
      screen.showTasks(run.tasks);
      for (const task of selectTasks(run, options, true).filter(
        (one) => !followed.has(one.run_id) && (hasStarted(one) || run.tasks.length === 1),
      )) {
        followed.add(task.run_id);
        following.push(...streams.map((stream) => printLog(task, stream).catch(onFailure)));
      }
      if (isTerminated(run)) {
        await Promise.all(following);
        screen.close();
        if (!signal.aborted) return exitCodeOf(run, options);
      }
      await pause(signal);
    }
    if (failure !== undefined) throw failure.error;
    return interruptedExitCode;
  } catch (error) {
    if (signal.aborted && failure === undefined) return interruptedExitCode;
    throw error;
  } finally {
    screen.close();
    process.off('SIGINT', interrupt);
  }
}

/** Returns false for a waiting or skipped task, which has no log yet. */
function hasStarted({ state }: TaskRun): boolean {
  return state.life_cycle_state !== 'PENDING' && state.life_cycle_state !== 'SKIPPED';
}

function isTerminated({ state }: { readonly state: Static<typeof State> }): boolean {
  return terminalStates.has(state.life_cycle_state);
}

/** Selects the task of `--task`, or all tasks: the latest attempt of each, or every attempt. */
function selectTasks({ run_id: runId, tasks }: Run, { task: key }: LogsOptions, every = false): TaskRun[] {
  const named = key === undefined ? tasks : tasks.filter((task) => task.task_key === key);
  if (named.length === 0)
    throw new CommandError(
      `Run ${runId} has no task ${key ?? ''}; it has ${[...new Set(tasks.map((task) => task.task_key))].join(', ')}.`,
    );
  return every ? named : [...new Map(named.map((task) => [task.task_key, task])).values()];
}

function exitCodeOf(run: Run, { task: key }: LogsOptions): number {
  const ended = key === undefined ? run : (run.tasks.findLast((task) => task.task_key === key) ?? run);
  const { life_cycle_state: state, result_state: result = state, state_message: message = '' } = ended.state;
  if (result === 'SUCCESS') return 0;
  printDiagnostic(
    `runyard: ${key === undefined ? `run ${run.run_id}` : `task ${key}`} ended as ${result}${message === '' ? '' : `: ${message.replaceAll(/\s+/g, ' ')}`}`,
  );
  return unsuccessfulExitCode;
}

/** Gets a run. For the id of a task run, the service returns a run with that task only. */
async function getRun(runId: number): Promise<Run> {
  return callService(Run, 'GET', `/jobs/runs/get?run_id=${runId}`, { version: '2.1' });
}

async function printPages(
  task: TaskRun,
  stream: string,
  tail: number | undefined,
  printer: LinePrinter,
): Promise<void> {
  for (let offset = tail === undefined ? 0 : await printTail(task, stream, tail, printer); ;) {
    const page = await callService(
      Page,
      'GET',
      `/jobs/runs/logs?run_id=${task.run_id}&stream=${stream}&offset=${offset}`,
    );
    await printer.print(page.content);
    if (page.next_offset <= offset) break;
    offset = page.next_offset;
  }
  await printer.flush();
}

/** Prints the last lines and returns the offset behind them. */
async function printTail(task: TaskRun, stream: string, tail: number, printer: LinePrinter): Promise<number> {
  const page = await callService(
    Page,
    'GET',
    `/jobs/runs/logs?run_id=${task.run_id}&stream=${stream}&tail=${tail}`,
  );
  await printer.print(page.content);
  return page.next_offset;
}

/** Repeats a call until the service answers. */
async function retryWhileUnreachable<Answer>(
  call: () => Promise<Answer>,
  onInterruption: () => void,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceUnreachable)) throw error;
      onInterruption();
      await pause(signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return sleep(1_000, undefined, { signal }).catch(() => undefined);
}

/** Throttles an action: several logs lose their connection at the same time. */
function throttle(action: () => void): () => void {
  let paused = false;
  return () => {
    if (paused) return;
    paused = true;
    setTimeout(() => {
      paused = false;
    }, 10_000).unref();
    action();
  };
}
