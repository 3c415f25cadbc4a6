/**
 * A task on its cluster: what becomes of the task when the cluster goes, and of the cluster as tasks come and
 * go.
 */
import type { Cluster } from '../cluster/cluster.ts';
import { messageOf } from '../errors.ts';
import { atTime, type ActiveRun, type ActiveTask, type ClusterInUse } from './active-run.ts';
import type { Coordination } from './coordination.ts';
import { goneOf } from './start-cluster.ts';

/**
 * Has the task end when its cluster is terminated under it (spec 2.4), on whichever engine. What was watched
 * before is not any more.
 */
export function watchCluster(c: Coordination, active: ActiveRun, task: ActiveTask, clusterId: string): void {
  task.leaveCluster?.();
  task.lostCluster = undefined;
  let watching = true;
  const off = c.compute.signals.on(clusterId, () => void look());
  const look = async (): Promise<void> => {
    const cluster = await c.clusters.find(clusterId).catch(() => 'unknown' as const);
    // One that is about to begin ends as soon as it has.
    if (watching && cluster !== 'unknown' && isLost(cluster))
      loseCluster(task, goneOf(clusterId, cluster).message);
  };
  const leave = (): void => {
    watching = false;
    off();
  };
  active.timers.add(leave);
  task.leaveCluster = () => {
    leave();
    active.timers.delete(leave);
  };
}

/**
 * One that its run has given back is not lost: a task of another run that works on it still may end its work.
 */
export function isLost(cluster: Cluster | undefined): boolean {
  return (
    cluster === undefined || (cluster.state === 'TERMINATED' && cluster.termination?.code !== 'JOB_FINISHED')
  );
}

/** The cluster is gone: what runs of the task is ended, and the service failed it. */
export function loseCluster(task: ActiveTask, message: string): void {
  task.lostCluster ??= message;
  task.pooled?.stop();
}

/** The task has begun, or is taken up again. */
export async function beginUse(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  cluster: ClusterInUse,
): Promise<void> {
  await aside(c, cluster, async () => {
    if (cluster.autoterminates) await c.clusters.used(cluster.clusterId, c.clock.now());
    await rescale(c, cluster);
  });
  armFaults(c, active, task, cluster);
}

/** A task on the cluster is over. `lost`: because the cluster is gone; `livesOn`: other tasks may use it. */
export async function endUse(
  c: Coordination,
  cluster: ClusterInUse,
  { lost, livesOn }: { readonly lost: boolean; readonly livesOn: boolean },
): Promise<void> {
  await aside(c, cluster, async () => {
    if (lost && cluster.deliversLogs) await c.compute.provider.deliverLogs(cluster.clusterId);
    if (lost) return;
    if (cluster.autoterminates) await c.clusters.used(cluster.clusterId, c.clock.now());
    if (livesOn) await rescale(c, cluster);
  });
}

async function rescale(c: Coordination, { clusterId, autoscales }: ClusterInUse): Promise<void> {
  if (autoscales) await c.clusters.rescale(clusterId, c.clock.now());
}

/** What is done for the cluster is no reason for the task to fail. */
async function aside(c: Coordination, { clusterId }: ClusterInUse, work: () => Promise<void>): Promise<void> {
  if (c.closing()) return;
  await work().catch((error: unknown) => {
    c.log.warn(
      { cluster_id: clusterId, error: messageOf(error) },
      'The size or the use of this cluster could not be noted.',
    );
  });
}

/** Injected faults strike clusters while tasks run on them. */
function armFaults(c: Coordination, active: ActiveRun, task: ActiveTask, cluster: ClusterInUse): void {
  const { clusterId } = cluster;
  const names = [...cluster.names, task.settings.task_key];
  const loss = c.compute.faults.take('loss', names);
  if (loss !== undefined) {
    const message = 'Its nodes were lost (a fault that RUNYARD_FAULTS asks for).';
    strike(c, active, loss.after_ms, () =>
      c.clusters
        .terminated(
          [clusterId],
          { code: 'CLOUD_PROVIDER_SHUTDOWN', parameters: { message } },
          c.clock.now(),
          'lost',
        )
        .then(() => c.compute.signals.tell(clusterId)),
    );
  }
  const preemption = c.compute.faults.take('preemption', names);
  if (preemption !== undefined) {
    strike(c, active, preemption.after_ms, async () => {
      await c.clusters.preempted(clusterId, preemption.workers ?? 1, c.clock.now());
    });
  }
}

function strike(
  c: Coordination,
  active: ActiveRun,
  afterMs: number | undefined,
  act: () => Promise<void>,
): void {
  atTime(
    active,
    c.clock,
    c.clock.now() + (afterMs ?? 0),
    () =>
      void act().catch((error: unknown) => {
        c.log.warn({ error: messageOf(error) }, 'An injected fault could not strike.');
      }),
  );
}
