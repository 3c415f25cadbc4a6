/** Use of a cluster by tasks: loss of the cluster, last use, autoscaling and injected faults. */
import type { Cluster } from '../cluster/cluster.ts';
import { messageOf } from '../errors.ts';
import { isReleased, onRelease, setRunTimer, type ClusterInUse, type RunExecution } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { unavailableResult } from './start-cluster.ts';
import { clearClusterLoss, replaceWatch, type TaskExecution } from './task-execution.ts';

type WatchContext = Pick<CoordinatorContext, 'clusters' | 'compute' | 'post'>;

/**
 * Ends the task when its cluster is terminated or restarted while the task uses it (spec 2.4), on whichever
 * engine. Replaces the watch of an earlier call.
 * @param sparkContextId the context that the task uses; undefined while the cluster starts for the task
 */
export function watchCluster(
  c: WatchContext,
  execution: RunExecution,
  task: TaskExecution,
  clusterId: string,
  sparkContextId?: string,
): void {
  prepareClusterWatch(c, execution, task, clusterId).activate(sparkContextId);
}

/** Watch of a cluster that the task has not acquired yet. */
export interface PreparedClusterWatch {
  /**
   * Called when the task has acquired the cluster; checks the changes that were notified since the call.
   * @param sparkContextId the context that the task uses; with another one, the cluster was restarted
   */
  activate(sparkContextId?: string): void;
}

/**
 * Prepares the watch of a cluster that may not exist yet or may be terminated until it starts again: neither
 * is a loss. The subscription begins at once, so that no change between the read of the cluster and
 * `activate` is missed. Replaces the watch of an earlier call.
 */
export function prepareClusterWatch(
  c: WatchContext,
  execution: RunExecution,
  task: TaskExecution,
  clusterId: string,
): PreparedClusterWatch {
  replaceWatch(task, 'cluster');
  clearClusterLoss(task);
  let phase: 'prepared' | 'active' | 'ended' = 'prepared';
  let changed = false;
  let contextId: string | undefined;
  const check = async (): Promise<void> => {
    const cluster = await c.clusters.find(clusterId).catch(() => 'unknown' as const);
    // A task that is about to begin ends as soon as it has begun.
    if (phase === 'ended' || cluster === 'unknown') return;
    const message = clusterLossOf(clusterId, cluster, contextId);
    if (message !== undefined) c.post(execution, { kind: 'cluster lost', task, message });
  };
  const unsubscribe = c.compute.signals.subscribe(clusterId, () => {
    changed = true;
    if (phase === 'active') void check();
  });
  const unwatch = onRelease(execution, () => {
    phase = 'ended';
    unsubscribe();
  });
  replaceWatch(task, 'cluster', unwatch);
  return {
    activate(sparkContextId) {
      if (phase !== 'prepared') return;
      phase = 'active';
      contextId = sparkContextId;
      if (changed) void check();
    },
  };
}

/**
 * Returns why a task can no longer use its cluster; undefined while it can.
 * @param sparkContextId the context that the task uses, as far as it is known
 */
export function clusterLossOf(
  clusterId: string,
  cluster: Cluster | undefined,
  sparkContextId: string | undefined,
): string | undefined {
  if (isClusterLost(cluster)) return unavailableResult(clusterId, cluster).message;
  const wasRestarted =
    cluster?.kind === 'ALL_PURPOSE' &&
    sparkContextId !== undefined &&
    cluster.sparkContextId !== sparkContextId;
  return wasRestarted ? `Cluster ${clusterId} was restarted` : undefined;
}

/**
 * Returns whether a cluster is gone. One that its run has released is not: a task of a child run may finish
 * its work there.
 */
function isClusterLost(cluster: Cluster | undefined): boolean {
  return (
    cluster === undefined || (cluster.state === 'TERMINATED' && cluster.termination?.code !== 'JOB_FINISHED')
  );
}

type UseContext = Pick<CoordinatorContext, 'clusters' | 'compute' | 'clock' | 'log'>;

/** Notes that a task uses the cluster, because it begins or is resumed. */
export async function beginClusterUse(
  c: UseContext,
  execution: RunExecution,
  task: TaskExecution,
  cluster: ClusterInUse,
): Promise<void> {
  await runBestEffort(c, execution, cluster, async () => {
    if (cluster.autoterminates) await c.clusters.recordUse(cluster.clusterId, c.clock.now());
    await rescaleCluster(c, cluster);
  });
  scheduleFaults(c, execution, task, cluster);
}

/** End of the use of a cluster by a task. */
interface ClusterUseEnd {
  /** The cluster is gone. */
  readonly lost: boolean;
  /** Other tasks may use it. */
  readonly isShared: boolean;
}

/** Notes that a task no longer uses the cluster. */
export async function endClusterUse(
  c: UseContext,
  execution: RunExecution,
  cluster: ClusterInUse,
  { lost, isShared }: ClusterUseEnd,
): Promise<void> {
  await runBestEffort(c, execution, cluster, async () => {
    if (lost && cluster.deliversLogs) await c.compute.provider.deliverLogs(cluster.clusterId);
    if (lost) return;
    if (cluster.autoterminates) await c.clusters.recordUse(cluster.clusterId, c.clock.now());
    if (isShared) await rescaleCluster(c, cluster);
  });
}

async function rescaleCluster(
  c: Pick<UseContext, 'clusters' | 'clock'>,
  { clusterId, autoscales }: ClusterInUse,
): Promise<void> {
  if (autoscales) await c.clusters.rescale(clusterId, c.clock.now());
}

/** A failure to note the use of a cluster does not fail the task. */
async function runBestEffort(
  { log }: Pick<UseContext, 'log'>,
  execution: RunExecution,
  { clusterId }: ClusterInUse,
  work: () => Promise<void>,
): Promise<void> {
  if (isReleased(execution)) return;
  await work().catch((error: unknown) => {
    log.warn(
      { cluster_id: clusterId, error: messageOf(error) },
      'The use or the size of this cluster could not be updated.',
    );
  });
}

/** Schedules the faults that are injected into clusters while tasks run on them. */
function scheduleFaults(
  c: UseContext,
  execution: RunExecution,
  task: TaskExecution,
  cluster: ClusterInUse,
): void {
  const { clusterId } = cluster;
  const names = [...cluster.names, task.settings.task_key];
  const loss = c.compute.faults.take('loss', names);
  if (loss !== undefined) {
    const message = 'Its nodes were lost (a fault that RUNYARD_FAULTS asks for).';
    scheduleFault(c, execution, loss.after_ms, () =>
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
    scheduleFault(c, execution, preemption.after_ms, async () => {
      await c.clusters.preempt(clusterId, preemption.workers ?? 1, c.clock.now());
    });
  }
}

function scheduleFault(
  c: UseContext,
  execution: RunExecution,
  afterMs: number | undefined,
  inject: () => Promise<void>,
): void {
  setRunTimer(
    execution,
    c.clock,
    c.clock.now() + (afterMs ?? 0),
    () =>
      void inject().catch((error: unknown) => {
        c.log.warn({ error: messageOf(error) }, 'Fault injection failed.');
      }),
  );
}
