/**
 * The reference model of spec section 3: given the same jobs and the same commands as the engine it says
 * where every run and every attempt stands. It takes time as it is told, has no store, no crash and no
 * thread; what an engine goes through in between must not be seen.
 */
import { isUpstreamFinished, isRunIfSatisfied, resultOf } from './reference-graph.ts';
import { launchRun, createAttempt, createRun, serveQueue } from './reference-admission.ts';
import {
  timeoutStartOf,
  isOver,
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

/** How an attempt ends by itself. */
export type AttemptEnding = 'succeeded' | 'failed' | 'lost' | 'stopped';

const resultOfStop: Readonly<Record<StopReason, Result>> = { cancel: 'CANCELED', timeout: 'TIMEDOUT' };

/** Lets everything happen that happens by itself in this instant. */
export function advanceUntilStable(world: ModelState): void {
  do {
    while (world.runs.some((run) => occupiesCapacity(run) && advanceRun(world, run)));
  } while (serveQueue(world));
}

/** One thing that happens to a run by itself; false when there is none. */
function advanceRun(world: ModelState, run: ModelRun): boolean {
  if (run.tasks.some((task) => advanceAttempt(world, run, task))) return true;
  if (run.plan.singleTask || !run.tasks.every((task) => isOver(latestAttempt(task)))) return false;
  Object.assign(run, { state: 'TERMINATED', result: resultOf(run), terminating: world.now, end: world.now });
  recordEndNotification(run, undefined, false);
  serveQueue(world);
  return true;
}

function advanceAttempt(world: ModelState, run: ModelRun, task: ModelTask): boolean {
  const attempt = latestAttempt(task);
  if (attempt.state === 'RUNNING')
    return (
      task.plan.childJobIndex !== undefined && advanceRunJobTask(world, run, task, task.plan.childJobIndex)
    );
  if (attempt.state !== 'PENDING') return false;
  if (!attempt.eligible) return decideStart(world, run, task, attempt);
  const waitsForTime = attempt.due !== undefined && attempt.due > world.now && attempt.start === undefined;
  if (attempt.stopReason !== undefined) {
    // A retry that never started is skipped; a single-task run is its task, and ends as cancelled.
    if (waitsForTime && !run.plan.singleTask) skipTask(world, run, task);
    else finishAttempt(world, run, task, resultOfStop[attempt.stopReason]);
    return true;
  }
  if (waitsForTime) return false;
  const ready = clusterReadyTime(world, run, task, attempt);
  if (ready > world.now) {
    const asked = attempt.start === undefined;
    attempt.start ??= world.now;
    return asked;
  }
  startAttempt(world, run, task, attempt);
  return true;
}

/** A task that nothing keeps waiting any more: it starts, or it never will. */
function decideStart(world: ModelState, run: ModelRun, task: ModelTask, attempt: ModelAttempt): boolean {
  if (run.plan.singleTask) {
    attempt.eligible = true;
    if (run.stopReason !== undefined) attempt.stopReason ??= run.stopReason;
    return true;
  }
  if (run.stopReason === undefined && !isUpstreamFinished(run, task)) return false;
  if (run.stopReason === undefined && isRunIfSatisfied(run, task)) attempt.eligible = true;
  else skipTask(world, run, task);
  return true;
}

/** When its cluster is there; asks for it. */
function clusterReadyTime(
  world: ModelState,
  run: ModelRun,
  { plan }: ModelTask,
  attempt: ModelAttempt,
): number {
  const { clusterMs } = world.limits;
  if (plan.childJobIndex !== undefined || plan.cluster === 'existing') return world.now;
  if (plan.cluster === 'own') return (attempt.clusterReadyAt ??= world.now + clusterMs);
  return (run.sharedClusterReadyAt ??= world.now + clusterMs);
}

function startAttempt(world: ModelState, run: ModelRun, task: ModelTask, attempt: ModelAttempt): void {
  const { now } = world;
  Object.assign(attempt, { state: 'RUNNING', start: attempt.start ?? now, running: now });
  if (run.state === 'PENDING') {
    Object.assign(run, { state: 'RUNNING', running: now });
    const silent = run.repairCount > 0 || (run.attempt > 0 && run.plan.alertOnLastAttempt);
    if (!silent) recordNotification(run, undefined, 'on_start');
  }
  if (!run.plan.singleTask && !(attempt.retries > 0 && task.plan.alertOnLastAttempt))
    recordNotification(run, task, 'on_start');
}

function skipTask(world: ModelState, run: ModelRun, task: ModelTask): void {
  Object.assign(latestAttempt(task), { state: 'SKIPPED', end: world.now });
  releaseSharedCluster(run);
  recordEndNotification(run, task, false);
}

/** The end of an attempt, and the attempt that follows. `undefined`: the service failed it. */
function finishAttempt(world: ModelState, run: ModelRun, task: ModelTask, result: Result | undefined): void {
  const { now } = world;
  const attempt = latestAttempt(task);
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
    // The retry takes the place of the run: nobody slips in between.
    if (retried)
      createRun(world, run.job, {
        plan: run.plan,
        attempt: run.attempt + 1,
        original: run.original ?? run,
        depth: run.depth,
        due,
      });
    serveQueue(world);
    return;
  }
  recordEndNotification(run, task, retried);
  if (retried) task.attempts.push({ ...createAttempt(attempt.number + 1, made + 1, due), eligible: true });
  releaseSharedCluster(run);
}

/** Spec 2.2: FAILED and INTERNAL_ERROR are unsuccessful; a timeout only where the job says so. */
function isRetryAllowed(
  { retries, retryOnTimeout }: TaskPlan,
  { state, result }: ModelAttempt,
  made: number,
): boolean {
  const unsuccessful =
    state === 'INTERNAL_ERROR' || result === 'FAILED' || (result === 'TIMEDOUT' && retryOnTimeout);
  return unsuccessful && (retries === -1 || made < retries);
}

/** The shared cluster goes when the last task that uses it is over. */
function releaseSharedCluster(run: ModelRun): void {
  const users = run.tasks.filter(
    (task) => task.plan.cluster === 'shared' && task.plan.childJobIndex === undefined,
  );
  if (users.every((task) => isOver(latestAttempt(task)))) run.sharedClusterReadyAt = undefined;
}

/** A run_job_task: launches its run, passes its own stop on, and takes over the end. */
function advanceRunJobTask(world: ModelState, run: ModelRun, task: ModelTask, childIndex: number): boolean {
  const attempt = latestAttempt(task);
  if (attempt.childRun === undefined) {
    const job = world.jobs[childIndex];
    const child =
      job === undefined || run.depth >= world.limits.depth
        ? 'refused'
        : launchRun(world, { job, parent: run });
    if (child === 'refused') finishAttempt(world, run, task, 'FAILED');
    else attempt.childRun = child;
    return true;
  }
  const first = attempt.childRun;
  const child = world.runs.findLast((one) => one === first || one.original === first) ?? first;
  if (!isOver(child)) {
    if (attempt.stopReason === undefined || child.stopReason !== undefined) return false;
    // Room that comes free in this instant may let it in just before it is cancelled.
    if (
      child.state === 'QUEUED' &&
      (child.queueReason !== 'MAX_CONCURRENT_RUNS_REACHED' || hasAttemptEndedNow(world))
    )
      world.ambiguous = true;
    stopRun(child, 'cancel');
    serveQueue(world);
    return true;
  }
  const result = child.state === 'TERMINATED' ? (child.result ?? 'FAILED') : 'FAILED';
  finishAttempt(
    world,
    run,
    task,
    attempt.stopReason === undefined || result === 'SUCCESS' ? result : resultOfStop[attempt.stopReason],
  );
  return true;
}

function hasAttemptEndedNow(world: ModelState): boolean {
  return world.runs.some((run) => run.tasks.some((task) => latestAttempt(task).end === world.now));
}

/** Notes that a run is to stop; its started attempts are asked to. */
export function stopRun(run: ModelRun, reason: StopReason): void {
  if (isOver(run) || run.stopReason !== undefined) return;
  run.stopReason = reason;
  for (const task of run.tasks)
    if (latestAttempt(task).eligible && !isOver(latestAttempt(task)))
      latestAttempt(task).stopReason ??= reason;
}

/** An attempt that runs comes to its end. */
export function endAttempt(world: ModelState, run: ModelRun, task: ModelTask, ending: AttemptEnding): void {
  const results = {
    succeeded: 'SUCCESS',
    failed: 'FAILED',
    lost: undefined,
    stopped: resultOfStop[latestAttempt(task).stopReason ?? 'cancel'],
  } as const;
  finishAttempt(world, run, task, results[ending]);
}

/**
 * The settings of a job change: active runs take its timeouts, and those of its tasks by their keys (spec 4.1
 * rules 2 and 3), new ones everything.
 */
export function changePlan(world: ModelState, job: ModelJob, plan: JobPlan): void {
  job.plan = plan;
  for (const run of world.runs.filter((one) => one.job === job && !isOver(one))) {
    run.plan = { ...run.plan, timeoutSeconds: plan.timeoutSeconds, tasks: plan.tasks };
    for (const task of run.tasks) {
      const changed = plan.tasks.find(({ key }) => key === task.plan.key);
      task.plan = { ...task.plan, timeoutSeconds: changed?.timeoutSeconds ?? 0 };
    }
  }
}

interface DueEvent {
  readonly at: number;
  /** What does not commute with one another has different names. `undefined`: it commutes with everything. */
  readonly conflictKey: string | undefined;
  readonly apply: () => void;
}

/** What happens by time alone, from where everything stands now. */
function dueEventsOf(world: ModelState): DueEvent[] {
  return world.runs.filter(occupiesCapacity).flatMap((run, index) => {
    const { timeoutSeconds, singleTask, healthSeconds } = run.plan;
    const found: DueEvent[] = [];
    const due = (when: boolean, at: number, name: string | undefined, happen: () => void): void => {
      if (when) found.push({ at, conflictKey: name && `${name} of run ${index}`, apply: happen });
    };
    due(
      !singleTask && timeoutSeconds > 0 && run.stopReason === undefined,
      timeoutStartOf(run) + timeoutSeconds * 1_000,
      'timeout',
      () => stopRun(run, 'timeout'),
    );
    due(healthSeconds > 0 && !run.warned, timeoutStartOf(run) + healthSeconds * 1_000 + 1, undefined, () =>
      recordDurationWarning(run, undefined),
    );
    for (const task of run.tasks) {
      const attempt = latestAttempt(task);
      if (isOver(attempt)) continue;
      const { timeoutSeconds: seconds, healthSeconds: threshold } = task.plan;
      const { start, due: dueTime } = attempt;
      if (start !== undefined) {
        due(seconds > 0 && attempt.stopReason === undefined, start + seconds * 1_000, 'task timeout', () => {
          attempt.stopReason ??= 'timeout';
        });
        due(threshold > 0 && !singleTask && !attempt.warned, start + threshold * 1_000 + 1, undefined, () =>
          recordDurationWarning(run, task),
        );
      }
      const none = (): void => undefined;
      due(dueTime !== undefined && start === undefined && dueTime > world.now, dueTime ?? 0, 'retry', none);
      const ready = task.plan.cluster === 'own' ? attempt.clusterReadyAt : run.sharedClusterReadyAt;
      due(
        attempt.state === 'PENDING' && start !== undefined && ready !== undefined,
        ready ?? 0,
        'cluster',
        none,
      );
    }
    return found;
  });
}

function recordDurationWarning(run: ModelRun, task: ModelTask | undefined): void {
  (task === undefined ? run : latestAttempt(task)).warned = true;
  recordNotification(run, task, 'on_duration_warning_threshold_exceeded');
}

/** The next instant at which something happens by itself; undefined when nothing will. */
export function nextDueTime(world: ModelState): number | undefined {
  const times = dueEventsOf(world).map(({ at }) => at);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Moves the time to an instant, no later than the next one, and lets happen what is due. */
export function advanceTo(world: ModelState, instant: number): void {
  world.now = Math.max(world.now, instant);
  const now = dueEventsOf(world).filter(({ at }) => at <= world.now);
  if (new Set(now.flatMap(({ conflictKey = [] }) => conflictKey)).size > 1) world.ambiguous = true;
  for (const { apply } of now) apply();
  advanceUntilStable(world);
}
