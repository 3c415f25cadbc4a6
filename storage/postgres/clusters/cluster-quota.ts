/** Quota of a cluster policy: active all-purpose clusters of one user. */
import { sql, type Transaction } from 'kysely';
import { ServiceError } from '../../../engine/errors.ts';
import { quote } from '../../../engine/validation/messages.ts';
import type { ClusterQuota } from '../../../engine/ports/clusters.ts';
import { lockUntilCommit } from '../advisory-locks.ts';
import type { Database } from '../schema.ts';

/**
 * Checks that a user may have one more active cluster with a policy. Concurrent checks of a policy run one after the
 * other, so that the quota is exact.
 * @throws ServiceError QUOTA_EXCEEDED
 */
export async function checkClusterQuota(
  transaction: Transaction<Database>,
  quota: ClusterQuota | undefined,
): Promise<void> {
  if (quota === undefined) return;
  const { policyId, creator, maximum } = quota;
  await lockUntilCommit(transaction, 'clusterPolicy', policyId);
  const { count } = await transaction
    .selectFrom('clusters')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('kind', '=', 'ALL_PURPOSE')
    .where('state', '<>', 'TERMINATED')
    .where('creator', '=', creator)
    .where(sql<boolean>`spec ->> 'policy_id' = ${policyId}`)
    .executeTakeFirstOrThrow();
  if (Number(count) >= maximum)
    throw new ServiceError(
      'QUOTA_EXCEEDED',
      `User ${creator} has ${count} active clusters with the policy ${quote(policyId)}; its max_clusters_per_user is ${maximum}.`,
    );
}
