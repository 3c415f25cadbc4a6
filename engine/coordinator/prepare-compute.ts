/** Compute of a task: what its programs compute on is prepared before the task begins (DESIGN section 6). */
import type { TaskCluster } from '../run/assignment.ts';
import { taskKindsIn } from '../job/task-kinds.ts';
import { maskOfVariables, maskText } from '../run/masking.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { setTaskWarning } from './duration-warnings.ts';
import type { InstalledCluster } from './prepare-libraries.ts';
import { isReleased, type ClusterUnavailable, type RunExecution } from './run-execution.ts';
import { setInterrupt, type TaskExecution } from './task-execution.ts';
import { setTaskTimeout } from './timeouts.ts';
import { transitionTask, type TransitionContext } from './transition-run.ts';

export type ComputeContext = TransitionContext & Pick<CoordinatorContext, 'compute'>;

/** A cluster with its libraries and its Spark. */
export type ReadyCluster = InstalledCluster & Pick<TaskCluster, 'spark'>;

/** `cluster` is undefined when the task was stopped. */
type ComputeReadyResult =
  | { readonly kind: 'prepared'; readonly cluster: ReadyCluster | undefined }
  | ClusterUnavailable
  | OwnershipLost;

/** Prepares what the programs of the task compute on. */
export async function prepareCompute(
  c: ComputeContext,
  execution: RunExecution,
  task: TaskExecution,
  cluster: InstalledCluster,
): Promise<ComputeReadyResult> {
  if (cluster.compute.provider === 'local' && cluster.runtime !== 'warm')
    return { kind: 'prepared', cluster };
  const isRunning = task.taskRun.progress.state === 'RUNNING';
  if (task.stopReason !== undefined && !isRunning) return { kind: 'prepared', cluster: undefined };
  const stop = new AbortController();
  if (!isRunning) setInterrupt(task, () => stop.abort());
  const [kind = ''] = taskKindsIn({ ...task.settings });
  const result = await c.compute.computeProviders[cluster.compute.provider].prepare({
    clusterId: cluster.clusterId,
    name: cluster.name,
    directory: cluster.directory,
    compute: cluster.compute,
    environment: cluster.environment,
    nodeType: cluster.nodeType,
    workers: cluster.workers,
    libraries: cluster.libraries,
    kind,
    task: Object.entries(task.settings).find(([field]) => field === kind)?.[1],
    isRunning,
    signal: stop.signal,
    async onProgress(message) {
      if ((await showProgress(c, execution, task, cluster.clusterId, message)) === ownershipLost)
        stop.abort();
    },
  });
  if (!isRunning) setInterrupt(task, undefined);
  if (isReleased(execution)) return ownershipLost;
  switch (result.kind) {
    case 'failed': {
      const message = maskText(maskOfVariables([cluster.environment]), result.message);
      return { kind: 'unavailable', outcome: { kind: 'failed', message } };
    }
    case 'ready':
      return { kind: 'prepared', cluster: { ...cluster, spark: result.spark } };
    case 'stopped':
      return task.stopReason === undefined ? ownershipLost : { kind: 'prepared', cluster: undefined };
    default:
      return result satisfies never;
  }
}

async function showProgress(
  c: ComputeContext,
  execution: RunExecution,
  task: TaskExecution,
  clusterId: string,
  message: string,
): Promise<OwnershipLost | undefined> {
  if (task.taskRun.progress.state !== 'PENDING') return undefined;
  if ((await transitionTask(c, execution, task, 'prepare', { clusterId, message })) === ownershipLost)
    return ownershipLost;
  setTaskTimeout(c, execution, task);
  setTaskWarning(c, execution, task);
  return undefined;
}
