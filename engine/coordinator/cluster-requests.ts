/** Requests about all-purpose clusters: their ports, and the checks that they share. */
import { clusterNotFound } from '../cluster/cluster-not-found.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { formatNodes, poolCapacityOf, resolveShape, type ClusterShape } from '../cluster/inventory.ts';
import { invalid, ServiceError } from '../errors.ts';
import type { NewCluster } from '../job/cluster.ts';
import type { RunDirectories } from '../ports/attempts.ts';
import type { AllPurposeStore, ClusterQuota, StartRequest } from '../ports/clusters.ts';
import type { LibraryCluster } from '../ports/libraries.ts';
import type { ClusterStartPorts } from './cluster-start.ts';

export interface ClusterControlPorts extends ClusterStartPorts {
  readonly store: AllPurposeStore;
  readonly nodeId: string;
  readonly randomString: (length: number) => string;
  readonly directories: Pick<RunDirectories, 'ensureClusterDirectory'>;
  readonly removeDirectory: (clusterId: string) => Promise<void>;
  /** Called for every cluster that begins to run. */
  readonly onClusterRunning: (cluster: LibraryCluster) => void;
}

/** Returns the request of a user, or of a task without one, to start a cluster on this node. */
export function startRequest(
  { nodeId, clock }: Pick<ClusterControlPorts, 'nodeId' | 'clock'>,
  clusterId: string,
  user: string | undefined,
): StartRequest {
  return { clusterId, nodeId, now: clock.now(), user };
}

/** @throws ServiceError for an unknown pool or policy, and for a cluster that is larger than its pool */
export function resolveFittingShape(ports: ClusterControlPorts, spec: NewCluster): ClusterShape {
  const shape = resolveShape(spec, ports.compute.inventory);
  if ('error' in shape) throw invalid(shape.error);
  assertFitsPool(ports, shape.poolId, shape.workers);
  return shape;
}

/** Returns the quota of the policy of a cluster; undefined without one. */
export function clusterQuotaOf(
  { compute: { inventory } }: Pick<ClusterControlPorts, 'compute'>,
  { spec, creator }: Pick<Cluster, 'spec' | 'creator'>,
): ClusterQuota | undefined {
  const policyId = spec['policy_id'];
  if (typeof policyId !== 'string' || creator === undefined) return undefined;
  const policy = Object.hasOwn(inventory.policies, policyId) ? inventory.policies[policyId] : undefined;
  const maximum = policy?.maxClustersPerUser;
  return maximum === undefined ? undefined : { policyId, creator, maximum };
}

/** @throws ServiceError INVALID_STATE for a cluster whose pool was deleted */
export function assertPoolExists(
  { compute: { inventory } }: Pick<ClusterControlPorts, 'compute'>,
  { clusterId, poolId }: Pick<Cluster, 'clusterId' | 'poolId'>,
): void {
  if (poolId !== '' && !Object.hasOwn(inventory.pools, poolId))
    throw new ServiceError(
      'INVALID_STATE',
      `Cluster ${clusterId} cannot start: its instance pool ${poolId} does not exist.`,
    );
}

/** @throws ServiceError for an unknown cluster */
export async function requireCluster({ clusters }: ClusterControlPorts, clusterId: string): Promise<Cluster> {
  const cluster = await clusters.find(clusterId);
  if (cluster === undefined) throw clusterNotFound(clusterId);
  return cluster;
}

/** @throws ServiceError for an unknown cluster, and for the cluster of a run, which only its run changes */
export async function requireAllPurpose(
  ports: ClusterControlPorts,
  clusterId: string,
  refusal: string,
): Promise<Cluster> {
  const cluster = await requireCluster(ports, clusterId);
  if (cluster.kind === 'JOB') throw invalid(`Cluster ${clusterId} was made for a run; ${refusal}.`);
  return cluster;
}

/** @throws ServiceError for a cluster that is larger than its pool */
export function assertFitsPool(
  { compute: { inventory } }: ClusterControlPorts,
  poolId: string,
  workers: number,
): void {
  const capacity = poolCapacityOf(poolId, inventory);
  if (capacity === undefined || workers + 1 <= capacity) return;
  throw invalid(
    `The cluster would need ${formatNodes(workers + 1, poolId, capacity)}; make it smaller, or the pool larger (RUNYARD_CLUSTERS).`,
  );
}
