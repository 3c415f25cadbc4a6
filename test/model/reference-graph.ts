/**
 * The graph of a run in the reference model: which conditions hold, and how the run ends (DESIGN sections 4
 * and 10).
 */
import type { RunCondition } from './job-plans.ts';
import { isOver, latestAttempt, type ModelRun, type ModelTask, type Result } from './reference-state.ts';

/** How a task counts for those after it. `out`: its branch was not chosen. */
type RollUpOutcome = 'good' | 'bad' | 'out';

const conditions: Readonly<Record<RunCondition, (weights: readonly RollUpOutcome[]) => boolean>> = {
  ALL_SUCCESS: (weights) => weights.every((one) => one === 'good'),
  AT_LEAST_ONE_SUCCESS: (weights) => weights.some((one) => one === 'good'),
  NONE_FAILED: (weights) => weights.every((one) => one !== 'bad') && weights.some((one) => one === 'good'),
  ALL_DONE: () => true,
  AT_LEAST_ONE_FAILED: (weights) => weights.some((one) => one === 'bad'),
  ALL_FAILED: (weights) => weights.every((one) => one === 'bad'),
};

function upstream(run: ModelRun, { plan }: ModelTask): ModelTask[] {
  return run.tasks.filter((task) => plan.dependsOn.includes(task.plan.key));
}

/** Whether all that a task depends on is over. */
export function isUpstreamFinished(run: ModelRun, task: ModelTask): boolean {
  return upstream(run, task).every((one) => isOver(latestAttempt(one)));
}

/** Whether its condition holds; asked when all that it depends on is over. */
export function isRunIfSatisfied(run: ModelRun, task: ModelTask): boolean {
  const before = upstream(run, task).map((one) => rollUpOutcomeOf(run, one));
  return before.length === 0 || conditions[task.plan.runIf](before);
}

export function rollUpOutcomeOf(run: ModelRun, task: ModelTask): RollUpOutcome {
  const { state, result } = latestAttempt(task);
  if (state === 'TERMINATED' && result === 'SUCCESS') return 'good';
  // Run without success, or stopped before it could run.
  if (state !== 'SKIPPED' || isRunIfSatisfied(run, task)) return 'bad';
  const forFailures = task.plan.runIf === 'AT_LEAST_ONE_FAILED' || task.plan.runIf === 'ALL_FAILED';
  return !forFailures && upstream(run, task).some((one) => rollUpOutcomeOf(run, one) === 'bad')
    ? 'bad'
    : 'out';
}

/** The result of a run whose tasks are all over: every leaf succeeded or was not chosen. */
export function resultOf(run: ModelRun): Result {
  const inner = new Set(run.tasks.flatMap(({ plan }) => plan.dependsOn));
  const failed = run.tasks.some((task) => !inner.has(task.plan.key) && rollUpOutcomeOf(run, task) === 'bad');
  if (!failed) return 'SUCCESS';
  if (run.stopReason === undefined) return 'FAILED';
  return run.stopReason === 'cancel' ? 'CANCELED' : 'TIMEDOUT';
}
