/** Task graph of a run in the reference model: run_if conditions and the roll-up of the result. */
import type { RunCondition } from './job-plans.ts';
import { isOver, latestAttempt, type ModelRun, type ModelTask, type Result } from './reference-state.ts';

/** Outcome of a task for its downstream tasks; `excluded` when its branch was not chosen. */
type RollUpOutcome = 'succeeded' | 'failed' | 'excluded';

const conditions: Readonly<Record<RunCondition, (outcomes: readonly RollUpOutcome[]) => boolean>> = {
  ALL_SUCCESS: (outcomes) => outcomes.every((one) => one === 'succeeded'),
  AT_LEAST_ONE_SUCCESS: (outcomes) => outcomes.some((one) => one === 'succeeded'),
  NONE_FAILED: (outcomes) =>
    outcomes.every((one) => one !== 'failed') && outcomes.some((one) => one === 'succeeded'),
  ALL_DONE: () => true,
  AT_LEAST_ONE_FAILED: (outcomes) => outcomes.some((one) => one === 'failed'),
  ALL_FAILED: (outcomes) => outcomes.every((one) => one === 'failed'),
};

function upstream(run: ModelRun, { plan }: ModelTask): ModelTask[] {
  return run.tasks.filter((task) => plan.dependsOn.includes(task.plan.key));
}

/** Returns true when all upstream tasks are over. */
export function isUpstreamFinished(run: ModelRun, task: ModelTask): boolean {
  return upstream(run, task).every((one) => isOver(latestAttempt(one)));
}

/** Evaluates the run_if condition of a task whose upstream tasks are over. */
export function isRunIfSatisfied(run: ModelRun, task: ModelTask): boolean {
  const before = upstream(run, task).map((one) => rollUpOutcomeOf(run, one));
  return before.length === 0 || conditions[task.plan.runIf](before);
}

export function rollUpOutcomeOf(run: ModelRun, task: ModelTask): RollUpOutcome {
  const { state, result } = latestAttempt(task);
  if (state === 'TERMINATED' && result === 'SUCCESS') return 'succeeded';
  // The task ran without success, or a stop prevented its start.
  if (state !== 'SKIPPED' || isRunIfSatisfied(run, task)) return 'failed';
  const forFailures = task.plan.runIf === 'AT_LEAST_ONE_FAILED' || task.plan.runIf === 'ALL_FAILED';
  return !forFailures && upstream(run, task).some((one) => rollUpOutcomeOf(run, one) === 'failed')
    ? 'failed'
    : 'excluded';
}

/** Returns the result of a run whose tasks are all over: SUCCESS when no leaf task failed. */
export function resultOf(run: ModelRun): Result {
  const inner = new Set(run.tasks.flatMap(({ plan }) => plan.dependsOn));
  const failed = run.tasks.some(
    (task) => !inner.has(task.plan.key) && rollUpOutcomeOf(run, task) === 'failed',
  );
  if (!failed) return 'SUCCESS';
  if (run.stopReason === undefined) return 'FAILED';
  return run.stopReason === 'cancel' ? 'CANCELED' : 'TIMEDOUT';
}
