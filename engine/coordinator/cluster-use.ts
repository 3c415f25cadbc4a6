/**
 * A task on its cluster: what becomes of the task when the cluster goes, and of the cluster as tasks come and
 * go.
 */
import type { Cluster } from '../cluster/cluster.ts';
import { messageOf } from '../errors.ts';
import { setRunTimer, type RunExecution, type TaskExecution, type ClusterInUse } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { unavailableResult } from './start-cluster.ts';

/**
 * Has the task end when its cluster is terminated under it (spec 2.4), on whichever engine. What was watched
 * before is not any more.
 */
export function watchCluster(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  clusterId: string,
): void {
  task.unwatchCluster?.();
  task.clusterLossMessage = undefined;
  let watching = true;
  const off = c.compute.signals.subscribe(clusterId, () => void look());
  const look = async (): Promise<void> => {
    const cluster = await c.clusters.find(clusterId).catch(() => 'unknown' as const);
    // One that is about to begin ends as soon as it has.
    if (watching && cluster !== 'unknown' && isClusterLost(cluster))
      markClusterLost(task, unavailableResult(clusterId, cluster).message);
  };
  const leave = (): void => {
    watching = false;
    off();
  };
  active.cancelTimers.add(leave);
  task.unwatchCluster = () => {
    leave();
    active.cancelTimers.delete(leave);
  };
}

/**
 * One that its run has given back is not lost: a task of another run that works on it still may end its work.
 */
export function isClusterLost(cluster: Cluster | undefined): boolean {
  return (
    cluster === undefined || (cluster.state === 'TERMINATED' && cluster.termination?.code !== 'JOB_FINISHED')
  );
}

/** The cluster is gone: what runs of the task is ended, and the service failed it. */
export function markClusterLost(task: TaskExecution, message: string): void {
  task.clusterLossMessage ??= message;
  task.pooledTask?.stop();
}

/** The task has begun, or is taken up again. */
export async function beginClusterUse(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  cluster: ClusterInUse,
): Promise<void> {
  await runBestEffort(c, cluster, async () => {
    if (cluster.autoterminates) await c.clusters.recordUse(cluster.clusterId, c.clock.now());
    await rescaleCluster(c, cluster);
  });
  scheduleFaults(c, active, task, cluster);
}

/** A task on the cluster is over. `lost`: because the cluster is gone; `livesOn`: other tasks may use it. */
export async function endClusterUse(
  c: CoordinatorContext,
  cluster: ClusterInUse,
  { lost, livesOn }: { readonly lost: boolean; readonly livesOn: boolean },
): Promise<void> {
  await runBestEffort(c, cluster, async () => {
    if (lost && cluster.deliversLogs) await c.compute.provider.deliverLogs(cluster.clusterId);
    if (lost) return;
    if (cluster.autoterminates) await c.clusters.recordUse(cluster.clusterId, c.clock.now());
    if (livesOn) await rescaleCluster(c, cluster);
  });
}

async function rescaleCluster(c: CoordinatorContext, { clusterId, autoscales }: ClusterInUse): Promise<void> {
  if (autoscales) await c.clusters.rescale(clusterId, c.clock.now());
}

/** What is done for the cluster is no reason for the task to fail. */
async function runBestEffort(
  c: CoordinatorContext,
  { clusterId }: ClusterInUse,
  work: () => Promise<void>,
): Promise<void> {
  if (c.isClosing()) return;
  await work().catch((error: unknown) => {
    c.log.warn(
      { cluster_id: clusterId, error: messageOf(error) },
      'The size or the use of this cluster could not be noted.',
    );
  });
}

/** Injected faults strike clusters while tasks run on them. */
function scheduleFaults(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  cluster: ClusterInUse,
): void {
  const { clusterId } = cluster;
  const names = [...cluster.names, task.settings.task_key];
  const loss = c.compute.faults.take('loss', names);
  if (loss !== undefined) {
    const message = 'Its nodes were lost (a fault that RUNYARD_FAULTS asks for).';
    scheduleFault(c, active, loss.after_ms, () =>
      c.clusters
        .terminate(
          [clusterId],
          { code: 'CLOUD_PROVIDER_SHUTDOWN', parameters: { message } },
          c.clock.now(),
          'lost',
        )
        .then(() => c.compute.signals.notify(clusterId)),
    );
  }
  const preemption = c.compute.faults.take('preemption', names);
  if (preemption !== undefined) {
    scheduleFault(c, active, preemption.after_ms, async () => {
      await c.clusters.preempt(clusterId, preemption.workers ?? 1, c.clock.now());
    });
  }
}

function scheduleFault(
  c: CoordinatorContext,
  active: RunExecution,
  afterMs: number | undefined,
  act: () => Promise<void>,
): void {
  setRunTimer(
    active,
    c.clock,
    c.clock.now() + (afterMs ?? 0),
    () =>
      void act().catch((error: unknown) => {
        c.log.warn({ error: messageOf(error) }, 'An injected fault could not strike.');
      }),
  );
}
