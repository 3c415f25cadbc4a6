/**
 * Access to clusters. A cluster of a run needs the permission on the job of that run; all-purpose clusters
 * are open to all users.
 */
import type { Cluster } from '../../engine/cluster/cluster.ts';
import { permissionDenied, hasPermission, type PermissionLevel } from '../../engine/job/permissions.ts';
import type { RequestContext } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { clusterNotFound } from '../../engine/cluster/cluster-not-found.ts';

type AccessPorts = Pick<ClusterPorts, 'clusters' | 'permissions'>;

/**
 * Returns a cluster if the caller has the permission level on it.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED for a run cluster without the level
 */
export async function getPermittedCluster(
  ports: AccessPorts,
  clusterId: string,
  context: Pick<RequestContext, 'visibleTo'>,
  level: PermissionLevel,
): Promise<Cluster> {
  const cluster = await ports.clusters.find(clusterId);
  if (cluster === undefined) throw clusterNotFound(clusterId);
  const missing = await findMissingPermission(ports, cluster, context, level);
  if (missing !== undefined) throw missing;
  return cluster;
}

/** Returns the clusters that the caller may view. */
export async function filterVisibleClusters(
  ports: AccessPorts,
  clusters: readonly Cluster[],
  context: Pick<RequestContext, 'visibleTo'>,
): Promise<Cluster[]> {
  const visible = await Promise.all(
    clusters.map(async (cluster) =>
      (await findMissingPermission(ports, cluster, context, 'CAN_VIEW')) === undefined ? [cluster] : [],
    ),
  );
  return visible.flat();
}

async function findMissingPermission(
  { permissions }: AccessPorts,
  { jobRunId }: Cluster,
  { visibleTo }: Pick<RequestContext, 'visibleTo'>,
  level: PermissionLevel,
): Promise<Error | undefined> {
  if (jobRunId === undefined || visibleTo === undefined) return undefined;
  const held = await permissions.findLevels('run_id', jobRunId, visibleTo);
  return held !== undefined && !hasPermission(held.levels, level)
    ? permissionDenied(visibleTo, level, held.jobId)
    : undefined;
}
