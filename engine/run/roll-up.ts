/**
 * Which tasks of a run start, which are skipped, and how the run ends: decided from the graph and what has
 * ended.
 */
import type { TaskSettings } from '../job/settings.ts';
import type { Progress } from './run.ts';
import { isTerminal, resultOfStop, type ResultState, type StopReason } from './states.ts';

/** When a task runs, seen from its dependencies (WIRE: all six values that clients send). */
export const runConditions = [
  'ALL_SUCCESS',
  'AT_LEAST_ONE_SUCCESS',
  'NONE_FAILED',
  'ALL_DONE',
  'AT_LEAST_ONE_FAILED',
  'ALL_FAILED',
] as const;
export type RunCondition = (typeof runConditions)[number];

/** A task as the roll-up sees it: its place in the graph and where its latest attempt stands. */
export interface TaskState {
  readonly key: string;
  readonly dependsOn: readonly string[];
  readonly runIf: RunCondition;
  readonly progress: Progress;
  /** True once the engine has begun to run the latest attempt. */
  readonly started: boolean;
}

export interface RollUp {
  /** Tasks to start now. */
  readonly start: readonly string[];
  /** Tasks that will never start, with the reason to show. */
  readonly skip: readonly { readonly key: string; readonly message: string }[];
  /** How the run ends; set when every task is over. */
  readonly end?: { readonly result: ResultState; readonly message: string };
}

/**
 * How an ended task counts for those that depend on it. `excluded`: its branch was not chosen, nothing
 * failed.
 */
type UpstreamOutcome = 'success' | 'failed' | 'excluded';

const conditionHolds: Readonly<Record<RunCondition, (of: readonly UpstreamOutcome[]) => boolean>> = {
  ALL_SUCCESS: (of) => of.every((one) => one === 'success'),
  AT_LEAST_ONE_SUCCESS: (of) => of.includes('success'),
  NONE_FAILED: (of) => !of.includes('failed') && of.includes('success'),
  ALL_DONE: () => true,
  AT_LEAST_ONE_FAILED: (of) => of.includes('failed'),
  ALL_FAILED: (of) => of.every((one) => one === 'failed'),
};

/** Conditions that wait for a failure: not meeting one excludes the task instead of failing it. */
const requiresFailure: Readonly<Record<RunCondition, boolean>> = {
  ALL_SUCCESS: false,
  AT_LEAST_ONE_SUCCESS: false,
  NONE_FAILED: false,
  ALL_DONE: false,
  AT_LEAST_ONE_FAILED: true,
  ALL_FAILED: true,
};

/**
 * Decides what follows in a multi-task run (DESIGN sections 4 and 10).
 * @param tasks the latest attempt of every task
 * @param stopReason set when the run is being cancelled or has timed out: nothing starts any more
 */
export function rollUp(tasks: readonly TaskState[], stopReason: StopReason | undefined): RollUp {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const dispositionOf = createOutcomeLookup(byKey);
  const over = (task: TaskState | undefined): boolean =>
    task === undefined || isTerminal(task.progress.state);

  const start: string[] = [];
  const skip: { key: string; message: string }[] = [];
  for (const task of tasks) {
    if (task.started || isTerminal(task.progress.state)) continue;
    if (stopReason !== undefined) {
      skip.push({ key: task.key, message: stopMessage[stopReason] });
    } else if (task.dependsOn.every((key) => over(byKey.get(key)))) {
      if (isConditionMet(task, task.dependsOn.map(dispositionOf))) start.push(task.key);
      else skip.push({ key: task.key, message: skipMessage(task, dispositionOf) });
    }
  }
  if (start.length > 0 || skip.length > 0 || !tasks.every(over)) return { start, skip };
  return { start, skip, end: runEndOf(tasks, stopReason, dispositionOf) };
}

/**
 * Keys of the tasks that did not succeed where they should have: failed, stopped, or skipped for such a
 * reason. A task whose branch was not chosen is none of them.
 * @param tasks the latest attempt of every task, all of them over
 */
export function failedTasks(tasks: readonly TaskState[]): string[] {
  const dispositionOf = createOutcomeLookup(new Map(tasks.map((task) => [task.key, task])));
  return tasks.map(({ key }) => key).filter((key) => dispositionOf(key) === 'failed');
}

/**
 * A task of a run as the roll-up sees it. @param started true once the engine has begun to run the latest
 * attempt
 */
export function taskStateOf(task: TaskSettings, progress: Progress, started: boolean): TaskState {
  return {
    key: task.task_key,
    dependsOn: (task.depends_on ?? []).map((dependency) => dependency.task_key),
    runIf: task.run_if ?? 'ALL_SUCCESS',
    progress,
    started,
  };
}

/** How each task counts, by its key; asked for again it is known. */
function createOutcomeLookup(byKey: ReadonlyMap<string, TaskState>): (key: string) => UpstreamOutcome {
  const dispositions = new Map<string, UpstreamOutcome>();
  const dispositionOf = (key: string): UpstreamOutcome => {
    const known = dispositions.get(key);
    if (known !== undefined) return known;
    const task = byKey.get(key);
    const found = task === undefined ? 'failed' : upstreamOutcomeOf(task, task.dependsOn.map(dispositionOf));
    dispositions.set(key, found);
    return found;
  };
  return dispositionOf;
}

/** The text of a task or run that was stopped before its end. */
export const stopMessage: Readonly<Record<StopReason, string>> = {
  cancel: 'Run cancelled by user',
  timeout: 'Run timed out',
};

/** A task without dependencies has nothing to wait for, whatever its condition says. */
function isConditionMet(task: TaskState, dependencies: readonly UpstreamOutcome[]): boolean {
  return dependencies.length === 0 || conditionHolds[task.runIf](dependencies);
}

function upstreamOutcomeOf(task: TaskState, dependencies: readonly UpstreamOutcome[]): UpstreamOutcome {
  const { state, result } = task.progress;
  if (state !== 'SKIPPED') return result === 'SUCCESS' && state === 'TERMINATED' ? 'success' : 'failed';
  // Its condition holds, and yet it was skipped: a stop came before it could start.
  if (isConditionMet(task, dependencies)) return 'failed';
  return requiresFailure[task.runIf] || !dependencies.includes('failed') ? 'excluded' : 'failed';
}

function skipMessage(task: TaskState, dispositionOf: (key: string) => UpstreamOutcome): string {
  const failed = task.dependsOn.find((key) => dispositionOf(key) === 'failed');
  if (requiresFailure[task.runIf] || failed === undefined) {
    return `Not run: its condition ${task.runIf} on the tasks ${task.dependsOn.join(', ')} was not met.`;
  }
  return `Upstream task ${failed} failed`;
}

function runEndOf(
  tasks: readonly TaskState[],
  stopReason: StopReason | undefined,
  dispositionOf: (key: string) => UpstreamOutcome,
): { result: ResultState; message: string } {
  const inner = new Set(tasks.flatMap((task) => task.dependsOn));
  const leafFailed = tasks.some((task) => !inner.has(task.key) && dispositionOf(task.key) === 'failed');
  // A stop that came after the work was done takes nothing back.
  if (!leafFailed) return { result: 'SUCCESS', message: '' };
  if (stopReason !== undefined) return { result: resultOfStop[stopReason], message: stopMessage[stopReason] };
  // The task that failed by itself explains more than the tasks that were skipped because of it.
  const failed = tasks.filter((task) => dispositionOf(task.key) === 'failed');
  const cause = failed.find((task) => task.progress.state !== 'SKIPPED') ?? failed[0];
  return { result: 'FAILED', message: cause === undefined ? 'No task succeeded.' : failureMessage(cause) };
}

/** The wording that clients know, as one sentence whatever the task said. */
function failureMessage({ key, progress: { state, message } }: TaskState): string {
  // What it was skipped for has been repaired, without it.
  if (state === 'SKIPPED') return `Task ${key} was skipped: ${message}.`;
  if (message === '') return `Task ${key} failed.`;
  return `Task ${key} failed with message: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}
