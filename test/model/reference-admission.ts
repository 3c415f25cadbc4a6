/** Launches and repairs of the reference model (spec 2.2, 3.1, 7 and 8). */
import type { JobPlan, TaskPlan } from './job-plans.ts';
import {
  countParallelRunJobTasks,
  countParallelTasks,
  exceededLimitOf,
  hasWorkspaceLimits,
  jobLoadOf,
} from './reference-capacity.ts';
import { rollUpOutcomeOf } from './reference-graph.ts';
import {
  createModelJob,
  endRunAndTasks,
  isOver,
  latestAttempt,
  recordEndNotification,
  setStateOfRunAndTasks,
  type ModelAttempt,
  type ModelJob,
  type ModelRun,
  type ModelTask,
  type ModelState,
  type QueueReason,
} from './reference-state.ts';

interface LaunchRequest {
  readonly job: ModelJob;
  readonly token?: number | undefined;
  /** Overrides the queue setting of the job. */
  readonly queue?: boolean | undefined;
  /** Run whose run_job_task launches this run. */
  readonly parent?: ModelRun;
}

/**
 * Launches a run, or returns the run of the same token; `refused` when the workspace limits do not allow it.
 */
export function launchRun(
  model: ModelState,
  { job, token, queue, parent }: LaunchRequest,
): ModelRun | 'refused' {
  const earlier = token === undefined ? undefined : job.tokens.get(token);
  if (earlier !== undefined) return earlier;
  const mayQueue = queue ?? job.plan.queue;
  if (parent !== undefined && (hasCapacityRace(model) || hasConcurrentLaunch(model, job)))
    model.ambiguous = true;
  const admission = job.hidden ? 'check capacity' : admitByJobLimit(model, job, mayQueue);
  // A run_job_task waits for its child run, which may therefore wait for capacity.
  const outcome =
    admission === 'check capacity'
      ? admitByCapacity(model, job.plan.tasks, mayQueue || parent !== undefined)
      : admission;
  if (outcome === 'refused') return 'refused';
  const run = createRun(model, job, {
    plan: job.plan,
    attempt: 0,
    original: undefined,
    depth: parent === undefined ? 0 : parent.depth + 1,
    due: undefined,
  });
  if (token !== undefined) job.tokens.set(token, run);
  if (outcome === 'start') return run;
  setStateOfRunAndTasks(run, outcome === 'skip' ? 'SKIPPED' : 'QUEUED');
  if (outcome === 'skip') {
    endRunAndTasks(run, model.now);
    recordEndNotification(run, undefined, false);
  } else {
    run.queueReason = outcome;
  }
  return run;
}

/** Launches a one-time run; its hidden job has no limit. */
export function submitRun(model: ModelState, plan: JobPlan): ModelRun | 'refused' {
  const launched = launchRun(model, {
    job: createModelJob(`submission${model.submissionCount}`, plan, true),
  });
  if (launched !== 'refused') model.submissionCount += 1;
  return launched;
}

export interface RepairOptions {
  /** True when the tasks keep the settings of the run. */
  readonly original: boolean;
  /** Overrides the queue setting of the job. */
  readonly queue: boolean | undefined;
}

/** Repairs all failed tasks of a run; `refused` when none failed or the limits do not allow it. */
export function repairRun(
  model: ModelState,
  run: ModelRun,
  { original, queue }: RepairOptions,
): 'repaired' | 'refused' {
  const { job } = run;
  const failed = run.tasks.filter((task) => isOver(run) && rollUpOutcomeOf(run, task) === 'failed');
  const wasRetried = model.runs.some(
    (one) => one.original === (run.original ?? run) && one.attempt > run.attempt,
  );
  if (wasRetried || failed.length === 0 || (run.state === 'SKIPPED' && run.repairCount === 0))
    return 'refused';
  const plan = original || job.hidden ? run.plan : job.plan;
  const planOf = ({ plan: own }: ModelTask): TaskPlan =>
    original || job.hidden ? own : (plan.tasks.find((task) => task.key === own.key) ?? own);
  const round = failed.map(planOf);
  const mayQueue = queue ?? (job.hidden ? run.plan.queue : job.plan.queue);
  const admission = job.hidden ? 'check capacity' : admitByJobLimit(model, job, mayQueue);
  if (admission === 'skip') return 'refused';
  const outcome = admission === 'check capacity' ? admitByCapacity(model, round, mayQueue) : admission;
  if (outcome === 'refused') return 'refused';
  for (const key of ['result', 'running', 'terminating', 'end', 'stopReason'] as const) delete run[key];
  Object.assign(run, { plan, round, warned: false, repairedAt: model.now, repairCount: run.repairCount + 1 });
  for (const task of run.tasks) task.plan = planOf(task);
  for (const task of failed) task.attempts.push(createAttempt(latestAttempt(task).number + 1, 0, undefined));
  setStateOfRunAndTasks(run, outcome === 'start' ? 'PENDING' : 'QUEUED');
  if (outcome !== 'start') run.queueReason = outcome;
  return 'repaired';
}

interface NewRunOptions {
  readonly plan: JobPlan;
  readonly attempt: number;
  readonly original: ModelRun | undefined;
  readonly depth: number;
  readonly due: number | undefined;
}

export function createRun(
  model: ModelState,
  job: ModelJob,
  { plan, attempt, original, depth, due }: NewRunOptions,
): ModelRun {
  job.runsStarted += 1;
  const run: ModelRun = {
    job,
    number: job.runsStarted,
    attempt,
    original,
    plan,
    depth,
    state: 'PENDING',
    start: model.now,
    warned: false,
    repairCount: 0,
    notifications: [],
    round: plan.tasks,
    tasks: plan.tasks.map((task) => ({ plan: task, attempts: [createAttempt(0, 0, due)] })),
  };
  model.runs.push(run);
  return run;
}

export function createAttempt(number: number, retries: number, due: number | undefined): ModelAttempt {
  return {
    number,
    retries,
    state: 'PENDING',
    warned: false,
    eligible: false,
    ...(due !== undefined && { due }),
  };
}

function admitByJobLimit(
  model: ModelState,
  job: ModelJob,
  mayQueue: boolean,
): 'skip' | 'check capacity' | QueueReason {
  const { active, queued } = jobLoadOf(model, job);
  const limit = job.plan.maxConcurrent;
  if (limit === 0) return 'skip';
  if (!mayQueue) return active + queued.length < limit ? 'check capacity' : 'skip';
  if (active >= limit) return 'MAX_CONCURRENT_RUNS_REACHED';
  return queued.length > 0 ? 'ACTIVE_RUNS_LIMIT_REACHED' : 'check capacity';
}

function admitByCapacity(
  model: ModelState,
  tasks: readonly TaskPlan[],
  mayQueue: boolean,
): 'start' | 'refused' | QueueReason {
  const exceededLimit = exceededLimitOf(model, tasks);
  if (!mayQueue) return exceededLimit === undefined ? 'start' : 'refused';
  if (
    countParallelTasks(tasks) > model.limits.taskRuns ||
    countParallelRunJobTasks(tasks) > model.limits.runJobTasks
  )
    return 'refused';
  const hasWaitingRuns = model.runs.some(
    (run) => run.state === 'QUEUED' && run.queueReason === 'ACTIVE_RUNS_LIMIT_REACHED',
  );
  return hasWaitingRuns ? 'ACTIVE_RUNS_LIMIT_REACHED' : (exceededLimit ?? 'start');
}

/**
 * Returns true when queued runs and a run_job_task compete for capacity at this instant: the order is
 * unspecified.
 */
function hasCapacityRace(model: ModelState): boolean {
  return (
    hasWorkspaceLimits(model) &&
    model.runs.some(
      (run) =>
        run.admittedAt === model.now ||
        (run.state === 'QUEUED' && run.queueReason !== 'MAX_CONCURRENT_RUNS_REACHED'),
    )
  );
}

/** Returns true when another run_job_task launched the same job at this instant: the order is unspecified. */
function hasConcurrentLaunch(model: ModelState, job: ModelJob): boolean {
  return model.runs.some(
    (run) => run.job === job && run.start === model.now && run.depth > 0 && run.attempt === 0,
  );
}
