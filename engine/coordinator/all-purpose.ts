/**
 * All-purpose clusters: made, started, sized and ended by people; started by one node, and by another when
 * that is gone.
 */
import { clusterIdAt, type Cluster, type NewClusterRow } from '../cluster/cluster.ts';
import { capacityOf, nodesInWords, shapeOf } from '../cluster/inventory.ts';
import type { AllPurposeStore } from '../ports/clusters.ts';
import { invalid, messageOf, ServiceError } from '../errors.ts';
import type { NewCluster } from '../job/cluster.ts';
import type { LibraryCluster } from '../ports/libraries.ts';
import type { Workplace } from '../ports/engine.ts';
import { clusterInUse, contextId } from './cluster-in-use.ts';
import { startCluster, type Started, type StartPorts } from './start-cluster.ts';

export interface ControlPorts extends StartPorts {
  readonly store: AllPurposeStore;
  readonly nodeId: string;
  readonly random: (length: number) => string;
  readonly workplace: Pick<Workplace, 'clusterDirectory'>;
  readonly removeDirectory: (clusterId: string) => Promise<void>;
  /** Told of every cluster that runs from now on. */
  readonly began: (cluster: LibraryCluster) => void;
}

export type ClusterSize = Pick<NewCluster, 'num_workers' | 'autoscale'>;

/** What people do with clusters. Every refusal is a ServiceError. */
export interface ClusterControl {
  /** Makes an all-purpose cluster and begins to start it. */
  create(spec: NewCluster, name: string, user: string): Promise<string>;
  /** Starts one that is terminated again. */
  start(clusterId: string, user: string): Promise<void>;
  /** Ends one, whoever uses it; nothing happens to one that is over. */
  terminate(clusterId: string, user: string): Promise<void>;
  /** Ends an all-purpose one for good. */
  remove(clusterId: string, user: string): Promise<void>;
  resize(clusterId: string, size: ClusterSize, user: string): Promise<void>;
  /** For a task that names a cluster which is terminated. */
  startAgain(clusterId: string): Promise<void>;
  /** Goes on with starts that nobody goes on with, and ends clusters that were idle for too long. */
  tend(): Promise<void>;
  /** Lets go of everything: scripts go on, and another node goes on with the starts. */
  close(): void;
}

export function createClusterControl(ports: ControlPorts): ClusterControl {
  const { clusters, clock, compute, store } = ports;
  const letGo = new AbortController();
  const restart = async (clusterId: string, user: string | undefined): Promise<boolean> => {
    if (!(await store.restart(clusterId, ports.nodeId, clock.now(), user))) return false;
    await drive(ports, clusterId, letGo.signal);
    return true;
  };
  return {
    async create(spec, name, user) {
      const row = newRow(ports, spec, name, user);
      await store.createAllPurpose(row, ports.nodeId);
      await drive(ports, row.clusterId, letGo.signal);
      return row.clusterId;
    },
    async start(clusterId, user) {
      const { kind, state } = await existing(ports, clusterId);
      if (kind === 'JOB')
        throw invalid(`Cluster ${clusterId} was made for a run; it cannot be started again.`);
      if (!(await restart(clusterId, user)))
        throw new ServiceError(
          'INVALID_STATE',
          `Cluster ${clusterId} is in unexpected state ${state}; only a TERMINATED cluster can be started.`,
        );
    },
    terminate: async (clusterId, user) => terminate(ports, await existing(ports, clusterId), user),
    async remove(clusterId, user) {
      const cluster = await existing(ports, clusterId);
      if (cluster.kind === 'JOB')
        throw invalid(`Cluster ${clusterId} was made for a run and is removed with it.`);
      await terminate(ports, cluster, user);
      await store.forget(clusterId);
      compute.signals.tell(clusterId);
      await ports.removeDirectory(clusterId);
    },
    async resize(clusterId, size, user) {
      const cluster = await existing(ports, clusterId);
      refuseTooMany(ports, cluster.poolId, size.autoscale?.min_workers ?? size.num_workers ?? 0);
      if (cluster.state === 'RUNNING' && (await store.resize(clusterId, size, clock.now(), user))) return;
      throw new ServiceError(
        'INVALID_STATE',
        `Cluster ${clusterId} is in unexpected state ${cluster.state}; only a RUNNING cluster can be resized.`,
      );
    },
    async startAgain(clusterId) {
      await restart(clusterId, undefined);
    },
    async tend() {
      const now = clock.now();
      await store.settlePools(now);
      for (const { clusterId } of await store.adoptStarts(ports.nodeId, now))
        await drive(ports, clusterId, letGo.signal);
      for (const clusterId of await store.idle(now)) {
        const cluster = await clusters.find(clusterId);
        if (cluster !== undefined) await endIdle(ports, cluster);
      }
    },
    close: () => letGo.abort(),
  };
}

/** Starts a stored cluster, or goes on with that. */
async function drive(ports: ControlPorts, clusterId: string, letGo: AbortSignal): Promise<void> {
  const { clusters, compute } = ports;
  const cluster = await clusters.find(clusterId);
  if (cluster === undefined || letGo.aborted) return;
  const fault = compute.faults.take('start_failure', [clusterId, cluster.name]);
  const inUse = await clusterInUse(ports, cluster, contextId(ports));
  const { ended } = startCluster(ports, { ...inUse, from: ports.clock.now(), fault }, letGo);
  void afterStart(ports, { clusterId, sparkContextId: inUse.sparkContextId }, ended);
}

/** A failure is told by the cluster itself, and by its events. */
async function afterStart(
  { compute, began }: ControlPorts,
  cluster: LibraryCluster,
  ended: Promise<Started>,
): Promise<void> {
  const { kind } = await ended;
  compute.signals.tell(cluster.clusterId);
  if (kind === 'running') began(cluster);
}

function newRow(ports: ControlPorts, spec: NewCluster, name: string, user: string): NewClusterRow {
  const now = ports.clock.now();
  const clusterId = clusterIdAt(now, ports.random(8));
  const shape = shapeOf(spec, ports.compute.inventory);
  if ('error' in shape) throw invalid(shape.error);
  const { poolId, workers } = shape;
  refuseTooMany(ports, poolId, workers);
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
    wanted: workers + 1,
  };
}

async function existing({ clusters }: ControlPorts, clusterId: string): Promise<Cluster> {
  const cluster = await clusters.find(clusterId);
  // Clients know the text.
  if (cluster === undefined) throw invalid(`Cluster ${clusterId} does not exist`);
  return cluster;
}

async function terminate(ports: ControlPorts, cluster: Cluster, user: string): Promise<void> {
  if (cluster.state === 'TERMINATED') return;
  await ports.clusters.terminated(
    [cluster.clusterId],
    { code: 'USER_REQUEST', parameters: { username: user, message: `${user} ended it.` } },
    ports.clock.now(),
  );
  await afterEnd(ports, cluster);
}

async function endIdle(ports: ControlPorts, cluster: Cluster): Promise<void> {
  const message = 'No task ran on it for its autotermination_minutes.';
  await ports.clusters.terminated(
    [cluster.clusterId],
    { code: 'INACTIVITY', parameters: { message } },
    ports.clock.now(),
  );
  await afterEnd(ports, cluster);
  ports.log.info({ cluster_id: cluster.clusterId }, 'Ended a cluster that was idle.');
}

async function afterEnd({ compute, log }: ControlPorts, { clusterId, state, spec }: Cluster): Promise<void> {
  compute.signals.tell(clusterId);
  if (state === 'PENDING' && spec['init_scripts'] !== undefined) {
    await compute.provider
      .endScripts(clusterId)
      .catch((error: unknown) =>
        log.warn(
          { cluster_id: clusterId, error: messageOf(error) },
          'The init scripts of a cluster could not be ended.',
        ),
      );
  }
  if (spec['cluster_log_conf'] !== undefined) await compute.provider.deliverLogs(clusterId);
}

/** What can never be had is not waited for. */
function refuseTooMany({ compute: { inventory } }: ControlPorts, poolId: string, workers: number): void {
  const capacity = capacityOf(poolId, inventory);
  if (capacity === undefined || workers + 1 <= capacity) return;
  throw invalid(
    `The cluster would need ${nodesInWords(workers + 1, poolId, capacity)}; make it smaller, or the pool larger (RUNYARD_CLUSTERS).`,
  );
}
