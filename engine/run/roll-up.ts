/** Roll-up: the tasks that start or are skipped, and the end of the run, from the states of its tasks. */
import type { TaskSettings } from '../job/settings.ts';
import type { Progress, Run } from './run.ts';
import { isTerminal, resultOfStop, type ResultState, type StopReason } from './states.ts';

/** Condition on the upstream tasks under which a task runs (WIRE: all six values that clients send). */
export const runConditions = [
  'ALL_SUCCESS',
  'AT_LEAST_ONE_SUCCESS',
  'NONE_FAILED',
  'ALL_DONE',
  'AT_LEAST_ONE_FAILED',
  'ALL_FAILED',
] as const;
export type RunCondition = (typeof runConditions)[number];

/** State of a task for the roll-up: its position in the graph and the progress of its latest attempt. */
export interface TaskState {
  readonly key: string;
  readonly dependsOn: readonly string[];
  readonly runIf: RunCondition;
  readonly progress: Progress;
  /** True once the engine drives the latest attempt. */
  readonly started: boolean;
}

export interface SkippedTask {
  readonly key: string;
  /** `skip`: because of a failure or a limit; `exclude`: nothing failed, so nothing is announced. */
  readonly event: 'skip' | 'exclude';
  /** Its state_message. */
  readonly message: string;
}

export interface RollUp {
  /** Tasks to start now. */
  readonly start: readonly string[];
  /** Tasks that never start. */
  readonly skip: readonly SkippedTask[];
  /** The end of the run; set when every task is over. */
  readonly end?: { readonly result: ResultState; readonly message: string };
}

/** Outcome of a task for its downstream tasks. `excluded`: its branch was not chosen, and nothing failed. */
type UpstreamOutcome = 'success' | 'failed' | 'excluded';

const conditionHolds: Readonly<Record<RunCondition, (of: readonly UpstreamOutcome[]) => boolean>> = {
  ALL_SUCCESS: (of) => of.every((one) => one === 'success'),
  AT_LEAST_ONE_SUCCESS: (of) => of.includes('success'),
  NONE_FAILED: (of) => !of.includes('failed') && of.includes('success'),
  ALL_DONE: () => true,
  AT_LEAST_ONE_FAILED: (of) => of.includes('failed'),
  ALL_FAILED: (of) => of.every((one) => one === 'failed'),
};

/** Conditions that need a failure: when one is not met, the task is excluded instead of failed. */
const requiresFailure: Readonly<Record<RunCondition, boolean>> = {
  ALL_SUCCESS: false,
  AT_LEAST_ONE_SUCCESS: false,
  NONE_FAILED: false,
  ALL_DONE: false,
  AT_LEAST_ONE_FAILED: true,
  ALL_FAILED: true,
};

/**
 * Decides the next steps of a multi-task run (DESIGN sections 4 and 10).
 * @param tasks the latest attempt of every task
 * @param stopReason set when the run is being cancelled or has timed out: no task starts
 * @param run its message of the stop, if it has one of its own
 */
export function rollUp(
  tasks: readonly TaskState[],
  stopReason: StopReason | undefined,
  run: Pick<Run, 'stopMessage'> = {},
): RollUp {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const outcomeOf = createOutcomeLookup(byKey);
  const over = (task: TaskState | undefined): boolean =>
    task === undefined || isTerminal(task.progress.state);

  const start: string[] = [];
  const skip: SkippedTask[] = [];
  for (const task of tasks) {
    if (task.started || isTerminal(task.progress.state)) continue;
    if (stopReason !== undefined) {
      skip.push({ key: task.key, ...skipReasonOfStop(run, stopReason) });
    } else if (task.dependsOn.every((key) => over(byKey.get(key)))) {
      if (isConditionMet(task, task.dependsOn.map(outcomeOf))) start.push(task.key);
      else skip.push({ key: task.key, ...skipReasonOf(task, outcomeOf) });
    }
  }
  if (start.length > 0 || skip.length > 0 || !tasks.every(over)) return { start, skip };
  const stop = stopReason && { result: resultOfStop[stopReason], message: stopMessageOf(run, stopReason) };
  return { start, skip, end: runEndOf(tasks, stop, outcomeOf) };
}

/**
 * Returns the keys of the tasks that failed, were stopped, or were skipped because of such a task. Excluded
 * tasks are not among them.
 * @param tasks the latest attempt of every task, all of them over
 */
export function failedTasks(tasks: readonly TaskState[]): string[] {
  const outcomeOf = createOutcomeLookup(new Map(tasks.map((task) => [task.key, task])));
  return tasks.map(({ key }) => key).filter((key) => outcomeOf(key) === 'failed');
}

/** Creates the state of a task. @param started whether the engine drives the latest attempt */
export function taskStateOf(task: TaskSettings, progress: Progress, started: boolean): TaskState {
  return {
    key: task.task_key,
    dependsOn: (task.depends_on ?? []).map((dependency) => dependency.task_key),
    runIf: task.run_if ?? 'ALL_SUCCESS',
    progress,
    started,
  };
}

/** Creates a memoized lookup of the outcome of each task, by key. */
function createOutcomeLookup(byKey: ReadonlyMap<string, TaskState>): (key: string) => UpstreamOutcome {
  const outcomes = new Map<string, UpstreamOutcome>();
  const outcomeOf = (key: string): UpstreamOutcome => {
    const known = outcomes.get(key);
    if (known !== undefined) return known;
    const task = byKey.get(key);
    const found = task === undefined ? 'failed' : upstreamOutcomeOf(task, task.dependsOn.map(outcomeOf));
    outcomes.set(key, found);
    return found;
  };
  return outcomeOf;
}

/** Usual state_message of a task or run that was stopped. */
export const stopMessage: Readonly<Record<StopReason, string>> = {
  cancel: 'Run cancelled by user',
  timeout: 'Run timed out',
};

/** Returns how a task is skipped that a stop prevents: a cancel is no failure. */
export function skipReasonOfStop(
  run: Pick<Run, 'stopMessage'>,
  reason: StopReason,
): Pick<SkippedTask, 'event' | 'message'> {
  return { event: reason === 'cancel' ? 'exclude' : 'skip', message: stopMessageOf(run, reason) };
}

/** Returns the state_message of a stop; a run that a user did not cancel has one of its own. */
export function stopMessageOf({ stopMessage: own }: Pick<Run, 'stopMessage'>, reason: StopReason): string {
  return reason === 'cancel' ? (own ?? stopMessage.cancel) : stopMessage[reason];
}

/** A task without upstream tasks runs whatever its condition is. */
function isConditionMet(task: TaskState, dependencies: readonly UpstreamOutcome[]): boolean {
  return dependencies.length === 0 || conditionHolds[task.runIf](dependencies);
}

function upstreamOutcomeOf(task: TaskState, dependencies: readonly UpstreamOutcome[]): UpstreamOutcome {
  const { state, result } = task.progress;
  if (state !== 'SKIPPED') return result === 'SUCCESS' && state === 'TERMINATED' ? 'success' : 'failed';
  // The condition is met and the task was skipped: the run was stopped before the task started.
  if (isConditionMet(task, dependencies)) return 'failed';
  return requiresFailure[task.runIf] || !dependencies.includes('failed') ? 'excluded' : 'failed';
}

function skipReasonOf(
  task: TaskState,
  outcomeOf: (key: string) => UpstreamOutcome,
): Pick<SkippedTask, 'event' | 'message'> {
  const failed = task.dependsOn.find((key) => outcomeOf(key) === 'failed');
  if (requiresFailure[task.runIf] || failed === undefined)
    return {
      event: 'exclude',
      message: `Not run: its condition ${task.runIf} on the tasks ${task.dependsOn.join(', ')} was not met.`,
    };
  return { event: 'skip', message: `Upstream task ${failed} failed` };
}

function runEndOf(
  tasks: readonly TaskState[],
  stop: RollUp['end'],
  outcomeOf: (key: string) => UpstreamOutcome,
): NonNullable<RollUp['end']> {
  const inner = new Set(tasks.flatMap((task) => task.dependsOn));
  const leafFailed = tasks.some((task) => !inner.has(task.key) && outcomeOf(task.key) === 'failed');
  // A stop after the work was done changes nothing.
  if (!leafFailed) return { result: 'SUCCESS', message: '' };
  if (stop !== undefined) return stop;
  // A task that failed itself explains more than the tasks that were skipped because of it.
  const failed = tasks.filter((task) => outcomeOf(task.key) === 'failed');
  const cause = failed.find((task) => task.progress.state !== 'SKIPPED') ?? failed[0];
  return { result: 'FAILED', message: cause === undefined ? 'No task succeeded.' : failureMessage(cause) };
}

/** Returns the message that clients know, as one sentence. */
function failureMessage({ key, progress: { state, message } }: TaskState): string {
  // Its upstream task was repaired without it.
  if (state === 'SKIPPED') return `Task ${key} was skipped: ${message}.`;
  if (message === '') return `Task ${key} failed.`;
  return `Task ${key} failed with message: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}
