/**
 * The reference model of spec section 3: given the same jobs and the same commands as the engine it says
 * where every run and every attempt stands. It takes time as it is told, has no store, no crash and no
 * thread; what an engine goes through in between must not be seen.
 */
import { isReached, mayStart, resultOf } from './reference-graph.ts';
import { launchRun, newAttempt, newRun, serveQueue } from './reference-admission.ts';
import {
  countsFrom,
  isOver,
  latest,
  takesPlace,
  tell,
  tellEnd,
  type Attempt,
  type ModelJob,
  type ModelRun,
  type ModelTask,
  type Reason,
  type Result,
  type World,
} from './reference-state.ts';
import type { JobPlan, TaskPlan } from './plans.ts';

/** How an attempt ends by itself. */
export type Ending = 'succeeded' | 'failed' | 'lost' | 'stopped';

const resultOfStop: Readonly<Record<Reason, Result>> = { cancel: 'CANCELED', timeout: 'TIMEDOUT' };

/** Lets everything happen that happens by itself in this instant. */
export function settle(world: World): void {
  do {
    while (world.runs.some((run) => takesPlace(run) && advance(world, run)));
  } while (serveQueue(world));
}

/** One thing that happens to a run by itself; false when there is none. */
function advance(world: World, run: ModelRun): boolean {
  if (run.tasks.some((task) => advanceAttempt(world, run, task))) return true;
  if (run.plan.single || !run.tasks.every((task) => isOver(latest(task)))) return false;
  Object.assign(run, { state: 'TERMINATED', result: resultOf(run), terminating: world.now, end: world.now });
  tellEnd(run, undefined, false);
  serveQueue(world);
  return true;
}

function advanceAttempt(world: World, run: ModelRun, task: ModelTask): boolean {
  const attempt = latest(task);
  if (attempt.state === 'RUNNING')
    return task.plan.child !== undefined && advanceRunJob(world, run, task, task.plan.child);
  if (attempt.state !== 'PENDING') return false;
  if (!attempt.begun) return arrive(world, run, task, attempt);
  const waitsForTime = attempt.due !== undefined && attempt.due > world.now && attempt.start === undefined;
  if (attempt.stop !== undefined) {
    // A retry that never started is skipped; a single-task run is its task, and ends as cancelled.
    if (waitsForTime && !run.plan.single) skip(world, run, task);
    else finish(world, run, task, resultOfStop[attempt.stop]);
    return true;
  }
  if (waitsForTime) return false;
  const ready = readyTime(world, run, task, attempt);
  if (ready > world.now) {
    const asked = attempt.start === undefined;
    attempt.start ??= world.now;
    return asked;
  }
  begin(world, run, task, attempt);
  return true;
}

/** A task that nothing keeps waiting any more: it starts, or it never will. */
function arrive(world: World, run: ModelRun, task: ModelTask, attempt: Attempt): boolean {
  if (run.plan.single) {
    attempt.begun = true;
    if (run.stop !== undefined) attempt.stop ??= run.stop;
    return true;
  }
  if (run.stop === undefined && !isReached(run, task)) return false;
  if (run.stop === undefined && mayStart(run, task)) attempt.begun = true;
  else skip(world, run, task);
  return true;
}

/** When its cluster is there; asks for it. */
function readyTime(world: World, run: ModelRun, { plan }: ModelTask, attempt: Attempt): number {
  const { clusterMs } = world.limits;
  if (plan.child !== undefined || plan.cluster === 'existing') return world.now;
  if (plan.cluster === 'own') return (attempt.ready ??= world.now + clusterMs);
  return (run.shared ??= world.now + clusterMs);
}

function begin(world: World, run: ModelRun, task: ModelTask, attempt: Attempt): void {
  const { now } = world;
  Object.assign(attempt, { state: 'RUNNING', start: attempt.start ?? now, running: now });
  if (run.state === 'PENDING') {
    Object.assign(run, { state: 'RUNNING', running: now });
    const silent = run.repairs > 0 || (run.attempt > 0 && run.plan.lastOnly);
    if (!silent) tell(run, undefined, 'on_start');
  }
  if (!run.plan.single && !(attempt.retries > 0 && task.plan.lastOnly)) tell(run, task, 'on_start');
}

function skip(world: World, run: ModelRun, task: ModelTask): void {
  Object.assign(latest(task), { state: 'SKIPPED', end: world.now });
  releaseShared(run);
  tellEnd(run, task, false);
}

/** The end of an attempt, and the attempt that follows. `undefined`: the service failed it. */
function finish(world: World, run: ModelRun, task: ModelTask, result: Result | undefined): void {
  const { now } = world;
  const attempt = latest(task);
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
  const made = run.plan.single ? run.attempt : attempt.retries;
  const retried = run.stop === undefined && mayRetry(task.plan, attempt, made);
  const due = Math.max(now, (attempt.start ?? now) + task.plan.intervalMs);
  if (run.plan.single) {
    Object.assign(run, end, { start: run.start });
    tellEnd(run, undefined, retried);
    // The retry takes the place of the run: nobody slips in between.
    if (retried)
      newRun(world, run.job, {
        plan: run.plan,
        attempt: run.attempt + 1,
        original: run.original ?? run,
        depth: run.depth,
        due,
      });
    serveQueue(world);
    return;
  }
  tellEnd(run, task, retried);
  if (retried) task.attempts.push({ ...newAttempt(attempt.number + 1, made + 1, due), begun: true });
  releaseShared(run);
}

/** Spec 2.2: FAILED and INTERNAL_ERROR are unsuccessful; a timeout only where the job says so. */
function mayRetry({ retries, retryOnTimeout }: TaskPlan, { state, result }: Attempt, made: number): boolean {
  const unsuccessful =
    state === 'INTERNAL_ERROR' || result === 'FAILED' || (result === 'TIMEDOUT' && retryOnTimeout);
  return unsuccessful && (retries === -1 || made < retries);
}

/** The shared cluster goes when the last task that uses it is over. */
function releaseShared(run: ModelRun): void {
  const users = run.tasks.filter((task) => task.plan.cluster === 'shared' && task.plan.child === undefined);
  if (users.every((task) => isOver(latest(task)))) run.shared = undefined;
}

/** A run_job_task: launches its run, passes its own stop on, and takes over the end. */
function advanceRunJob(world: World, run: ModelRun, task: ModelTask, childIndex: number): boolean {
  const attempt = latest(task);
  if (attempt.child === undefined) {
    const job = world.jobs[childIndex];
    const child =
      job === undefined || run.depth >= world.limits.depth
        ? 'refused'
        : launchRun(world, { job, parent: run });
    if (child === 'refused') finish(world, run, task, 'FAILED');
    else attempt.child = child;
    return true;
  }
  const first = attempt.child;
  const child = world.runs.findLast((one) => one === first || one.original === first) ?? first;
  if (!isOver(child)) {
    if (attempt.stop === undefined || child.stop !== undefined) return false;
    // Room that comes free in this instant may let it in just before it is cancelled.
    if (
      child.state === 'QUEUED' &&
      (child.waitsFor !== 'MAX_CONCURRENT_RUNS_REACHED' || somethingEnded(world))
    )
      world.ambiguous = true;
    stopRun(child, 'cancel');
    serveQueue(world);
    return true;
  }
  const result = child.state === 'TERMINATED' ? (child.result ?? 'FAILED') : 'FAILED';
  finish(
    world,
    run,
    task,
    attempt.stop === undefined || result === 'SUCCESS' ? result : resultOfStop[attempt.stop],
  );
  return true;
}

function somethingEnded(world: World): boolean {
  return world.runs.some((run) => run.tasks.some((task) => latest(task).end === world.now));
}

/** Notes that a run is to stop; its started attempts are asked to. */
export function stopRun(run: ModelRun, reason: Reason): void {
  if (isOver(run) || run.stop !== undefined) return;
  run.stop = reason;
  for (const task of run.tasks) if (latest(task).begun && !isOver(latest(task))) latest(task).stop ??= reason;
}

/** An attempt that runs comes to its end. */
export function endAttempt(world: World, run: ModelRun, task: ModelTask, ending: Ending): void {
  const results = {
    succeeded: 'SUCCESS',
    failed: 'FAILED',
    lost: undefined,
    stopped: resultOfStop[latest(task).stop ?? 'cancel'],
  } as const;
  finish(world, run, task, results[ending]);
}

/**
 * The settings of a job change: active runs take its timeouts, and those of its tasks by their keys (spec 4.1
 * rules 2 and 3), new ones everything.
 */
export function changePlan(world: World, job: ModelJob, plan: JobPlan): void {
  job.plan = plan;
  for (const run of world.runs.filter((one) => one.job === job && !isOver(one))) {
    run.plan = { ...run.plan, timeoutSeconds: plan.timeoutSeconds, tasks: plan.tasks };
    for (const task of run.tasks) {
      const changed = plan.tasks.find(({ key }) => key === task.plan.key);
      task.plan = { ...task.plan, timeoutSeconds: changed?.timeoutSeconds ?? 0 };
    }
  }
}

interface Due {
  readonly at: number;
  /** What does not commute with one another has different names. `undefined`: it commutes with everything. */
  readonly name: string | undefined;
  readonly happen: () => void;
}

/** What happens by time alone, from where everything stands now. */
function dues(world: World): Due[] {
  return world.runs.filter(takesPlace).flatMap((run, index) => {
    const { timeoutSeconds, single, healthSeconds } = run.plan;
    const found: Due[] = [];
    const due = (when: boolean, at: number, name: string | undefined, happen: () => void): void => {
      if (when) found.push({ at, name: name && `${name} of run ${index}`, happen });
    };
    due(
      !single && timeoutSeconds > 0 && run.stop === undefined,
      countsFrom(run) + timeoutSeconds * 1_000,
      'timeout',
      () => stopRun(run, 'timeout'),
    );
    due(healthSeconds > 0 && !run.warned, countsFrom(run) + healthSeconds * 1_000 + 1, undefined, () =>
      warn(run, undefined),
    );
    for (const task of run.tasks) {
      const attempt = latest(task);
      if (isOver(attempt)) continue;
      const { timeoutSeconds: seconds, healthSeconds: threshold } = task.plan;
      const { start, due: dueTime } = attempt;
      if (start !== undefined) {
        due(seconds > 0 && attempt.stop === undefined, start + seconds * 1_000, 'task timeout', () => {
          attempt.stop ??= 'timeout';
        });
        due(threshold > 0 && !single && !attempt.warned, start + threshold * 1_000 + 1, undefined, () =>
          warn(run, task),
        );
      }
      const none = (): void => undefined;
      due(dueTime !== undefined && start === undefined && dueTime > world.now, dueTime ?? 0, 'retry', none);
      const ready = task.plan.cluster === 'own' ? attempt.ready : run.shared;
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

function warn(run: ModelRun, task: ModelTask | undefined): void {
  (task === undefined ? run : latest(task)).warned = true;
  tell(run, task, 'on_duration_warning_threshold_exceeded');
}

/** The next instant at which something happens by itself; undefined when nothing will. */
export function nextInstant(world: World): number | undefined {
  const times = dues(world).map(({ at }) => at);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Moves the time to an instant, no later than the next one, and lets happen what is due. */
export function moveTo(world: World, instant: number): void {
  world.now = Math.max(world.now, instant);
  const now = dues(world).filter(({ at }) => at <= world.now);
  if (new Set(now.flatMap(({ name = [] }) => name)).size > 1) world.ambiguous = true;
  for (const { happen } of now) happen();
  settle(world);
}
