/** Creating the clusters of a run, and finding those that an earlier engine created (spec 2.4). */
import { clusterIdAt, type Cluster, type NewClusterRow } from '../cluster/cluster.ts';
import { applyPolicy } from '../cluster/cluster-policy.ts';
import { poolCapacityOf, resolveShape } from '../cluster/inventory.ts';
import { ownershipLost } from '../run/ownership.ts';
import { createContextId, toClusterInUse } from './cluster-in-use.ts';
import type { ClusterStart, ClusterStartRequest } from './cluster-start.ts';
import { prepareClusterWatch, watchCluster } from './cluster-use.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { clusterKeyOf, type NewClusterChoice } from './release-clusters.ts';
import {
  onRelease,
  type ClusterInUse,
  type ClusterRequestResult,
  type ClusterUnavailable,
  type RunExecution,
} from './run-execution.ts';
import { startCluster } from './start-cluster.ts';
import { replaceWatch, type TaskExecution } from './task-execution.ts';

export type ClusterRequestContext = Pick<
  CoordinatorContext,
  'clusters' | 'compute' | 'clock' | 'clusterStartMs' | 'randomString' | 'directories' | 'log' | 'post'
>;

/**
 * Returns the shared cluster of a key. A cluster that could not start, or is gone, is replaced for the next
 * task (spec 2.4).
 */
export async function requestSharedCluster(
  c: ClusterRequestContext,
  execution: RunExecution,
  choice: Extract<NewClusterChoice, { kind: 'shared' }>,
  task: TaskExecution,
): Promise<ClusterRequestResult> {
  const { sharedClusters } = execution;
  for (;;) {
    const known = sharedClusters.get(choice.key);
    if (known === undefined) {
      const request = requestCluster(c, execution, choice, task);
      sharedClusters.set(choice.key, request);
      void forgetUnlessRunning(request, () => {
        if (sharedClusters.get(choice.key) === request) sharedClusters.delete(choice.key);
      });
      return request;
    }
    const requested = await known;
    if (requested === ownershipLost || requested.kind === 'unavailable') return requested;
    // Watched before the read, so that no termination is missed.
    watchCluster(c, execution, task, requested.cluster.clusterId);
    const state = (await c.clusters.find(requested.cluster.clusterId))?.state;
    if (state === 'RUNNING' || (state === 'PENDING' && requested.starting !== undefined)) return requested;
    replaceWatch(task, 'cluster');
    if (sharedClusters.get(choice.key) === known) sharedClusters.delete(choice.key);
  }
}

async function forgetUnlessRunning(
  request: Promise<ClusterRequestResult>,
  forget: () => void,
): Promise<void> {
  try {
    const requested = await request;
    if (requested === ownershipLost || requested.kind === 'unavailable') return forget();
    if (requested.starting !== undefined && (await requested.starting.ended).kind !== 'running') forget();
  } catch {
    // The tasks that wait for the cluster handle the error.
    forget();
  }
}

/** Creates a cluster, or finds the one that an earlier engine created for the same purpose. */
export async function requestCluster(
  c: ClusterRequestContext,
  execution: RunExecution,
  choice: NewClusterChoice,
  task: TaskExecution,
): Promise<ClusterRequestResult> {
  const { run } = execution;
  const key = clusterKeyOf(choice, task);
  const earlier = await findEarlierCluster(c, execution, task, key);
  if (earlier?.state === 'RUNNING')
    return { kind: 'requested', cluster: await toClusterInUse(c, earlier), starting: undefined };
  const row = earlier ?? newJobClusterRow(c, execution, choice, task);
  if ('outcome' in row) return row;
  const sparkContextId = createContextId(c);
  const fault = c.compute.faults.take('start_failure', [
    row.name,
    choice.kind === 'shared' ? key : task.settings.task_key,
  ]);
  const startsAtOnce =
    earlier === undefined &&
    c.clusterStartMs === 0 &&
    fault === undefined &&
    row.spec['init_scripts'] === undefined &&
    poolCapacityOf(row.poolId, c.compute.inventory) === undefined;
  // A cluster that is terminated between its creation and its use is noticed, too.
  const watch = prepareClusterWatch(c, execution, task, row.clusterId);
  if (earlier === undefined) {
    const created = await c.clusters.create(row, startsAtOnce ? sparkContextId : undefined, run.fence);
    if (created === 'refused') return ownershipLost;
  }
  watch.activate();
  const cluster = await toClusterInUse(c, row, sparkContextId);
  const starting = startsAtOnce
    ? undefined
    : startClusterForRun(c, execution, cluster, { requestedAt: row.createdTime, fault });
  return { kind: 'requested', cluster, starting };
}

/** Finds the cluster that an earlier engine created. One that runs is watched before its state is read again. */
async function findEarlierCluster(
  c: ClusterRequestContext,
  execution: RunExecution,
  task: TaskExecution,
  key: string,
): Promise<Cluster | undefined> {
  const listed = (await c.clusters.listByRun(execution.run.runId)).find((cluster) => cluster.key === key);
  if (listed?.state !== 'RUNNING') return listed;
  watchCluster(c, execution, task, listed.clusterId);
  const found = await c.clusters.find(listed.clusterId);
  return found?.state === 'TERMINATED' ? undefined : found;
}

function startClusterForRun(
  c: ClusterRequestContext,
  execution: RunExecution,
  cluster: ClusterInUse,
  request: Pick<ClusterStartRequest, 'requestedAt' | 'fault'>,
): ClusterStart {
  const { clusterId } = cluster;
  const abortion = new AbortController();
  const release = onRelease(execution, () => abortion.abort());
  const start = startCluster(c, { ...cluster, ...request }, abortion.signal);
  execution.clusterStarts.set(clusterId, start);
  const forget = (): void => {
    release();
    execution.clusterStarts.delete(clusterId);
  };
  start.ended.then(forget, forget);
  return start;
}

function newJobClusterRow(
  c: ClusterRequestContext,
  { run }: RunExecution,
  choice: NewClusterChoice,
  task: TaskExecution,
): NewClusterRow | ClusterUnavailable {
  const now = c.clock.now();
  const { inventory } = c.compute;
  const shape = resolveShape(choice.spec, inventory);
  if ('error' in shape) return { kind: 'unavailable', outcome: { kind: 'lost', message: shape.error } };
  const described = applyPolicy(choice.spec, inventory, 'JOB');
  if ('error' in described)
    return { kind: 'unavailable', outcome: { kind: 'failed', message: described.error } };
  return {
    clusterId: clusterIdAt(now, c.randomString(8)),
    kind: 'JOB',
    name: `job-${run.jobId}-run-${run.runId}-${choice.kind === 'shared' ? choice.key : task.settings.task_key}`,
    jobRunId: run.runId,
    key: clusterKeyOf(choice, task),
    spec: { ...described.spec },
    creator: undefined,
    createdTime: now,
    poolId: shape.poolId,
    workers: shape.workers,
    wantedNodes: shape.workers + 1,
  };
}
