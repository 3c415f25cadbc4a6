/** Log of deliveries with their attempts; redelivery and removal of old entries. */
import { sql, type Kysely, type Selectable } from 'kysely';
import type { DeliveryAttempt, DeliveryRecord } from '../../../engine/notification/delivery.ts';
import type { DeliveryFilter, DeliveryLog } from '../../../engine/ports/notifications.ts';
import { isUuid } from './destinations.ts';
import { jobsVisibleTo } from '../jobs/job-permissions.ts';
import { notifyOutbox } from '../outbox/outbox-notify.ts';
import type { DeliveryTable } from '../outbox/notification-schema.ts';
import type { Database } from '../schema.ts';

export function createDeliveryLog(db: Kysely<Database>): DeliveryLog {
  return {
    list: (filter) => inSnapshot(db, (snapshot) => listDeliveries(snapshot, filter)),
    async find(deliveryId) {
      if (!isUuid(deliveryId)) return undefined;
      return inSnapshot(db, async (snapshot) => {
        const query = snapshot.selectFrom('deliveries').selectAll().where('delivery_id', '=', deliveryId);
        return (await withAttempts(snapshot, await query.execute()))[0];
      });
    },
    redeliver: (deliveryId, now) => redeliver(db, deliveryId, now),
  };
}

/** Reads in one snapshot, so that a delivery and its attempts belong together. */
function inSnapshot<Result>(
  db: Kysely<Database>,
  read: (snapshot: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

async function listDeliveries(db: Kysely<Database>, filter: DeliveryFilter): Promise<DeliveryRecord[]> {
  const { jobId, runId, destinationId, state, visibleTo, before, limit } = filter;
  if (destinationId !== undefined && !isUuid(destinationId)) return [];
  let query = db.selectFrom('deliveries').selectAll().orderBy('delivery_number', 'desc').limit(limit);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  if (runId !== undefined)
    query = query.where((row) => row.or([row('run_id', '=', runId), row('job_run_id', '=', runId)]));
  if (destinationId !== undefined) query = query.where('destination_id', '=', destinationId);
  if (state !== undefined) query = query.where('state', '=', state);
  if (before !== undefined) query = query.where('delivery_number', '<', before);
  if (visibleTo !== undefined) query = query.where('job_id', 'in', jobsVisibleTo(db, visibleTo));
  return withAttempts(db, await query.execute());
}

async function withAttempts(
  db: Kysely<Database>,
  rows: readonly Selectable<DeliveryTable>[],
): Promise<DeliveryRecord[]> {
  const ids = rows.map((row) => row.delivery_id);
  const attempts =
    ids.length === 0
      ? []
      : await db
          .selectFrom('delivery_attempts')
          .selectAll()
          .where('delivery_id', 'in', ids)
          .orderBy('delivery_id')
          .orderBy('number')
          .execute();
  const byDelivery = Map.groupBy(attempts, (row) => row.delivery_id);
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    number: row.delivery_number,
    event: row.event,
    channel: row.channel,
    destinationId: row.destination_id ?? undefined,
    address: row.address ?? undefined,
    jobId: row.job_id ?? undefined,
    runId: row.run_id ?? undefined,
    taskKey: row.task_key ?? undefined,
    createdTime: row.created_time,
    state: row.state,
    nextAttemptTime: row.next_attempt_time ?? undefined,
    attempts: (byDelivery.get(row.delivery_id) ?? []).map((attempt): DeliveryAttempt => ({
      time: attempt.time,
      durationMs: attempt.duration_ms,
      status: attempt.status ?? undefined,
      response: attempt.answer ?? undefined,
      error: attempt.error ?? undefined,
    })),
  }));
}

/**
 * Makes a delivery due now, with a new round of attempts. A claimed delivery is not changed: it is being
 * sent.
 */
async function redeliver(db: Kysely<Database>, deliveryId: string, now: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('deliveries')
      .set({ state: 'pending', next_attempt_time: now, round_attempts: 0, round_start_time: null })
      .where('delivery_id', '=', deliveryId)
      .where('claimed_by', 'is', null)
      .returning('queue_key')
      .executeTakeFirst();
    if (row !== undefined) await notifyOutbox(transaction, row.queue_key);
  });
}

/**
 * Removes up to `limit` deliveries, with their attempts, that were created before `before` (epoch ms) and are
 * not pending. Returns their ids.
 */
export async function removeOldDeliveries(
  db: Kysely<Database>,
  before: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ delivery_id: string }>`
    delete from deliveries where delivery_id in (
      select delivery_id from deliveries where created_time < ${before} and state <> 'pending'
      order by created_time limit ${limit})
    returning delivery_id`.execute(db);
  return rows.map((row) => row.delivery_id);
}

/**
 * Removes up to `limit` dispatched outbox events that were created before `before` (epoch ms). Returns their
 * number.
 */
export async function removeOldOutboxEvents(
  db: Kysely<Database>,
  before: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from outbox where outbox_event_id in (
      select outbox_event_id from outbox where created_time < ${before} and dispatched_time is not null
      order by created_time limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}
