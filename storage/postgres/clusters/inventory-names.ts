/** Names of pools and policies: refusal of a taken one, and the notification of a change. */
import { sql, type Kysely } from 'kysely';
import { ServiceError } from '../../../engine/errors.ts';
import { quote } from '../../../engine/validation/messages.ts';
import { notify } from '../listen.ts';
import type { Database } from '../schema.ts';
import { clusterChannel } from './cluster-rows.ts';

/** Payload on the channel of clusters: the pools or the policies have changed. */
export const inventoryPayload = 'inventory';

/** Notifies all engines that the pools or policies have changed. */
export async function notifyInventory(db: Kysely<Database>): Promise<void> {
  await notify(db, clusterChannel, inventoryPayload);
}

/**
 * Refuses a name that another row has. Concurrent writers wait: the table is locked against them.
 * @param ownId id of the row that may have the name
 * @throws ServiceError RESOURCE_ALREADY_EXISTS
 */
export async function checkNameIsFree(
  transaction: Kysely<Database>,
  { table, idColumn, title }: { readonly table: string; readonly idColumn: string; readonly title: string },
  name: string,
  ownId: string,
): Promise<void> {
  await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(transaction);
  const { rows } = await sql<{ id: string }>`
    select ${sql.ref(idColumn)} as id from ${sql.table(table)}
    where name = ${name} and ${sql.ref(idColumn)} <> ${ownId}`.execute(transaction);
  const [other] = rows;
  if (other !== undefined)
    throw new ServiceError(
      'RESOURCE_ALREADY_EXISTS',
      `The ${title} ${other.id} has the name ${quote(name)} already; names must be unique.`,
    );
}
