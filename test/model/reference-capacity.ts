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

const isRunJobTask = (task: TaskPlan): boolean => task.childJobIndex !== undefined;

/** Returns how many of the tasks can run at the same time, by trying every set of them. */
function countParallel(tasks: readonly TaskPlan[], isCounted: (task: TaskPlan) => boolean): number {
  const isUpstream = (one: TaskPlan, other: TaskPlan): boolean =>
    other.dependsOn.some(
      (key) => key === one.key || tasks.some((between) => between.key === key && isUpstream(one, between)),
    );
  const sets = tasks
    .filter(isCounted)
    .reduce<TaskPlan[][]>(
      (before, task) => [
        ...before,
        ...before
          .filter((set) => set.every((one) => !isUpstream(one, task) && !isUpstream(task, one)))
          .map((set) => [...set, task]),
      ],
      [[]],
    );
  return Math.max(...sets.map((set) => set.length));
}

export const countParallelTasks = (tasks: readonly TaskPlan[]): number => countParallel(tasks, () => true);
export const countParallelRunJobTasks = (tasks: readonly TaskPlan[]): number =>
  countParallel(tasks, isRunJobTask);

/** Returns how many task runs of a run can be active now: no more than are left and than can run in parallel. */
function activeTasksOf(run: ModelRun): { taskRuns: number; runJobTasks: number } {
  const left = run.tasks.filter((task) => !isOver(latestAttempt(task))).map((task) => task.plan);
  return {
    taskRuns: Math.min(left.length, countParallelTasks(run.round)),
    runJobTasks: Math.min(left.filter(isRunJobTask).length, countParallelRunJobTasks(run.round)),
  };
}

/** Returns the workspace limit that additional tasks would exceed. */
export function exceededLimitOf(
  model: ModelState,
  added: readonly TaskPlan[],
): 'ACTIVE_RUNS_LIMIT_REACHED' | 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED' | undefined {
  const active = model.runs.filter(occupiesCapacity).map(activeTasksOf);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  const taskRuns = sum(active.map((load) => load.taskRuns));
  if (taskRuns + countParallelTasks(added) > model.limits.taskRuns) return 'ACTIVE_RUNS_LIMIT_REACHED';
  const runJobs = countParallelRunJobTasks(added);
  const activeRunJobs = sum(active.map((load) => load.runJobTasks));
  return runJobs > 0 && activeRunJobs + runJobs > model.limits.runJobTasks
    ? 'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED'
    : undefined;
}

/** Returns true when the scenario limits the workspace. */
export function hasWorkspaceLimits({ limits }: ModelState): boolean {
  return limits.taskRuns < unlimited || limits.runJobTasks < unlimited;
}
