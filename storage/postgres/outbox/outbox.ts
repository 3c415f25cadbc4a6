/** The transactional outbox: the transaction that changes a state inserts the outbox events. */
import type { Kysely } from 'kysely';
import type { RunNotification } from '../../../engine/run/notification.ts';
import { notifyOutbox } from './outbox-notify.ts';
import type { Database } from '../schema.ts';
import { toStorableJson, toStorableText } from '../storable-text.ts';

/** Rows in one statement: the protocol allows 65,535 values, and an outbox event has nine. */
const rowsPerStatement = 1_000;

/**
 * Inserts outbox events; called inside the transaction that changes the state. The commit wakes the
 * dispatchers.
 */
export async function insertOutboxEvents(
  db: Kysely<Database>,
  notifications: readonly RunNotification[],
): Promise<void> {
  for (let start = 0; start < notifications.length; start += rowsPerStatement) {
    await db
      .insertInto('outbox')
      .values(
        notifications
          .slice(start, start + rowsPerStatement)
          .map((notification) => ({
            event: notification.event,
            channel: notification.channel,
            recipient: toStorableText(notification.recipient),
            job_id: notification.jobId ?? null,
            run_id: notification.runId ?? null,
            task_key: notification.taskKey ?? null,
            created_time: notification.createdTime,
            facts: toStorableJson(notification.facts ?? {}),
            dispatched_time: null,
          })),
      )
      .execute();
  }
  if (notifications.length > 0) await notifyOutbox(db);
}
