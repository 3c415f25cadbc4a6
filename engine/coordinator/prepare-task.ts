/** Preparation of an attempt: its cluster, its libraries, and the step to RUNNING. */
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import type { StepFacts } from '../run/step.ts';
import { acquireCluster, type AcquireContext } from './acquire-cluster.ts';
import { isBlockedByDrain, type CoordinatorContext } from './coordinator-context.ts';
import { setTaskWarning } from './duration-warnings.ts';
import { prepareCompute, type ComputeContext, type ReadyCluster } from './prepare-compute.ts';
import { prepareLibraries, type LibrariesContext } from './prepare-libraries.ts';
import { isReleased, type ClusterUnavailable, type RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';
import { setTaskTimeout } from './timeouts.ts';
import { transitionTask } from './transition-run.ts';

export type { ReadyCluster } from './prepare-compute.ts';
export type PrepareContext = AcquireContext &
  LibrariesContext &
  ComputeContext &
  Pick<CoordinatorContext, 'isDraining'>;

/** `cluster` is undefined when the task needs none or was stopped. */
export type PrepareResult =
  | { readonly kind: 'prepared'; readonly cluster: ReadyCluster | undefined }
  | ClusterUnavailable
  | OwnershipLost;

/**
 * Prepares the cluster with its libraries and begins the task, unless the task is to stop or may not begin.
 */
export async function prepareTask(
  c: PrepareContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<PrepareResult> {
  setTaskTimeout(c, execution, task);
  setTaskWarning(c, execution, task);
  const prepared = await prepareCluster(c, execution, task);
  if (prepared === ownershipLost || isReleased(execution)) return ownershipLost;
  if (prepared.kind === 'unavailable') return prepared;
  const { cluster } = prepared;
  if (cluster?.deliversLogs === true)
    await c.compute.provider.attachLogs(cluster.clusterId, task.taskRun.runId);
  const mayBegin = task.stopReason === undefined && !isBlockedByDrain(c, execution);
  if (task.taskRun.progress.state !== 'PENDING' || !mayBegin) return prepared;
  const begun = await transitionTask(c, execution, task, 'begin', {
    message: '',
    ...(cluster && { clusterId: cluster.clusterId, ...contextIdOf(cluster) }),
  });
  if (begun === ownershipLost) return ownershipLost;
  setTaskTimeout(c, execution, task);
  setTaskWarning(c, execution, task);
  return prepared;
}

async function prepareCluster(
  c: PrepareContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<PrepareResult> {
  const acquired = await acquireCluster(c, execution, task);
  if (acquired === ownershipLost || acquired.kind === 'unavailable') return acquired;
  if (acquired.kind !== 'acquired') return { kind: 'prepared', cluster: undefined };
  const installed = await prepareLibraries(c, execution, task, acquired.cluster);
  if (installed === ownershipLost || installed.kind === 'unavailable') return installed;
  if (installed.cluster === undefined) return { kind: 'prepared', cluster: undefined };
  return prepareCompute(c, execution, task, installed.cluster);
}

/** Returns the id of the Spark application; nothing for one that the task itself starts. */
function contextIdOf({ compute, spark, sparkContextId }: ReadyCluster): StepFacts {
  if (compute.provider === 'local') return { sparkContextId };
  return spark?.driver === undefined ? {} : { sparkContextId: spark.driver.applicationId };
}
