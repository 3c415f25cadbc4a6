/** Launches and the queue of the reference model (spec 2.2, 3.1, 7 and 8; DESIGN sections 4 and 8). */
import {
  isOver,
  labelOf,
  latestAttempt,
  createModelJob,
  occupiesCapacity,
  recordEndNotification,
  type ModelAttempt,
  type ModelJob,
  type ModelRun,
  type QueueReason,
  type State,
  type ModelState,
} from './reference-state.ts';
import type { JobPlan, TaskPlan } from './job-plans.ts';
import { rollUpOutcomeOf } from './reference-graph.ts';

/** A limit of the workspace that is never reached in these worlds. */
export const unlimited = 200;

/** What is launched. */
interface LaunchRequest {
  readonly job: ModelJob;
  readonly token?: number | undefined;
  /** As the caller says, else as the job says. */
  readonly queue?: boolean | undefined;
  /** Launched by a run_job_task of this run. */
  readonly parent?: ModelRun;
}

/**
 * The run, or that of the same token; `refused`: the workspace is full, or the run has more tasks than there
 * is ever room for.
 */
export function launchRun(
  world: ModelState,
  { job, token, queue, parent }: LaunchRequest,
): ModelRun | 'refused' {
  const earlier = token === undefined ? undefined : job.tokens.get(token);
  if (earlier !== undefined) return earlier;
  const mayQueue = queue ?? job.plan.queue;
  if (parent !== undefined && (hasCapacityRace(world) || hasConcurrentLaunch(world, job)))
    world.ambiguous = true;
  const admission = job.hidden ? 'room?' : admitByJobLimit(world, job, mayQueue);
  // A task that waits for its job anyhow may as well wait for room.
  const outcome =
    admission === 'room?' ? admitByCapacity(world, job.plan, mayQueue || parent !== undefined) : admission;
  if (outcome === 'refused') return 'refused';
  const run = createRun(world, job, {
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
    endRunAndTasks(run, world.now);
    recordEndNotification(run, undefined, false);
  } else {
    run.queueReason = outcome;
  }
  return run;
}

/** A one-time run: its hidden job has no limit of its own. */
export function submitRun(world: ModelState, plan: JobPlan): ModelRun | 'refused' {
  const launched = launchRun(world, {
    job: createModelJob(`submission${world.submissionCount}`, plan, true),
  });
  if (launched !== 'refused') world.submissionCount += 1;
  return launched;
}

/**
 * Opens a multi-task run that is over again and runs what failed once more; `refused`: there is nothing to
 * repair, or no room now.
 */
export function repairRun(world: ModelState, run: ModelRun): 'repaired' | 'refused' {
  const failed = run.tasks.filter((task) => isOver(run) && rollUpOutcomeOf(run, task) === 'bad');
  if (run.plan.singleTask || run.state === 'SKIPPED' || failed.length === 0) return 'refused';
  const { active, queued } = jobLoadOf(world, run.job);
  if (!run.job.hidden && active + queued.length >= run.job.plan.maxConcurrent) return 'refused';
  if (
    exceededLimitOf(
      world,
      failed.map((task) => task.plan),
    ) !== undefined
  )
    return 'refused';
  for (const key of ['result', 'running', 'terminating', 'end', 'stopReason'] as const) delete run[key];
  Object.assign(run, {
    state: 'PENDING',
    warned: false,
    repairedAt: world.now,
    repairCount: run.repairCount + 1,
  });
  for (const task of failed) task.attempts.push(createAttempt(latestAttempt(task).number + 1, 0, undefined));
  return 'repaired';
}

/** What a new run brings along. */
interface NewRunOptions {
  readonly plan: JobPlan;
  readonly attempt: number;
  readonly original: ModelRun | undefined;
  readonly depth: number;
  readonly due: number | undefined;
}

export function createRun(
  world: ModelState,
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
    start: world.now,
    warned: false,
    repairCount: 0,
    notifications: [],
    tasks: plan.tasks.map((task) => ({ plan: task, attempts: [createAttempt(0, 0, due)] })),
  };
  world.runs.push(run);
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

function setStateOfRunAndTasks(run: ModelRun, state: State): void {
  run.state = state;
  for (const task of run.tasks) latestAttempt(task).state = state;
}

function endRunAndTasks(run: ModelRun, now: number): void {
  run.end = now;
  for (const task of run.tasks) latestAttempt(task).end = now;
}

function jobLoadOf(world: ModelState, job: ModelJob): { active: number; queued: ModelRun[] } {
  const own = world.runs.filter((run) => run.job === job && !isOver(run));
  const queued = own.filter((run) => run.state === 'QUEUED');
  return { active: own.length - queued.length, queued };
}

function admitByJobLimit(
  world: ModelState,
  job: ModelJob,
  mayQueue: boolean,
): 'skip' | 'room?' | QueueReason {
  const { active, queued } = jobLoadOf(world, job);
  const limit = job.plan.maxConcurrent;
  if (limit === 0) return 'skip';
  if (!mayQueue) return active + queued.length < limit ? 'room?' : 'skip';
  if (active >= limit) return 'MAX_CONCURRENT_RUNS_REACHED';
  // First in, first out.
  return queued.length > 0 ? 'ACTIVE_RUNS_LIMIT_REACHED' : 'room?';
}

const countRunJobTasks = (tasks: readonly TaskPlan[]): number =>
  tasks.filter((task) => task.childJobIndex !== undefined).length;

/** Which limit of the workspace keeps these tasks out. */
function exceededLimitOf(
  world: ModelState,
  added: readonly TaskPlan[],
): 'ACTIVE_RUNS_LIMIT_REACHED' | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED' | undefined {
  const active = world.runs
    .filter(occupiesCapacity)
    .flatMap((run) => run.tasks.filter((task) => !isOver(latestAttempt(task))))
    .map((task) => task.plan);
  if (active.length + added.length > world.limits.taskRuns) return 'ACTIVE_RUNS_LIMIT_REACHED';
  const runJobs = countRunJobTasks(added);
  return runJobs > 0 && countRunJobTasks(active) + runJobs > world.limits.runJobTasks
    ? 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED'
    : undefined;
}

function admitByCapacity(
  world: ModelState,
  { tasks }: JobPlan,
  mayQueue: boolean,
): 'start' | 'refused' | QueueReason {
  const lack = exceededLimitOf(world, tasks);
  if (!mayQueue) return lack === undefined ? 'start' : 'refused';
  if (tasks.length > world.limits.taskRuns || countRunJobTasks(tasks) > world.limits.runJobTasks)
    return 'refused';
  const awaited = world.runs.some(
    (run) => run.state === 'QUEUED' && run.queueReason === 'ACTIVE_RUNS_LIMIT_REACHED',
  );
  return awaited ? 'ACTIVE_RUNS_LIMIT_REACHED' : (lack ?? 'start');
}

/**
 * Serves the queue: who was cancelled or has waited too long leaves it, and who has a place now starts. True
 * when something happened.
 */
export function serveQueue(world: ModelState): boolean {
  const leaving = world.runs.filter(
    (run) =>
      run.state === 'QUEUED' &&
      (run.stopReason !== undefined || (run.start ?? 0) < world.now - world.limits.queueMs),
  );
  for (const run of leaving) withdrawFromQueue(world, run);
  let happened = leaving.length > 0;
  const passed = new Set<ModelJob>();
  for (;;) {
    const run = nextQueuedRun(world, passed);
    if (run === undefined) return happened;
    const lack = exceededLimitOf(world, run.plan.tasks);
    if (lack === undefined) {
      // Whether it is let in or cancelled first is nobody's promise.
      if (
        isBeingCancelled(world, run) ||
        (hasWorkspaceLimits(world) && world.runs.some((one) => one.start === world.now && one.depth > 0))
      )
        world.ambiguous = true;
      setStateOfRunAndTasks(run, 'PENDING');
      run.admittedAt = world.now;
      delete run.queueReason;
      happened = true;
    } else {
      run.queueReason = lack;
      passed.add(run.job);
      // Whoever needs much room is not overtaken for ever by those who need little.
      if (lack === 'ACTIVE_RUNS_LIMIT_REACHED') return happened;
    }
  }
}

/**
 * Whether runs that wait for room want the room of this instant too: who of them and a run_job_task gets it
 * is nobody's promise.
 */
function hasCapacityRace(world: ModelState): boolean {
  return (
    hasWorkspaceLimits(world) &&
    world.runs.some(
      (run) =>
        run.admittedAt === world.now ||
        (run.state === 'QUEUED' && run.queueReason !== 'MAX_CONCURRENT_RUNS_REACHED'),
    )
  );
}

/**
 * Whether another run_job_task has launched the same job in this instant: nobody promises who gets the first
 * number, or the last place.
 */
function hasConcurrentLaunch(world: ModelState, job: ModelJob): boolean {
  return world.runs.some(
    (run) => run.job === job && run.start === world.now && run.depth > 0 && run.attempt === 0,
  );
}

/** Whether the workspace may be full at all. */
function hasWorkspaceLimits({ limits }: ModelState): boolean {
  return limits.taskRuns < unlimited || limits.runJobTasks < unlimited;
}

/** Whether the run_job_task that launched a run is to stop, and will cancel it in this instant. */
function isBeingCancelled(world: ModelState, run: ModelRun): boolean {
  return world.runs.some((parent) =>
    parent.tasks.some(
      (task) => latestAttempt(task).childRun === run && latestAttempt(task).stopReason !== undefined,
    ),
  );
}

/** The first run of the job that has the fewest active ones; of several the one that waits longest. */
function nextQueuedRun(world: ModelState, passed: ReadonlySet<ModelJob>): ModelRun | undefined {
  const heads = [
    ...new Set(world.runs.filter((run) => run.state === 'QUEUED').map((run) => run.job)),
  ].flatMap((job) => {
    const {
      active,
      queued: [head],
    } = jobLoadOf(world, job);
    const limit = job.hidden ? Infinity : job.plan.maxConcurrent;
    // Room may come free a moment before the run that had it counts as over.
    const moments = world.runs.filter(
      (run) => run.job === job && run.end === world.now && run.running !== undefined,
    ).length;
    return head === undefined || passed.has(job) || active >= limit
      ? []
      : [{ head, active, before: active + moments, since: head.start ?? 0 }];
  });
  const first = heads.toSorted((one, other) => one.active - other.active || one.since - other.since);
  const earlier = heads.toSorted((one, other) => one.before - other.before || one.since - other.since);
  const tied = first[0]?.active === first[1]?.active && first[0]?.since === first[1]?.since;
  if (heads.length > 1 && (tied || (hasWorkspaceLimits(world) && first[0] !== earlier[0])))
    world.ambiguous = true;
  return first[0]?.head;
}

function withdrawFromQueue(world: ModelState, run: ModelRun): void {
  setStateOfRunAndTasks(run, 'SKIPPED');
  endRunAndTasks(run, world.now);
  delete run.queueReason;
  if (run.stopReason !== undefined) {
    for (const standing of [run, ...(run.plan.singleTask ? run.tasks.map(latestAttempt) : [])])
      Object.assign(standing, { state: 'TERMINATED', result: 'CANCELED' });
  }
  recordEndNotification(run, undefined, false);
}

/** Runs that wait in the queue of each job, in their order. */
export function describeQueue(world: ModelState): string[] {
  return world.runs
    .filter((run) => run.state === 'QUEUED')
    .map((run) => `${labelOf(run)} ${run.queueReason}`);
}
