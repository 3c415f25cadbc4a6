/** Run queue of the reference model (spec 3.1, 7 and 8). */
import { exceededLimitOf, hasWorkspaceLimits, jobLoadOf } from './reference-capacity.ts';
import {
  endRunAndTasks,
  labelOf,
  latestAttempt,
  recordEndNotification,
  requestTimeOf,
  setStateOfRunAndTasks,
  type ModelJob,
  type ModelRun,
  type ModelState,
} from './reference-state.ts';

/** Removes canceled and expired runs, and runs of jobs without capacity, from the queue and admits waiting runs. Returns true after a change. */
export function serveQueue(model: ModelState): boolean {
  const leaving = model.runs.filter(
    (run) =>
      run.state === 'QUEUED' &&
      (run.stopReason !== undefined ||
        requestTimeOf(run) < model.now - model.limits.queueMs ||
        (run.job.plan.maxConcurrent === 0 && !run.job.hidden)),
  );
  for (const run of leaving) withdrawFromQueue(model, run);
  let changed = leaving.length > 0;
  const skippedJobs = new Set<ModelJob>();
  for (;;) {
    const run = nextQueuedRun(model, skippedJobs);
    if (run === undefined) return changed;
    const exceededLimit = exceededLimitOf(model, run.round);
    if (exceededLimit === undefined) {
      // The order of the admission and a cancel at the same instant is unspecified.
      if (
        isBeingCancelled(model, run) ||
        (hasWorkspaceLimits(model) && model.runs.some((one) => one.start === model.now && one.depth > 0))
      )
        model.ambiguous = true;
      setStateOfRunAndTasks(run, 'PENDING');
      run.admittedAt = model.now;
      delete run.queueReason;
      changed = true;
    } else {
      run.queueReason = exceededLimit;
      skippedJobs.add(run.job);
      // Later runs do not overtake a large run, which would starve it.
      if (exceededLimit === 'ACTIVE_RUNS_LIMIT_REACHED') return changed;
    }
  }
}

/** Returns true when the stopping run_job_task of a run cancels it at this instant. */
function isBeingCancelled(model: ModelState, run: ModelRun): boolean {
  return model.runs.some((parent) =>
    parent.tasks.some(
      (task) => latestAttempt(task).childRun === run && latestAttempt(task).stopReason !== undefined,
    ),
  );
}

/** Returns the first queued run of the job with the fewest active runs; the longest wait breaks a tie. */
function nextQueuedRun(model: ModelState, skippedJobs: ReadonlySet<ModelJob>): ModelRun | undefined {
  const heads = [
    ...new Set(model.runs.filter((run) => run.state === 'QUEUED').map((run) => run.job)),
  ].flatMap((job) => {
    const { active, queued } = jobLoadOf(model, job);
    const [head] = queued;
    const limit = job.hidden ? Infinity : job.plan.maxConcurrent;
    // Capacity may become free before the run that used it is over.
    const endedNow = model.runs.filter(
      (run) => run.job === job && run.end === model.now && run.running !== undefined,
    ).length;
    return head === undefined || skippedJobs.has(job) || active >= limit
      ? []
      : [{ head, active, before: active + endedNow, since: Math.min(...queued.map(requestTimeOf)) }];
  });
  const first = heads.toSorted((one, other) => one.active - other.active || one.since - other.since);
  const earlier = heads.toSorted((one, other) => one.before - other.before || one.since - other.since);
  const tied = first[0]?.active === first[1]?.active && first[0]?.since === first[1]?.since;
  if (heads.length > 1 && (tied || (hasWorkspaceLimits(model) && first[0] !== earlier[0])))
    model.ambiguous = true;
  return first[0]?.head;
}

function withdrawFromQueue(model: ModelState, run: ModelRun): void {
  setStateOfRunAndTasks(run, 'SKIPPED');
  endRunAndTasks(run, model.now);
  delete run.queueReason;
  if (run.stopReason !== undefined) {
    for (const stopped of [run, ...(run.plan.singleTask ? run.tasks.map(latestAttempt) : [])])
      Object.assign(stopped, { state: 'TERMINATED', result: 'CANCELED' });
  }
  recordEndNotification(run, undefined, false);
}

/** Returns the queued runs in order. */
export function describeQueue(model: ModelState): string[] {
  return model.runs
    .filter((run) => run.state === 'QUEUED')
    .map((run) => `${labelOf(run)} ${run.queueReason}`);
}
