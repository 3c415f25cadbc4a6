/** Limits of jobs and of the workspace in the reference model (spec 7 and 8). */
import type { TaskPlan } from './job-plans.ts';
import {
  isOver,
  latestAttempt,
  occupiesCapacity,
  type ModelJob,
  type ModelRun,
  type ModelState,
} from './reference-state.ts';

/** A limit of the workspace that no scenario reaches. */
export const unlimited = 200;

export function jobLoadOf(model: ModelState, job: ModelJob): { active: number; queued: ModelRun[] } {
  const own = model.runs.filter((run) => run.job === job && !isOver(run));
  const queued = own.filter((run) => run.state === 'QUEUED');
  return { active: own.length - queued.length, queued };
}

export const countRunJobTasks = (tasks: readonly TaskPlan[]): number =>
  tasks.filter((task) => task.childJobIndex !== undefined).length;

/** Returns the workspace limit that additional tasks would exceed. */
export function exceededLimitOf(
  model: ModelState,
  added: readonly TaskPlan[],
): 'ACTIVE_RUNS_LIMIT_REACHED' | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED' | undefined {
  const active = model.runs
    .filter(occupiesCapacity)
    .flatMap((run) => run.tasks.filter((task) => !isOver(latestAttempt(task))))
    .map((task) => task.plan);
  if (active.length + added.length > model.limits.taskRuns) return 'ACTIVE_RUNS_LIMIT_REACHED';
  const runJobs = countRunJobTasks(added);
  return runJobs > 0 && countRunJobTasks(active) + runJobs > model.limits.runJobTasks
    ? 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED'
    : undefined;
}

/** Returns true when the scenario limits the workspace. */
export function hasWorkspaceLimits({ limits }: ModelState): boolean {
  return limits.taskRuns < unlimited || limits.runJobTasks < unlimited;
}
