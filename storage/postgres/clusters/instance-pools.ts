/** Instance pools that the API manages. */
import type { Kysely } from 'kysely';
import { ServiceError } from '../../../engine/errors.ts';
import type { InstancePool, PoolUse } from '../../../engine/cluster/instance-pool.ts';
import type { InstancePoolStore } from '../../../engine/ports/inventory-stores.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';
import { checkNameIsFree, notifyInventory } from './inventory-names.ts';

export function createInstancePoolStore(db: Kysely<Database>): InstancePoolStore {
  return bindDatabase(db, {
    list: listPools,
    create: createPool,
    edit: editPool,
    remove: removePool,
    countUse: countPoolUse,
  });
}

const names = { table: 'instance_pools', idColumn: 'instance_pool_id', title: 'instance pool' };

async function listPools(db: Kysely<Database>): Promise<InstancePool[]> {
  const rows = await db.selectFrom('instance_pools').selectAll().orderBy('name').execute();
  return rows.map((row) => ({
    instancePoolId: row.instance_pool_id,
    name: row.name,
    spec: row.spec,
    createdTime: row.created_time,
  }));
}

function createPool(db: Kysely<Database>, pool: InstancePool): Promise<void> {
  const { instancePoolId, name, spec, createdTime } = pool;
  return db.transaction().execute(async (transaction) => {
    await checkNameIsFree(transaction, names, name, instancePoolId);
    await transaction
      .insertInto('instance_pools')
      .values({
        instance_pool_id: instancePoolId,
        name,
        spec: JSON.stringify(spec),
        created_time: createdTime,
      })
      .execute();
    await notifyInventory(transaction);
  });
}

function editPool(
  db: Kysely<Database>,
  { instancePoolId, name, spec }: Pick<InstancePool, 'instancePoolId' | 'name' | 'spec'>,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await checkNameIsFree(transaction, names, name, instancePoolId);
    const { numUpdatedRows } = await transaction
      .updateTable('instance_pools')
      .set({ name, spec: JSON.stringify(spec) })
      .where('instance_pool_id', '=', instancePoolId)
      .executeTakeFirst();
    await notifyInventory(transaction);
    return numUpdatedRows > 0n;
  });
}

function removePool(db: Kysely<Database>, instancePoolId: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('instance_pools')
      .where('instance_pool_id', '=', instancePoolId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    const user = await transaction
      .selectFrom('clusters')
      .select('cluster_id')
      .where('pool_id', '=', instancePoolId)
      .where('state', '<>', 'TERMINATED')
      .orderBy('cluster_id')
      .executeTakeFirst();
    if (user !== undefined)
      throw new ServiceError(
        'INVALID_STATE',
        `The instance pool ${instancePoolId} has nodes in use by cluster ${user.cluster_id}; terminate its clusters first.`,
      );
    await notifyInventory(transaction);
    return true;
  });
}

async function countPoolUse(db: Kysely<Database>): Promise<ReadonlyMap<string, PoolUse>> {
  const rows = await db
    .selectFrom('clusters')
    .select(({ fn }) => [
      'pool_id',
      fn.sum<string>('granted_nodes').as('held'),
      fn.sum<string>('requested_nodes').as('requested'),
    ])
    .where('state', '<>', 'TERMINATED')
    .groupBy('pool_id')
    .execute();
  return new Map(
    rows.map(({ pool_id: poolId, held, requested }) => [
      poolId,
      { held: Number(held), wanted: Number(requested) - Number(held) },
    ]),
  );
}
