/** Deliveries on their way: from the outbox, to the node that makes them, to what came of each try. */
import { sql, type Kysely, type Selectable } from 'kysely';
import type { Clock } from '../../../engine/clock.ts';
import type { Log } from '../../../engine/ports/log.ts';
import type { AttemptDecision } from '../../../engine/notification/delivery-retry.ts';
import {
  emailQueueKey,
  type ClaimedDelivery,
  type DeliveryAttempt,
} from '../../../engine/notification/delivery.ts';
import type { DeliveryStore } from '../../../engine/ports/notifications.ts';
import { destinationOf } from './destinations.ts';
import { retryTransient } from '../transient-errors.ts';
import { notifyOutbox } from '../outbox/outbox-notify.ts';
import { factsOf } from '../outbox/notification-facts.ts';
import type { Database } from '../schema.ts';
import type { DeliveryTable, DestinationTable } from '../outbox/notification-schema.ts';

/** Any number that nobody else takes for advisory locks of this database. */
const outboxLock = 7_022;

export function createDeliveryStore(db: Kysely<Database>, clock: Clock, log: Log): DeliveryStore {
  return {
    dispatchOutboxEvents: (now, limit) => dispatchOutbox(db, now, limit),
    findDueQueueKeys: (now) => listDueQueues(db, now),
    claim: (way, nodeId, now, limit) => claimDeliveries(db, way, nodeId, now, limit),
    findSubjectFacts: (subject) => factsOf(db, subject),
    async saveMessage(deliveryId, message) {
      await db
        .updateTable('deliveries')
        .set({ message: JSON.stringify(message) })
        .where('delivery_id', '=', deliveryId)
        .execute();
    },
    recordAttempt: (deliveryId, nodeId, attempt, after) =>
      retryTransient(clock, log, () => recordAttempt(db, deliveryId, nodeId, attempt, after)),
    postpone: (deliveryId, nodeId, until) =>
      retryTransient(clock, log, async () => {
        await db
          .updateTable('deliveries')
          .set({ claimed_by: null, next_attempt_time: until })
          .where('delivery_id', '=', deliveryId)
          .where('claimed_by', '=', nodeId)
          .execute();
      }),
    async release(nodeId) {
      await db
        .updateTable('deliveries')
        .set({ claimed_by: null })
        .where('state', '=', 'pending')
        .where('claimed_by', '=', nodeId)
        .execute();
    },
  };
}

/** One engine after the other, so that the notices of a run become deliveries in their order. */
function dispatchOutbox(db: Kysely<Database>, now: number, limit: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${outboxLock})`.execute(transaction);
    const { rows } = await sql<{ way: string; count: number }>`
      with taken as (
        update outbox set taken_time = ${now}
        where notice_id in (select notice_id from outbox where taken_time is null order by notice_id limit ${limit})
        returning *),
      made as (
        insert into deliveries (notice_id, event, channel, way, lane, destination_id, address, job_id, job_run_id, run_id, task_key,
          created_time, facts, next_attempt_time)
        select notice_id, event, channel, way, way || ' ' || recipient || ' ' || coalesce('run ' || whole_run_id, 'job ' || job_id, 'token'),
          case channel when 'webhook' then recipient::uuid end, case channel when 'email' then recipient end,
          job_id, whole_run_id, run_id, task_key, created_time, facts, ${now}
        from (select taken.*, case channel when 'webhook' then recipient else ${emailQueueKey} end as way,
            coalesce((select job_run_id from task_runs where task_runs.run_id = taken.run_id), taken.run_id) as whole_run_id
          from taken where channel = 'email' or recipient ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') as notice
        order by notice_id
        returning way)
      select way, count(*) from made group by way
      union all select '', count(*) from taken`.execute(transaction);
    for (const { way } of rows) if (way !== '') await notifyOutbox(transaction, way);
    return rows.find(({ way }) => way === '')?.count ?? 0;
  });
}

async function listDueQueues(
  db: Kysely<Database>,
  now: number,
): Promise<{ due: string[]; next: number | undefined }> {
  const { rows } = await sql<{ way: string; due: boolean; next: number | null }>`
    select way, min(next_attempt_time) <= ${now} as due, min(next_attempt_time) filter (where next_attempt_time > ${now}) as next
    from deliveries where state = 'pending' group by way`.execute(db);
  const times = rows.flatMap(({ next }) => (next === null ? [] : [next]));
  return {
    due: rows.filter(({ due }) => due).map(({ way }) => way),
    next: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** Leases are kept by the clock of the database. */
const databaseNow = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

async function claimDeliveries(
  db: Kysely<Database>,
  way: string,
  nodeId: string,
  now: number,
  limit: number,
): Promise<ClaimedDelivery[]> {
  // Materialized: joined in a loop, the rows with their limit would be looked for more than once.
  const { rows } = await sql<Selectable<DeliveryTable>>`
    with free as materialized (
      select delivery_id as id from deliveries as one
      where state = 'pending' and way = ${way} and next_attempt_time <= ${now}
        and (claimed_by is null or not exists (select from nodes where node_id = claimed_by and lease_until > ${databaseNow}))
        and not exists (select from deliveries as earlier where earlier.state = 'pending' and earlier.lane = one.lane
          and earlier.delivery_number < one.delivery_number)
      order by next_attempt_time, delivery_number limit ${limit} for update skip locked)
    update deliveries set claimed_by = ${nodeId} from free where delivery_id = free.id
    returning deliveries.*`.execute(db);
  const ids = [...new Set(rows.flatMap((row) => row.destination_id ?? []))];
  const destinations =
    ids.length === 0
      ? []
      : await db.selectFrom('destinations').selectAll().where('destination_id', 'in', ids).execute();
  const byId = new Map(destinations.map((row) => [row.destination_id, row]));
  return rows
    .map((row) => toClaimedDelivery(row, byId))
    .toSorted((one, other) => one.createdTime - other.createdTime);
}

function toClaimedDelivery(
  row: Selectable<DeliveryTable>,
  destinations: ReadonlyMap<string, Selectable<DestinationTable>>,
): ClaimedDelivery {
  const destination = destinations.get(row.destination_id ?? '');
  return {
    deliveryId: row.delivery_id,
    event: row.event,
    to:
      row.destination_id === null
        ? { address: row.address ?? '' }
        : {
            destinationId: row.destination_id,
            destination: destination === undefined ? undefined : destinationOf(destination),
          },
    jobId: row.job_id ?? undefined,
    runId: row.run_id ?? undefined,
    taskKey: row.task_key ?? undefined,
    createdTime: row.created_time,
    facts: row.facts,
    message: row.message ?? undefined,
    attempts: row.attempts,
    roundAttempts: row.round_tries,
    roundStartTime: row.round_start_time ?? undefined,
  };
}

function recordAttempt(
  db: Kysely<Database>,
  deliveryId: string,
  nodeId: string,
  attempt: DeliveryAttempt,
  after: AttemptDecision,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('deliveries')
      .set((delivery) => ({
        state: after.state,
        next_attempt_time: after.state === 'pending' ? after.nextAttemptTime : null,
        attempts: delivery('attempts', '+', 1),
        round_tries: delivery('round_tries', '+', 1),
        round_start_time: delivery.fn.coalesce('round_start_time', delivery.val(attempt.time)),
        claimed_by: null,
      }))
      .where('delivery_id', '=', deliveryId)
      .where('claimed_by', '=', nodeId)
      .returning('attempts')
      .executeTakeFirst();
    if (row === undefined) return;
    await transaction
      .insertInto('delivery_attempts')
      .values({
        delivery_id: deliveryId,
        number: row.attempts,
        time: attempt.time,
        duration_ms: Math.max(0, Math.round(attempt.durationMs)),
        status: attempt.status ?? null,
        answer: attempt.response ?? null,
        error: attempt.error ?? null,
      })
      .execute();
  });
}
