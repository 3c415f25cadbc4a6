/** Roll-up: the tasks that start or are skipped, and the end of the run, from the states of its tasks. */
import type { TaskSettings } from '../job/settings.ts';
import {
  explainExcluded,
  explainRunByTask,
  explainStopOfRun,
  explainUpstream,
} from './explain/explain-run.ts';
import type { Explanation } from './explain/explanation.ts';
import type { Stop } from './explain/failure.ts';
import type { Progress } from './run.ts';
import { isTerminal, resultOfStop, type ResultState } from './states.ts';

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

/** A task that never starts. */
export interface SkippedTask {
  readonly key: string;
  /** `skip`: because of a failure or a limit; `exclude`: nothing failed, so nothing is announced. */
  readonly event: 'skip' | 'exclude';
  /** Its state_message. */
  readonly message: string;
  readonly explanation: Explanation;
}

export interface RollUp {
  /** Tasks to start now. */
  readonly start: readonly string[];
  /** Tasks that never start. */
  readonly skip: readonly SkippedTask[];
  /** The end of the run; set when every task is over. */
  readonly end?: RunEnd;
}

interface RunEnd {
  readonly result: ResultState;
  readonly message: string;
  /** Absent for a success. */
  readonly explanation?: Explanation;
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
 * @param stop set when the run is being cancelled or has timed out: no task starts
 */
export function rollUp(tasks: readonly TaskState[], stop: Stop | undefined): RollUp {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const outcomeOf = createOutcomeLookup(byKey);
  const over = (task: TaskState | undefined): boolean =>
    task === undefined || isTerminal(task.progress.state);

  const start: string[] = [];
  const skip: SkippedTask[] = [];
  for (const task of tasks) {
    if (task.started || isTerminal(task.progress.state)) continue;
    if (stop !== undefined) {
      skip.push(skipOfStop(stop, task.key));
    } else if (task.dependsOn.every((key) => over(byKey.get(key)))) {
      if (isConditionMet(task, task.dependsOn.map(outcomeOf))) start.push(task.key);
      else skip.push(skippedTask(task, byKey, outcomeOf));
    }
  }
  if (start.length > 0 || skip.length > 0 || !tasks.every(over)) return { start, skip };
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

/** Returns how a task is skipped that a stop of the run prevents: a cancel is no failure. */
export function skipOfStop(stop: Stop, key: string): SkippedTask {
  const event = stop.reason === 'cancel' ? 'exclude' : 'skip';
  return { key, event, ...explainStopOfRun(stop, key) };
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

function skippedTask(
  task: TaskState,
  byKey: ReadonlyMap<string, TaskState>,
  outcomeOf: (key: string) => UpstreamOutcome,
): SkippedTask {
  const { key, dependsOn, runIf } = task;
  const failed = dependsOn.find((one) => outcomeOf(one) === 'failed');
  if (requiresFailure[runIf] || failed === undefined) {
    const upstream = dependsOn.map((one) => ({ key: one, outcome: outcomeWords[outcomeOf(one)] }));
    return { key, event: 'exclude', ...explainExcluded(key, runIf, upstream) };
  }
  const wasSkipped = byKey.get(failed)?.progress.state === 'SKIPPED';
  const root = findRootFailure(failed, byKey, outcomeOf);
  return { key, event: 'skip', ...explainUpstream(key, { key: failed, wasSkipped, root }) };
}

const outcomeWords: Readonly<Record<UpstreamOutcome, string>> = {
  success: 'succeeded',
  failed: 'failed',
  excluded: 'was not run',
};

/** Returns the task that failed first on the way to a skipped one. */
function findRootFailure(
  key: string,
  byKey: ReadonlyMap<string, TaskState>,
  outcomeOf: (key: string) => UpstreamOutcome,
): string {
  const task = byKey.get(key);
  if (task?.progress.state !== 'SKIPPED') return key;
  const before = task.dependsOn.find((one) => outcomeOf(one) === 'failed');
  return before === undefined ? key : findRootFailure(before, byKey, outcomeOf);
}

function runEndOf(
  tasks: readonly TaskState[],
  stop: Stop | undefined,
  outcomeOf: (key: string) => UpstreamOutcome,
): RunEnd {
  const inner = new Set(tasks.flatMap((task) => task.dependsOn));
  const leafFailed = tasks.some((task) => !inner.has(task.key) && outcomeOf(task.key) === 'failed');
  // A stop after the work was done changes nothing.
  if (!leafFailed) return { result: 'SUCCESS', message: '' };
  const unsuccessful = tasks.filter((task) => outcomeOf(task.key) === 'failed');
  const failed = unsuccessful.filter((task) => task.progress.state !== 'SKIPPED').toSorted(byEndTime);
  const skipped = unsuccessful.filter((task) => task.progress.state === 'SKIPPED');
  if (stop !== undefined)
    return {
      result: resultOfStop[stop.reason],
      ...explainStopOfRun(stop, undefined, stoppedText(failed, skipped)),
    };
  // A task that failed itself explains more than the tasks that were skipped because of it.
  const first = failed[0] ?? skipped[0];
  if (first === undefined) return { result: 'FAILED', message: 'No task succeeded.' };
  const { state, message, explanation } = first.progress;
  return {
    result: 'FAILED',
    ...explainRunByTask(
      { key: first.key, state, message, explanation },
      Math.max(0, failed.length - 1),
      skipped.length - (failed.length === 0 ? 1 : 0),
    ),
  };
}

function byEndTime(one: TaskState, other: TaskState): number {
  return (one.progress.endTime ?? Infinity) - (other.progress.endTime ?? Infinity);
}

/** Returns what the stop of a run ended; undefined when no task had started. */
function stoppedText(failed: readonly TaskState[], skipped: readonly TaskState[]): string | undefined {
  const stopped = failed.filter(({ progress }) => progress.explanation?.cause_code === 'TIMEOUT');
  // A task that waited for nodes explains more than one that ran.
  const first =
    stopped.find(({ progress }) => /waits for|had waited/.test(progress.explanation?.cause ?? '')) ??
    stopped[0];
  // The cause of the task says what it waited for.
  const waited = first?.progress.explanation?.cause.split('. ').slice(1).join('. ') ?? '';
  const never =
    skipped.length === 0
      ? ''
      : `${skipped.length} ${skipped.length === 1 ? 'task was' : 'tasks were'} not started`;
  return [waited, never].filter(Boolean).join('. ') || undefined;
}
