/** Stored notification destinations. Secrets are stored in plain text: every delivery signs with them. */
import { sql, type Kysely, type Selectable } from 'kysely';
import { ServiceError } from '../../../engine/errors.ts';
import type { Destination } from '../../../engine/notification/destination.ts';
import type { DestinationStore, NewDestination } from '../../../engine/ports/notifications.ts';
import { lockUntilCommit } from '../advisory-locks.ts';
import { notifyOutbox } from '../outbox/outbox-notify.ts';
import type { DestinationTable } from '../outbox/notification-schema.ts';
import type { Database } from '../schema.ts';

export function createDestinationStore(db: Kysely<Database>): DestinationStore {
  return {
    create: (destination, maximum) => createDestination(db, destination, maximum),
    find: (id) => findDestination(db, id),
    async list(after, limit) {
      const rows = await db
        .selectFrom('destinations')
        .selectAll()
        .where('destination_number', '>', after ?? 0)
        .orderBy('destination_number')
        .limit(limit)
        .execute();
      return rows.map(destinationOf);
    },
    update: (id, change) => changeDestination(db, id, change),
    async remove(id) {
      if (!isUuid(id)) return false;
      const { numDeletedRows } = await db
        .deleteFrom('destinations')
        .where('destination_id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
    async findUnknownIds(ids) {
      const possible = ids.filter(isUuid);
      const known =
        possible.length === 0
          ? []
          : await db
              .selectFrom('destinations')
              .select('destination_id')
              .where('destination_id', 'in', possible)
              .execute();
      const found = new Set(known.map((row) => row.destination_id));
      return ids.filter((id) => !found.has(id));
    },
    createTestDelivery: (id, now) => testDestination(db, id, now),
  };
}

/** Returns true for a UUID in lower case, the form in which ids are stored and compared as text. */
export function isUuid(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);
}

export function destinationOf(row: Selectable<DestinationTable>): Destination {
  return {
    destinationId: row.destination_id,
    number: row.destination_number,
    displayName: row.display_name,
    target: row.target,
    secrets: row.secrets ?? undefined,
  };
}

function createDestination(
  db: Kysely<Database>,
  { displayName, target, secrets, now }: NewDestination,
  maximum: number,
): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, 'destinationCreation');
    const { count } = await transaction
      .selectFrom('destinations')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= maximum)
      throw new ServiceError(
        'QUOTA_EXCEEDED',
        `There are ${count} notification destinations; at most ${maximum} are allowed. Delete some that no job needs.`,
      );
    const { destination_id: id } = await transaction
      .insertInto('destinations')
      .values({
        display_name: displayName,
        target: JSON.stringify(target),
        secrets: secrets === undefined ? null : JSON.stringify(secrets),
        created_time: now,
      })
      .returning('destination_id')
      .executeTakeFirstOrThrow();
    return id;
  });
}

async function findDestination(db: Kysely<Database>, id: string): Promise<Destination | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await db
    .selectFrom('destinations')
    .selectAll()
    .where('destination_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : destinationOf(row);
}

async function changeDestination(
  db: Kysely<Database>,
  id: string,
  change: (before: Destination) => Destination,
): Promise<Destination | undefined> {
  if (!isUuid(id)) return undefined;
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('destinations')
      .selectAll()
      .where('destination_id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const after = change(destinationOf(row));
    await transaction
      .updateTable('destinations')
      .set({
        display_name: after.displayName,
        target: JSON.stringify(after.target),
        secrets: after.secrets === undefined ? null : JSON.stringify(after.secrets),
      })
      .where('destination_id', '=', id)
      .execute();
    return after;
  });
}

async function testDestination(db: Kysely<Database>, id: string, now: number): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const { delivery_id: deliveryId } = await transaction
      .insertInto('deliveries')
      .values({
        outbox_event_id: null,
        event: 'test',
        channel: 'webhook',
        queue_key: id,
        ordering_key: sql<string>`gen_random_uuid()::text`,
        destination_id: id,
        address: null,
        job_id: null,
        job_run_id: null,
        run_id: null,
        task_key: null,
        created_time: now,
        facts: '{}',
        message: null,
        round_start_time: null,
        next_attempt_time: now,
        claimed_by: null,
      })
      .returning('delivery_id')
      .executeTakeFirstOrThrow();
    await notifyOutbox(transaction, id);
    return deliveryId;
  });
}
