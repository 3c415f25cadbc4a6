/** Largest number of task runs of a run that can be active at the same time (spec 8). */
import { graphWidth } from '../job/task-graph.ts';
import type { TaskSettings } from '../job/settings.ts';
import { builtInKindOf } from '../job/task-kinds.ts';

export interface ParallelTasks {
  readonly taskRuns: number;
  /** Of tasks of the kind run_job_task. */
  readonly runJobTasks: number;
}

/** Counts the tasks that can run at the same time. Dependencies on tasks that are not in the list are over. */
export function countParallelTasks(tasks: readonly TaskSettings[]): ParallelTasks {
  return {
    taskRuns: graphWidth(tasks),
    runJobTasks: graphWidth(tasks, (task) => builtInKindOf(task) === 'run_job_task'),
  };
}
