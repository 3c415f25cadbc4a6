/** Cluster policies that the API manages. */
import type { Kysely } from 'kysely';
import type { StoredPolicy } from '../../../engine/cluster/cluster-policy.ts';
import type { ClusterPolicyStore } from '../../../engine/ports/inventory-stores.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';
import { checkNameIsFree, notifyInventory } from './inventory-names.ts';

export function createClusterPolicyStore(db: Kysely<Database>): ClusterPolicyStore {
  return bindDatabase(db, {
    list: listPolicies,
    create: createPolicy,
    edit: editPolicy,
    remove: removePolicy,
  });
}

const names = { table: 'cluster_policies', idColumn: 'policy_id', title: 'cluster policy' };

async function listPolicies(db: Kysely<Database>): Promise<StoredPolicy[]> {
  const rows = await db.selectFrom('cluster_policies').selectAll().orderBy('name').execute();
  return rows.map((row) => ({
    policyId: row.policy_id,
    name: row.name,
    definition: row.definition,
    description: row.description,
    maxClustersPerUser: row.max_clusters_per_user ?? undefined,
    creator: row.creator,
    createdTime: row.created_time,
  }));
}

function createPolicy(db: Kysely<Database>, policy: StoredPolicy): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await checkNameIsFree(transaction, names, policy.name, policy.policyId);
    await transaction
      .insertInto('cluster_policies')
      .values({
        ...columnsOf(policy),
        policy_id: policy.policyId,
        creator: policy.creator,
        created_time: policy.createdTime,
      })
      .execute();
    await notifyInventory(transaction);
  });
}

function editPolicy(
  db: Kysely<Database>,
  policy: Omit<StoredPolicy, 'creator' | 'createdTime'>,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await checkNameIsFree(transaction, names, policy.name, policy.policyId);
    const { numUpdatedRows } = await transaction
      .updateTable('cluster_policies')
      .set(columnsOf(policy))
      .where('policy_id', '=', policy.policyId)
      .executeTakeFirst();
    await notifyInventory(transaction);
    return numUpdatedRows > 0n;
  });
}

function columnsOf({
  name,
  definition,
  description,
  maxClustersPerUser,
}: Omit<StoredPolicy, 'policyId' | 'creator' | 'createdTime'>) {
  return { name, definition, description, max_clusters_per_user: maxClustersPerUser ?? null };
}

function removePolicy(db: Kysely<Database>, policyId: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('cluster_policies')
      .where('policy_id', '=', policyId)
      .executeTakeFirst();
    await notifyInventory(transaction);
    return numDeletedRows > 0n;
  });
}
