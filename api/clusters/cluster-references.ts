/**
 * Checks that pools and policies named in settings exist, and existing clusters if the configuration requires
 * it.
 */
import { invalid } from '../../engine/errors.ts';
import { applyPolicy } from '../../engine/cluster/cluster-policy.ts';
import { unknownNameError, type Inventory } from '../../engine/cluster/inventory.ts';
import type { ClusterReader } from '../../engine/ports/clusters.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import { fieldPath } from '../../engine/validation/messages.ts';
import type { RequestContext } from '../http/operation.ts';
import { findMissingPermission } from './cluster-access.ts';
import { clusterNotFound } from '../../engine/cluster/cluster-not-found.ts';

export interface ClusterRules {
  readonly inventory: Inventory;
  /** True: existing_cluster_id must name an existing cluster that is not terminated. */
  readonly requireExisting: boolean;
  readonly find: ClusterReader['find'];
  /** Permissions on clusters; checked for callers whose permissions are limited. */
  readonly access: Parameters<typeof findMissingPermission>[0];
}

type ClusterReferences = Pick<JobSettings, 'existing_cluster_id' | 'new_cluster'>;

/**
 * @throws ServiceError INVALID_PARAMETER_VALUE for the first unknown pool, policy or cluster; PERMISSION_DENIED for a
 * cluster that the caller may not use
 */
export async function checkClusterReferences(
  rules: ClusterRules,
  settings: ClusterReferences & Pick<JobSettings, 'tasks' | 'job_clusters'>,
  context: Pick<RequestContext, 'visibleTo'>,
): Promise<void> {
  const holders: [string, ClusterReferences][] = [
    ['', settings],
    ...(settings.tasks ?? []).map((task, index): [string, ClusterReferences] => [`tasks[${index}]`, task]),
    ...(settings.job_clusters ?? []).map((cluster, index): [string, ClusterReferences] => [
      `job_clusters[${index}]`,
      cluster,
    ]),
  ];
  for (const [path, { new_cluster: spec }] of holders) {
    if (spec === undefined) continue;
    const unknown = unknownNameError(spec, rules.inventory);
    if (unknown !== undefined) throw invalid(fieldPath(path, `new_cluster.${unknown}`));
    const described = applyPolicy(spec, rules.inventory, 'JOB');
    if ('error' in described) throw invalid(`${described.error}, in ${fieldPath(path, 'new_cluster')}`);
  }
  await checkExistingClusters(rules, settings, context);
}

/**
 * @param context the caller, who needs CAN_ATTACH_TO on the clusters
 * @throws ServiceError for an unknown or terminated cluster, if existing clusters are required; PERMISSION_DENIED
 */
export async function checkExistingClusters(
  { requireExisting, find, access }: ClusterRules,
  settings: ClusterReferences & Pick<JobSettings, 'tasks'>,
  context: Pick<RequestContext, 'visibleTo'>,
): Promise<void> {
  if (!requireExisting && context.visibleTo === undefined) return;
  const named = [settings, ...(settings.tasks ?? [])].flatMap(({ existing_cluster_id: id = '' }) =>
    id === '' ? [] : [id],
  );
  for (const clusterId of new Set(named)) {
    const cluster = await find(clusterId);
    if (cluster === undefined && requireExisting) throw clusterNotFound(clusterId);
    if (cluster === undefined) continue;
    const missing = await findMissingPermission(access, cluster, context, 'CAN_ATTACH_TO');
    if (missing !== undefined) throw missing;
    if (cluster.state === 'TERMINATED' && requireExisting)
      throw invalid('The cluster is in Terminated state, not available to receive jobs.');
  }
}
