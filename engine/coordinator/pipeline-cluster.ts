/** Cluster of a pipeline task: the plan of its update says whether it needs one. */
import { buildAssignment } from './build-assignment.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import type { RunExecution } from './run-execution.ts';
import { setPipelineCluster, type TaskExecution } from './task-execution.ts';

export type PipelineClusterContext = Pick<CoordinatorContext, 'directories' | 'workspace' | 'updatePlanner'>;

/**
 * Plans the update of a pipeline task and gives the task the cluster of the plan. A later call for the same
 * attempt finds the same plan.
 */
export async function preparePipelineCluster(
  c: PipelineClusterContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<void> {
  if (task.settings.pipeline_task === undefined || c.updatePlanner === undefined) return;
  const assignment = await buildAssignment(c, execution, task, undefined);
  // The execution of the task reports the error.
  if ('error' in assignment) return;
  setPipelineCluster(task, await c.updatePlanner.prepareUpdate(assignment));
}
