/** Execution of an attempt that has begun: by the pool, or as a child run for a run_job_task. */
import { decideAttemptEnd, stopEnd, type AttemptEnd } from '../run/attempt-end.ts';
import type { Failure } from '../run/explain/failure.ts';
import { maskOfSettings, maskTexts } from '../run/masking.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import { buildAssignment } from './build-assignment.ts';
import { beginClusterUse } from './cluster-use.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { describeTaskStop } from './describe-stop.ts';
import { launchChildAndWait } from './launch-child.ts';
import type { ReadyCluster } from './prepare-compute.ts';
import { isReleased, type RunExecution } from './run-execution.ts';
import { runJobTask, type RunJobContext } from './run-job-task.ts';
import { enterExecution, leaveExecution, type TaskExecution } from './task-execution.ts';
import { inferTimeout } from './timeouts.ts';

export type ExecuteContext = RunJobContext &
  Pick<CoordinatorContext, 'clusters' | 'clock' | 'compute' | 'log' | 'directories' | 'workspace' | 'pool'>;

/** Executes the task and returns how the attempt ends. A later call for the same attempt attaches to it. */
export async function executeTask(
  c: ExecuteContext,
  execution: RunExecution,
  task: TaskExecution,
  cluster: ReadyCluster | undefined,
): Promise<AttemptEnd | OwnershipLost> {
  const assignment = await buildAssignment(c, execution, task, cluster);
  if ('error' in assignment)
    return decideAttemptEnd({ kind: 'failed', message: assignment.error }, undefined);
  if (cluster !== undefined) await beginClusterUse(c, execution, task, cluster);
  if (isReleased(execution)) return ownershipLost;
  if (assignment.kind === 'run_job_task') return runJobTask(c, execution, task, assignment.task);
  const pooled = c.pool.run(assignment, {
    launchChild: (key, request, stop) => launchChildAndWait(c, execution, task, key, request, stop),
  });
  enterExecution(task, pooled);
  // All users with access to the run see what a runner quotes from the task.
  const outcome = maskTexts(
    maskOfSettings(execution.run.settings, cluster === undefined ? [] : [cluster.environment]),
    await pooled.outcome,
  );
  if (isReleased(execution)) return ownershipLost;
  leaveExecution(task);
  if (outcome.kind === 'stopped') inferTimeout(c, execution, task);
  const { stopReason, clusterLossMessage } = task;
  if (outcome.kind === 'stopped' && stopReason === undefined && clusterLossMessage !== undefined)
    return { kind: 'break', failure: clusterLossFailure(task, clusterLossMessage) };
  if (outcome.kind !== 'stopped') return decideAttemptEnd(outcome, undefined);
  return stopEnd(await describeTaskStop(c, execution, task, stopReason ?? 'cancel', outcome.note));
}

function clusterLossFailure({ taskRun }: TaskExecution, message: string): Failure {
  const code = /\((\w+)\)/.exec(message)?.[1];
  // Not the cluster ended, but the node cannot go on.
  if (code === undefined) return { kind: 'message', message, lost: true };
  return { kind: 'cluster', code, message, clusterId: taskRun.clusterId ?? '' };
}
