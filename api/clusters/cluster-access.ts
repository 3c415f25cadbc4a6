/**
 * Access to clusters. A cluster of a run needs the permission on the job of that run, an all-purpose cluster
 * the level of its access control list.
 */
import type { Cluster } from '../../engine/cluster/cluster.ts';
import { clusterNotFound } from '../../engine/cluster/cluster-not-found.ts';
import {
  clusterPermissionDenied,
  hasClusterPermission,
  type ClusterPermissionLevel,
} from '../../engine/cluster/cluster-permissions.ts';
import { permissionDenied, hasPermission, type PermissionLevel } from '../../engine/job/permissions.ts';
import type { RequestContext } from '../http/operation.ts';
import type { ClusterPermissionStore } from '../../engine/ports/cluster-permissions.ts';
import type { ClusterReader } from '../../engine/ports/clusters.ts';
import type { PermissionReader } from '../../engine/ports/permissions.ts';

/** Ports of every operation on one cluster. */
export interface ClusterAccessPorts {
  readonly clusters: ClusterReader;
  readonly permissions: PermissionReader;
  readonly clusterPermissions: ClusterPermissionStore;
}

/** Level on a cluster -> level on the job, for the clusters of runs. */
const jobLevelOf: Readonly<Record<ClusterPermissionLevel, PermissionLevel>> = {
  CAN_ATTACH_TO: 'CAN_VIEW',
  CAN_RESTART: 'CAN_MANAGE_RUN',
  CAN_MANAGE: 'CAN_MANAGE_RUN',
};

/**
 * Returns a cluster if the caller has the permission level on it.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without the level
 */
export async function getPermittedCluster(
  ports: ClusterAccessPorts,
  clusterId: string,
  context: Pick<RequestContext, 'visibleTo'>,
  level: ClusterPermissionLevel,
): Promise<Cluster> {
  // An id from a path may contain U+0000, which PostgreSQL refuses.
  const cluster = clusterId.includes('\0') ? undefined : await ports.clusters.find(clusterId);
  if (cluster === undefined) throw clusterNotFound(clusterId);
  const missing = await findMissingPermission(ports, cluster, context, level);
  if (missing !== undefined) throw missing;
  return cluster;
}

/** Returns the clusters that the caller may view. */
export async function filterVisibleClusters(
  ports: ClusterAccessPorts,
  clusters: readonly Cluster[],
  context: Pick<RequestContext, 'visibleTo'>,
): Promise<Cluster[]> {
  const visible = await Promise.all(
    clusters.map(async (cluster) =>
      (await findMissingPermission(ports, cluster, context, 'CAN_ATTACH_TO')) === undefined ? [cluster] : [],
    ),
  );
  return visible.flat();
}

/** Returns the error of a caller without the level on a cluster; undefined for one who has it. */
export async function findMissingPermission(
  { permissions, clusterPermissions }: Pick<ClusterAccessPorts, 'permissions' | 'clusterPermissions'>,
  { clusterId, jobRunId, restricted }: Cluster,
  { visibleTo }: Pick<RequestContext, 'visibleTo'>,
  level: ClusterPermissionLevel,
): Promise<Error | undefined> {
  if (visibleTo === undefined) return undefined;
  if (jobRunId === undefined) {
    if (!restricted) return undefined;
    const held = (await clusterPermissions.findLevels([clusterId], visibleTo)).get(clusterId) ?? [];
    return hasClusterPermission(held, level)
      ? undefined
      : clusterPermissionDenied(visibleTo, level, clusterId);
  }
  const needed = jobLevelOf[level];
  const held = await permissions.findLevels('run_id', jobRunId, visibleTo);
  return held !== undefined && !hasPermission(held.levels, needed)
    ? permissionDenied(visibleTo, needed, held.jobId)
    : undefined;
}
