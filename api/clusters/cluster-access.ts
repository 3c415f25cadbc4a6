/**
 * Who may look at a cluster of a run, and end it: whoever may do that with the run. All-purpose clusters are
 * everybody's.
 */
import type { Cluster } from '../../engine/cluster/cluster.ts';
import { permissionDenied, hasPermission, type PermissionLevel } from '../../engine/job/permissions.ts';
import type { RequestContext } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { clusterNotFound } from '../../engine/cluster/cluster-not-found.ts';

type AccessPorts = Pick<ClusterPorts, 'clusters' | 'permissions'>;

/**
 * @throws ServiceError for a cluster that there is not, and for one of a run with which the caller may not do
 * that
 */
export async function getPermittedCluster(
  ports: AccessPorts,
  clusterId: string,
  context: Pick<RequestContext, 'visibleTo'>,
  level: PermissionLevel,
): Promise<Cluster> {
  const cluster = await ports.clusters.find(clusterId);
  // Clients know the text.
  if (cluster === undefined) throw clusterNotFound(clusterId);
  const missing = await findMissingPermission(ports, cluster, context, level);
  if (missing !== undefined) throw missing;
  return cluster;
}

/** The clusters of a list that the caller may see. */
export async function filterVisibleClusters(
  ports: AccessPorts,
  clusters: readonly Cluster[],
  context: Pick<RequestContext, 'visibleTo'>,
): Promise<Cluster[]> {
  const seen = await Promise.all(
    clusters.map(async (cluster) =>
      (await findMissingPermission(ports, cluster, context, 'CAN_VIEW')) === undefined ? [cluster] : [],
    ),
  );
  return seen.flat();
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
