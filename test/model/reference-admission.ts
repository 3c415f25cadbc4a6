/** Launches and the queue of the reference model (spec 2.2, 3.1, 7 and 8; DESIGN sections 4 and 8). */
import {
  isOver,
  labelOf,
  latest,
  newJob,
  takesPlace,
  tellEnd,
  type Attempt,
  type ModelJob,
  type ModelRun,
  type QueueReason,
  type State,
  type World,
} from './reference-state.ts';
import type { JobPlan, TaskPlan } from './plans.ts';
import { weightOf } from './reference-graph.ts';

/** A limit of the workspace that is never reached in these worlds. */
export const plenty = 200;

/** What is launched. */
interface Launch {
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
export function launchRun(world: World, { job, token, queue, parent }: Launch): ModelRun | 'refused' {
  const earlier = token === undefined ? undefined : job.tokens.get(token);
  if (earlier !== undefined) return earlier;
  const mayQueue = queue ?? job.plan.queue;
  if (parent !== undefined && (competes(world) || hasTwin(world, job))) world.ambiguous = true;
  const admission = job.hidden ? 'room?' : admissionByJob(world, job, mayQueue);
  // A task that waits for its job anyhow may as well wait for room.
  const outcome =
    admission === 'room?' ? admissionByRoom(world, job.plan, mayQueue || parent !== undefined) : admission;
  if (outcome === 'refused') return 'refused';
  const run = newRun(world, job, {
    plan: job.plan,
    attempt: 0,
    original: undefined,
    depth: parent === undefined ? 0 : parent.depth + 1,
    due: undefined,
  });
  if (token !== undefined) job.tokens.set(token, run);
  if (outcome === 'start') return run;
  settleAll(run, outcome === 'skip' ? 'SKIPPED' : 'QUEUED');
  if (outcome === 'skip') {
    endAll(run, world.now);
    tellEnd(run, undefined, false);
  } else {
    run.waitsFor = outcome;
  }
  return run;
}

/** A one-time run: its hidden job has no limit of its own. */
export function submitRun(world: World, plan: JobPlan): ModelRun | 'refused' {
  const launched = launchRun(world, { job: newJob(`submission${world.submissions}`, plan, true) });
  if (launched !== 'refused') world.submissions += 1;
  return launched;
}

/**
 * Opens a multi-task run that is over again and runs what failed once more; `refused`: there is nothing to
 * repair, or no room now.
 */
export function repairRun(world: World, run: ModelRun): 'repaired' | 'refused' {
  const failed = run.tasks.filter((task) => isOver(run) && weightOf(run, task) === 'bad');
  if (run.plan.single || run.state === 'SKIPPED' || failed.length === 0) return 'refused';
  const { active, queued } = loadOf(world, run.job);
  if (!run.job.hidden && active + queued.length >= run.job.plan.maxConcurrent) return 'refused';
  if (
    lackOf(
      world,
      failed.map((task) => task.plan),
    ) !== undefined
  )
    return 'refused';
  for (const key of ['result', 'running', 'terminating', 'end', 'stop'] as const) delete run[key];
  Object.assign(run, { state: 'PENDING', warned: false, repaired: world.now, repairs: run.repairs + 1 });
  for (const task of failed) task.attempts.push(newAttempt(latest(task).number + 1, 0, undefined));
  return 'repaired';
}

/** What a new run brings along. */
interface Newness {
  readonly plan: JobPlan;
  readonly attempt: number;
  readonly original: ModelRun | undefined;
  readonly depth: number;
  readonly due: number | undefined;
}

export function newRun(
  world: World,
  job: ModelJob,
  { plan, attempt, original, depth, due }: Newness,
): ModelRun {
  job.started += 1;
  const run: ModelRun = {
    job,
    number: job.started,
    attempt,
    original,
    plan,
    depth,
    state: 'PENDING',
    start: world.now,
    warned: false,
    repairs: 0,
    told: [],
    tasks: plan.tasks.map((task) => ({ plan: task, attempts: [newAttempt(0, 0, due)] })),
  };
  world.runs.push(run);
  return run;
}

export function newAttempt(number: number, retries: number, due: number | undefined): Attempt {
  return {
    number,
    retries,
    state: 'PENDING',
    warned: false,
    begun: false,
    ...(due !== undefined && { due }),
  };
}

function settleAll(run: ModelRun, state: State): void {
  run.state = state;
  for (const task of run.tasks) latest(task).state = state;
}

function endAll(run: ModelRun, now: number): void {
  run.end = now;
  for (const task of run.tasks) latest(task).end = now;
}

function loadOf(world: World, job: ModelJob): { active: number; queued: ModelRun[] } {
  const own = world.runs.filter((run) => run.job === job && !isOver(run));
  const queued = own.filter((run) => run.state === 'QUEUED');
  return { active: own.length - queued.length, queued };
}

function admissionByJob(world: World, job: ModelJob, mayQueue: boolean): 'skip' | 'room?' | QueueReason {
  const { active, queued } = loadOf(world, job);
  const limit = job.plan.maxConcurrent;
  if (limit === 0) return 'skip';
  if (!mayQueue) return active + queued.length < limit ? 'room?' : 'skip';
  if (active >= limit) return 'MAX_CONCURRENT_RUNS_REACHED';
  // First in, first out.
  return queued.length > 0 ? 'ACTIVE_RUNS_LIMIT_REACHED' : 'room?';
}

const runJobsAmong = (tasks: readonly TaskPlan[]): number =>
  tasks.filter((task) => task.child !== undefined).length;

/** Which limit of the workspace keeps these tasks out. */
function lackOf(
  world: World,
  added: readonly TaskPlan[],
): 'ACTIVE_RUNS_LIMIT_REACHED' | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED' | undefined {
  const active = world.runs
    .filter(takesPlace)
    .flatMap((run) => run.tasks.filter((task) => !isOver(latest(task))))
    .map((task) => task.plan);
  if (active.length + added.length > world.limits.taskRuns) return 'ACTIVE_RUNS_LIMIT_REACHED';
  const runJobs = runJobsAmong(added);
  return runJobs > 0 && runJobsAmong(active) + runJobs > world.limits.runJobTasks
    ? 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED'
    : undefined;
}

function admissionByRoom(
  world: World,
  { tasks }: JobPlan,
  mayQueue: boolean,
): 'start' | 'refused' | QueueReason {
  const lack = lackOf(world, tasks);
  if (!mayQueue) return lack === undefined ? 'start' : 'refused';
  if (tasks.length > world.limits.taskRuns || runJobsAmong(tasks) > world.limits.runJobTasks)
    return 'refused';
  const awaited = world.runs.some(
    (run) => run.state === 'QUEUED' && run.waitsFor === 'ACTIVE_RUNS_LIMIT_REACHED',
  );
  return awaited ? 'ACTIVE_RUNS_LIMIT_REACHED' : (lack ?? 'start');
}

/**
 * Serves the queue: who was cancelled or has waited too long leaves it, and who has a place now starts. True
 * when something happened.
 */
export function serveQueue(world: World): boolean {
  const leaving = world.runs.filter(
    (run) =>
      run.state === 'QUEUED' &&
      (run.stop !== undefined || (run.start ?? 0) < world.now - world.limits.queueMs),
  );
  for (const run of leaving) withdraw(world, run);
  let happened = leaving.length > 0;
  const passed = new Set<ModelJob>();
  for (;;) {
    const run = nextInQueue(world, passed);
    if (run === undefined) return happened;
    const lack = lackOf(world, run.plan.tasks);
    if (lack === undefined) {
      // Whether it is let in or cancelled first is nobody's promise.
      if (
        isBeingCancelled(world, run) ||
        (isTight(world) && world.runs.some((one) => one.start === world.now && one.depth > 0))
      )
        world.ambiguous = true;
      settleAll(run, 'PENDING');
      run.admitted = world.now;
      delete run.waitsFor;
      happened = true;
    } else {
      run.waitsFor = lack;
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
function competes(world: World): boolean {
  return (
    isTight(world) &&
    world.runs.some(
      (run) =>
        run.admitted === world.now ||
        (run.state === 'QUEUED' && run.waitsFor !== 'MAX_CONCURRENT_RUNS_REACHED'),
    )
  );
}

/**
 * Whether another run_job_task has launched the same job in this instant: nobody promises who gets the first
 * number, or the last place.
 */
function hasTwin(world: World, job: ModelJob): boolean {
  return world.runs.some(
    (run) => run.job === job && run.start === world.now && run.depth > 0 && run.attempt === 0,
  );
}

/** Whether the workspace may be full at all. */
function isTight({ limits }: World): boolean {
  return limits.taskRuns < plenty || limits.runJobTasks < plenty;
}

/** Whether the run_job_task that launched a run is to stop, and will cancel it in this instant. */
function isBeingCancelled(world: World, run: ModelRun): boolean {
  return world.runs.some((parent) =>
    parent.tasks.some((task) => latest(task).child === run && latest(task).stop !== undefined),
  );
}

/** The first run of the job that has the fewest active ones; of several the one that waits longest. */
function nextInQueue(world: World, passed: ReadonlySet<ModelJob>): ModelRun | undefined {
  const heads = [
    ...new Set(world.runs.filter((run) => run.state === 'QUEUED').map((run) => run.job)),
  ].flatMap((job) => {
    const {
      active,
      queued: [head],
    } = loadOf(world, job);
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
  if (heads.length > 1 && (tied || (isTight(world) && first[0] !== earlier[0]))) world.ambiguous = true;
  return first[0]?.head;
}

function withdraw(world: World, run: ModelRun): void {
  settleAll(run, 'SKIPPED');
  endAll(run, world.now);
  delete run.waitsFor;
  if (run.stop !== undefined) {
    for (const standing of [run, ...(run.plan.single ? run.tasks.map(latest) : [])])
      Object.assign(standing, { state: 'TERMINATED', result: 'CANCELED' });
  }
  tellEnd(run, undefined, false);
}

/** Runs that wait in the queue of each job, in their order. */
export function queueOf(world: World): string[] {
  return world.runs.filter((run) => run.state === 'QUEUED').map((run) => `${labelOf(run)} ${run.waitsFor}`);
}
