/**
 * Reference model of spec section 3: given the same jobs and commands as the engine, it computes the state of
 * every run and attempt. It has no store, no crashes and no concurrency; the caller sets the time.
 */
import { isUpstreamFinished, isRunIfSatisfied, resultOf, rollUpOutcomeOf } from './reference-graph.ts';
import { launchRun, createAttempt, createRun } from './reference-admission.ts';
import { serveQueue } from './reference-queue.ts';
import {
  isOver,
  isPlannedRetry,
  latestAttempt,
  occupiesCapacity,
  recordNotification,
  recordEndNotification,
  type ModelAttempt,
  type ModelJob,
  type ModelRun,
  type ModelTask,
  type StopReason,
  type Result,
  type ModelState,
} from './reference-state.ts';
import type { JobPlan, TaskPlan } from './job-plans.ts';

/** End of the process of an attempt. */
export type AttemptEnding = 'succeeded' | 'failed' | 'lost' | 'stopped';

const resultOfStop: Readonly<Record<StopReason, Result>> = { cancel: 'CANCELED', timeout: 'TIMEDOUT' };

/** Applies all changes that follow at this instant. */
export function advanceUntilStable(model: ModelState): void {
  do {
    while (model.runs.some((run) => occupiesCapacity(run) && advanceRun(model, run)));
  } while (serveQueue(model));
}

/** Applies the next change of a run; false when there is none. */
function advanceRun(model: ModelState, run: ModelRun): boolean {
  if (run.tasks.some((task) => advanceAttempt(model, run, task))) return true;
  if (run.plan.singleTask || !run.tasks.every((task) => isOver(latestAttempt(task)))) return false;
  Object.assign(run, { state: 'TERMINATED', result: resultOf(run), terminating: model.now, end: model.now });
  recordEndNotification(run, undefined, false);
  serveQueue(model);
  return true;
}

function advanceAttempt(model: ModelState, run: ModelRun, task: ModelTask): boolean {
  const attempt = latestAttempt(task);
  if (attempt.state === 'RUNNING')
    return (
      task.plan.childJobIndex !== undefined && advanceRunJobTask(model, run, task, task.plan.childJobIndex)
    );
  if (attempt.state !== 'PENDING') return false;
  if (!attempt.eligible) return decideStart(model, run, task, attempt);
  const waitsForTime = attempt.due !== undefined && attempt.due > model.now && attempt.start === undefined;
  if (attempt.stopReason !== undefined) {
    // A retry that never started is skipped. A single-task run ends with its task as canceled.
    if (waitsForTime && !run.plan.singleTask) skipTask(model, run, task);
    else finishAttempt(model, run, task, resultOfStop[attempt.stopReason]);
    return true;
  }
  if (waitsForTime) return false;
  const ready = clusterReadyTime(model, run, task, attempt);
  if (ready > model.now) {
    const isFirstRequest = attempt.start === undefined;
    setStart(model, run, attempt);
    return isFirstRequest;
  }
  startAttempt(model, run, task, attempt);
  return true;
}

/** Decides whether a task becomes eligible or is skipped; false while it must wait. */
function decideStart(model: ModelState, run: ModelRun, task: ModelTask, attempt: ModelAttempt): boolean {
  if (run.plan.singleTask) {
    attempt.eligible = true;
    if (run.stopReason !== undefined) attempt.stopReason ??= run.stopReason;
    return true;
  }
  if (run.stopReason === undefined && !isUpstreamFinished(run, task)) return false;
  if (run.stopReason === undefined && isRunIfSatisfied(run, task)) attempt.eligible = true;
  else skipTask(model, run, task);
  return true;
}

/** Requests the cluster of an attempt and returns the time at which it is ready. */
function clusterReadyTime(
  model: ModelState,
  run: ModelRun,
  { plan }: ModelTask,
  attempt: ModelAttempt,
): number {
  const { clusterMs } = model.limits;
  if (plan.childJobIndex !== undefined || plan.cluster === 'existing') return model.now;
  if (plan.cluster === 'own') return (attempt.clusterReadyAt ??= model.now + clusterMs);
  return (run.sharedClusterReadyAt ??= model.now + clusterMs);
}

function startAttempt(model: ModelState, run: ModelRun, task: ModelTask, attempt: ModelAttempt): void {
  const { now } = model;
  setStart(model, run, attempt);
  Object.assign(attempt, { state: 'RUNNING', running: now });
  if (run.state === 'PENDING') {
    Object.assign(run, { state: 'RUNNING', running: now });
    const muted = run.repairCount > 0 || (run.attempt > 0 && run.plan.alertOnLastAttempt);
    if (!muted) recordNotification(run, undefined, 'on_start');
  }
  if (!run.plan.singleTask && !(attempt.retries > 0 && task.plan.alertOnLastAttempt))
    recordNotification(run, task, 'on_start');
}

/** Sets the start of an attempt; a retry of a single-task run starts with it. */
function setStart({ now }: ModelState, run: ModelRun, attempt: ModelAttempt): void {
  if (attempt.start === undefined && isPlannedRetry(run)) run.start = now;
  attempt.start ??= now;
}

/** Skips a task. It is announced when a failure or a timeout prevents it, not when its branch was not chosen. */
function skipTask(model: ModelState, run: ModelRun, task: ModelTask): void {
  Object.assign(latestAttempt(task), { state: 'SKIPPED', end: model.now });
  releaseSharedCluster(run);
  const isQuiet =
    run.stopReason === 'cancel' ||
    (run.stopReason === undefined && rollUpOutcomeOf(run, task) === 'excluded');
  if (!isQuiet) recordEndNotification(run, task, false);
}

/** Ends an attempt and creates its retry. @param result undefined when the service failed the attempt */
function finishAttempt(model: ModelState, run: ModelRun, task: ModelTask, result: Result | undefined): void {
  const { now } = model;
  const attempt = latestAttempt(task);
  setStart(model, run, attempt);
  const end =
    result === undefined
      ? {
          state: 'INTERNAL_ERROR' as const,
          start: attempt.start ?? now,
          end: now,
          ...(attempt.state === 'RUNNING' && { result: 'FAILED' as const }),
        }
      : { state: 'TERMINATED' as const, result, start: attempt.start ?? now, terminating: now, end: now };
  Object.assign(attempt, end);
  const made = run.plan.singleTask ? run.attempt : attempt.retries;
  const retried = run.stopReason === undefined && isRetryAllowed(task.plan, attempt, made);
  const due = Math.max(now, (attempt.start ?? now) + task.plan.intervalMs);
  if (run.plan.singleTask) {
    Object.assign(run, end, { start: run.start });
    recordEndNotification(run, undefined, retried);
    // The retry takes over the capacity of the run before another run can.
    if (retried)
      createRun(model, run.job, {
        plan: run.plan,
        attempt: run.attempt + 1,
        original: run.original ?? run,
        depth: run.depth,
        due,
      });
    serveQueue(model);
    return;
  }
  recordEndNotification(run, task, retried);
  if (retried) task.attempts.push({ ...createAttempt(attempt.number + 1, made + 1, due), eligible: true });
  releaseSharedCluster(run);
}

/** Spec 2.2: FAILED and INTERNAL_ERROR are retried; a timeout only with retry_on_timeout. */
function isRetryAllowed(
  { retries, retryOnTimeout }: TaskPlan,
  { state, result }: ModelAttempt,
  made: number,
): boolean {
  const unsuccessful =
    state === 'INTERNAL_ERROR' || result === 'FAILED' || (result === 'TIMEDOUT' && retryOnTimeout);
  return unsuccessful && (retries === -1 || made < retries);
}

/** Releases the shared cluster when the last task that uses it is over. */
function releaseSharedCluster(run: ModelRun): void {
  const users = run.tasks.filter(
    (task) => task.plan.cluster === 'shared' && task.plan.childJobIndex === undefined,
  );
  if (users.every((task) => isOver(latestAttempt(task)))) run.sharedClusterReadyAt = undefined;
}

/** Advances a run_job_task: launches its child run, forwards its stop request and takes over the result. */
function advanceRunJobTask(model: ModelState, run: ModelRun, task: ModelTask, childIndex: number): boolean {
  const attempt = latestAttempt(task);
  if (attempt.childRun === undefined) {
    const job = model.jobs[childIndex];
    const child =
      job === undefined || run.depth >= model.limits.depth
        ? 'refused'
        : launchRun(model, { job, parent: run });
    if (child === 'refused') finishAttempt(model, run, task, 'FAILED');
    else attempt.childRun = child;
    return true;
  }
  const first = attempt.childRun;
  const child = model.runs.findLast((one) => one === first || one.original === first) ?? first;
  if (!isOver(child)) {
    if (attempt.stopReason === undefined || child.stopReason !== undefined) return false;
    // Capacity that becomes free at this instant may admit the child run just before the cancel.
    if (
      child.state === 'QUEUED' &&
      (child.queueReason !== 'MAX_CONCURRENT_RUNS_REACHED' || hasAttemptEndedNow(model))
    )
      model.ambiguous = true;
    stopRun(child, 'cancel');
    serveQueue(model);
    return true;
  }
  const result = child.state === 'TERMINATED' ? (child.result ?? 'FAILED') : 'FAILED';
  finishAttempt(
    model,
    run,
    task,
    attempt.stopReason === undefined || result === 'SUCCESS' ? result : resultOfStop[attempt.stopReason],
  );
  return true;
}

function hasAttemptEndedNow(model: ModelState): boolean {
  return model.runs.some((run) => run.tasks.some((task) => latestAttempt(task).end === model.now));
}

/** Requests the stop of a run and of its eligible attempts. */
export function stopRun(run: ModelRun, reason: StopReason): void {
  if (isOver(run) || run.stopReason !== undefined) return;
  run.stopReason = reason;
  for (const task of run.tasks)
    if (latestAttempt(task).eligible && !isOver(latestAttempt(task)))
      latestAttempt(task).stopReason ??= reason;
}

/** Ends the process of a running attempt. */
export function endAttempt(model: ModelState, run: ModelRun, task: ModelTask, ending: AttemptEnding): void {
  const results = {
    succeeded: 'SUCCESS',
    failed: 'FAILED',
    lost: undefined,
    stopped: resultOfStop[latestAttempt(task).stopReason ?? 'cancel'],
  } as const;
  finishAttempt(model, run, task, results[ending]);
}

/**
 * Changes the settings of a job. Active runs take over the timeouts of the job and its tasks (spec 4.1 rules
 * 2 and 3); new runs take over everything.
 */
export function changePlan(model: ModelState, job: ModelJob, plan: JobPlan): void {
  job.plan = plan;
  for (const run of model.runs.filter((one) => one.job === job && !isOver(one))) {
    const withTimeout = (task: TaskPlan): TaskPlan => ({
      ...task,
      timeoutSeconds: plan.tasks.find(({ key }) => key === task.key)?.timeoutSeconds ?? 0,
    });
    run.plan = { ...run.plan, timeoutSeconds: plan.timeoutSeconds, tasks: run.plan.tasks.map(withTimeout) };
    for (const task of run.tasks) task.plan = withTimeout(task.plan);
  }
}
