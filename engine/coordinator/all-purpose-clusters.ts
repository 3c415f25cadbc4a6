/** All-purpose clusters: created, started, resized and terminated by users. Another node resumes a start. */
import { clusterIdAt, type Cluster, type NewClusterRow } from '../cluster/cluster.ts';
import { invalid, messageOf, ServiceError } from '../errors.ts';
import type { NewCluster } from '../job/cluster.ts';
import type { LibraryCluster } from '../ports/libraries.ts';
import { endCompute, endComputeOfTerminated } from './end-compute.ts';
import { createClusterChanges, type ClusterChanges } from './change-clusters.ts';
import { toClusterInUse, createContextId } from './cluster-in-use.ts';
import {
  assertFitsPool,
  assertPoolExists,
  clusterQuotaOf,
  requireAllPurpose,
  requireCluster,
  resolveFittingShape,
  startRequest,
  type ClusterControlPorts,
} from './cluster-requests.ts';
import type { ClusterStartResult } from './cluster-start.ts';
import { startCluster } from './start-cluster.ts';

export type ClusterSize = Pick<NewCluster, 'num_workers' | 'autoscale'>;

/** Operations on clusters. Every refusal is a ServiceError. */
export interface ClusterControl extends ClusterChanges {
  /** Creates an all-purpose cluster and starts it. */
  create(spec: NewCluster, name: string, user: string): Promise<string>;
  /** Starts a terminated cluster again. */
  start(clusterId: string, user: string): Promise<void>;
  /** Terminates a cluster, also while tasks use it. Ignored for a terminated one. */
  terminate(clusterId: string, user: string): Promise<void>;
  /** Terminates an all-purpose cluster and deletes it. */
  remove(clusterId: string, user: string): Promise<void>;
  resize(clusterId: string, size: ClusterSize, user: string): Promise<void>;
  /** Starts the terminated cluster that a task names. Returns why it cannot start; undefined when it starts. */
  startForTask(clusterId: string): Promise<string | undefined>;
  /** Resumes starts of nodes that are gone, and terminates clusters that were idle for too long. */
  maintain(): Promise<void>;
  /** Releases all starts: init scripts keep running, and another node resumes the starts. */
  close(): void;
}

export function createClusterControl(ports: ClusterControlPorts): ClusterControl {
  const { clock, store } = ports;
  const release = new AbortController();
  const start = async (cluster: Cluster, user: string | undefined): Promise<boolean> => {
    const { clusterId } = cluster;
    assertPoolExists(ports, cluster);
    const quota = clusterQuotaOf(ports, cluster);
    if (!(await store.start({ ...startRequest(ports, clusterId, user), quota }))) return false;
    await startStoredCluster(ports, clusterId, release.signal);
    return true;
  };
  return {
    async create(spec, name, user) {
      const row = newAllPurposeRow(ports, spec, name, user);
      await store.createAllPurpose(row, ports.nodeId, clusterQuotaOf(ports, row));
      await startStoredCluster(ports, row.clusterId, release.signal);
      return row.clusterId;
    },
    async start(clusterId, user) {
      const cluster = await requireAllPurpose(ports, clusterId, 'it cannot be started again');
      if (cluster.state !== 'TERMINATED' || !(await start(cluster, user)))
        throw new ServiceError(
          'INVALID_STATE',
          `Cluster ${clusterId} is in unexpected state ${cluster.state}; only a TERMINATED cluster can be started.`,
        );
    },
    ...createClusterChanges(ports, (clusterId) => startStoredCluster(ports, clusterId, release.signal)),
    terminate: async (clusterId, user) =>
      terminateCluster(ports, await requireCluster(ports, clusterId), user),
    async remove(clusterId, user) {
      await removeCluster(ports, clusterId, user);
    },
    async resize(clusterId, size, user) {
      const cluster = await requireCluster(ports, clusterId);
      assertFitsPool(ports, cluster.poolId, size.autoscale?.min_workers ?? size.num_workers ?? 0);
      if (cluster.state === 'RUNNING' && (await store.resize(clusterId, size, clock.now(), user))) return;
      throw new ServiceError(
        'INVALID_STATE',
        `Cluster ${clusterId} is in unexpected state ${cluster.state}; only a RUNNING cluster can be resized.`,
      );
    },
    async startForTask(clusterId) {
      const cluster = await ports.clusters.find(clusterId);
      return cluster === undefined ? undefined : refusalOf(start(cluster, undefined));
    },
    async maintain() {
      const now = clock.now();
      await store.allocateFreeNodes(now);
      for (const { clusterId } of await store.adoptStarts(ports.nodeId, now))
        await startStoredCluster(ports, clusterId, release.signal);
      await terminateIdleClusters(ports, now);
      await endComputeOfTerminated(ports);
    },
    close: () => release.abort(),
  };
}

/** Returns the message of a ServiceError; undefined for a call that succeeds. */
async function refusalOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

/** Starts a stored cluster, or resumes its start. */
async function startStoredCluster(
  ports: ClusterControlPorts,
  clusterId: string,
  release: AbortSignal,
): Promise<void> {
  const { clusters, compute } = ports;
  const cluster = await clusters.find(clusterId);
  if (cluster === undefined || release.aborted) return;
  const fault = compute.faults.take('start_failure', [clusterId, cluster.name]);
  const inUse = await toClusterInUse(ports, cluster, createContextId(ports));
  const { ended } = startCluster(ports, { ...inUse, requestedAt: ports.clock.now(), fault }, release);
  void handleStartResult(ports, { clusterId, sparkContextId: inUse.sparkContextId }, ended);
}

/** The cluster and its events carry a failure; nothing else reports it. */
async function handleStartResult(
  { compute, onClusterRunning }: ClusterControlPorts,
  cluster: LibraryCluster,
  ended: Promise<ClusterStartResult>,
): Promise<void> {
  const { kind } = await ended;
  if (kind === 'released') return;
  compute.signals.notify(cluster.clusterId);
  if (kind === 'running') onClusterRunning(cluster);
}

function newAllPurposeRow(
  ports: ClusterControlPorts,
  spec: NewCluster,
  name: string,
  user: string,
): NewClusterRow {
  const now = ports.clock.now();
  const clusterId = clusterIdAt(now, ports.randomString(8));
  const { poolId, workers } = resolveFittingShape(ports, spec);
  return {
    clusterId,
    kind: 'ALL_PURPOSE',
    name: name === '' ? clusterId : name,
    jobRunId: undefined,
    key: undefined,
    spec: { ...spec },
    creator: user,
    createdTime: now,
    poolId,
    workers,
    wantedNodes: workers + 1,
  };
}

async function removeCluster(ports: ClusterControlPorts, clusterId: string, user: string): Promise<void> {
  const cluster = await requireCluster(ports, clusterId);
  if (cluster.kind === 'JOB')
    throw invalid(`Cluster ${clusterId} was made for a run and is removed with it.`);
  await terminateCluster(ports, cluster, user);
  await ports.store.remove(clusterId);
  ports.compute.signals.notify(clusterId);
  await ports.removeDirectory(clusterId);
}

async function terminateCluster(ports: ClusterControlPorts, cluster: Cluster, user: string): Promise<void> {
  if (cluster.state === 'TERMINATED') return;
  await ports.clusters.terminate(
    [cluster.clusterId],
    { code: 'USER_REQUEST', parameters: { username: user, message: `${user} ended it.` } },
    ports.clock.now(),
  );
  await afterTermination(ports, cluster);
}

async function terminateIdleClusters(ports: ClusterControlPorts, now: number): Promise<void> {
  for (const clusterId of await ports.store.listIdle(now)) {
    const cluster = await ports.clusters.find(clusterId);
    if (cluster !== undefined) await terminateIdle(ports, cluster);
  }
}

async function terminateIdle(ports: ClusterControlPorts, cluster: Cluster): Promise<void> {
  const message = 'No task ran on it for its autotermination_minutes.';
  await ports.clusters.terminate(
    [cluster.clusterId],
    { code: 'INACTIVITY', parameters: { message } },
    ports.clock.now(),
  );
  await afterTermination(ports, cluster);
  ports.log.info({ cluster_id: cluster.clusterId }, 'Terminated an idle cluster.');
}

async function afterTermination(
  { compute, log }: ClusterControlPorts,
  { clusterId, state, spec }: Cluster,
): Promise<void> {
  compute.signals.notify(clusterId);
  if (state === 'PENDING' && spec['init_scripts'] !== undefined) {
    await compute.provider
      .stopScripts(clusterId)
      .catch((error: unknown) =>
        log.warn(
          { cluster_id: clusterId, error: messageOf(error) },
          'The init scripts of this cluster could not be stopped.',
        ),
      );
  }
  await endCompute(compute, clusterId);
  if (spec['cluster_log_conf'] !== undefined) await compute.provider.deliverLogs(clusterId);
}
