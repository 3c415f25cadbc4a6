/** Store of deliveries: dispatch of outbox events, claims of due deliveries, and recorded attempts. */
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
import { lockUntilCommit } from '../advisory-locks.ts';
import { factsOf } from '../outbox/notification-facts.ts';
import type { Database } from '../schema.ts';
import type { DeliveryTable, DestinationTable } from '../outbox/notification-schema.ts';

export function createDeliveryStore(db: Kysely<Database>, clock: Clock, log: Log): DeliveryStore {
  return {
    dispatchOutboxEvents: (now, limit) => dispatchOutbox(db, now, limit),
    findDueQueueKeys: (now) => listDueQueues(db, now),
    claim: (queueKey, nodeId, now, limit) => claimDeliveries(db, queueKey, nodeId, now, limit),
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

/** Turns outbox events into deliveries. Engines take turns, so that the events of a run keep their order. */
function dispatchOutbox(db: Kysely<Database>, now: number, limit: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, 'outboxDispatch');
    const { rows } = await sql<{ queue_key: string; count: number }>`
      with dispatched as (
        update outbox set dispatched_time = ${now}
        where outbox_event_id in (
          select outbox_event_id from outbox where dispatched_time is null order by outbox_event_id limit ${limit})
        returning *),
      created as (
        insert into deliveries (outbox_event_id, event, channel, queue_key, ordering_key, destination_id, address,
          job_id, job_run_id, run_id, task_key, created_time, facts, next_attempt_time)
        select outbox_event_id, event, channel, queue_key,
          queue_key || ' ' || recipient || ' ' || coalesce('run ' || job_run_id, 'job ' || job_id, 'token'),
          case channel when 'webhook' then recipient::uuid end, case channel when 'email' then recipient end,
          job_id, job_run_id, run_id, task_key, created_time, facts, ${now}
        from (select dispatched.*, case channel when 'webhook' then recipient else ${emailQueueKey} end as queue_key,
            coalesce((select job_run_id from task_runs where task_runs.run_id = dispatched.run_id), dispatched.run_id)
              as job_run_id
          from dispatched
          where channel = 'email' or recipient ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') as outbox_event
        order by outbox_event_id
        returning queue_key)
      select queue_key, count(*) from created group by queue_key
      union all select '', count(*) from dispatched`.execute(transaction);
    for (const { queue_key: queueKey } of rows)
      if (queueKey !== '') await notifyOutbox(transaction, queueKey);
    return rows.find(({ queue_key: queueKey }) => queueKey === '')?.count ?? 0;
  });
}

async function listDueQueues(
  db: Kysely<Database>,
  now: number,
): Promise<{ due: string[]; next: number | undefined }> {
  const { rows } = await sql<{ queue_key: string; due: boolean; next: number | null }>`
    select queue_key, min(next_attempt_time) <= ${now} as due,
      min(next_attempt_time) filter (where next_attempt_time > ${now}) as next
    from deliveries where state = 'pending' group by queue_key`.execute(db);
  const times = rows.flatMap(({ next }) => (next === null ? [] : [next]));
  return {
    due: rows.filter(({ due }) => due).map((row) => row.queue_key),
    next: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** Time of the database's clock, by which leases are kept. */
const databaseNow = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

async function claimDeliveries(
  db: Kysely<Database>,
  queueKey: string,
  nodeId: string,
  now: number,
  limit: number,
): Promise<ClaimedDelivery[]> {
  // Materialized: in a nested loop, the subquery with its limit would run more than once.
  const { rows } = await sql<Selectable<DeliveryTable>>`
    with free as materialized (
      select delivery_id as id from deliveries as candidate
      where state = 'pending' and queue_key = ${queueKey} and next_attempt_time <= ${now}
        and (claimed_by is null
          or not exists (select from nodes where node_id = claimed_by and lease_until > ${databaseNow}))
        and not exists (select from deliveries as earlier
          where earlier.state = 'pending' and earlier.ordering_key = candidate.ordering_key
            and earlier.delivery_number < candidate.delivery_number)
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
    roundAttempts: row.round_attempts,
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
        round_attempts: delivery('round_attempts', '+', 1),
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
