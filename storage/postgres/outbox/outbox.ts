/** Notices waiting for delivery. They are written by the transaction of what they announce. */
import type { Kysely } from 'kysely';
import type { RunNotification } from '../../../engine/run/notification.ts';
import { notifyOutbox } from './outbox-notify.ts';
import type { Database } from '../schema.ts';

/** Notices of one statement: the protocol allows 65,535 values, and a notice has nine. */
const rowsPerStatement = 1_000;

/**
 * Stores notices; call it inside the transaction that changes the state. Its commit wakes whoever delivers
 * them.
 */
export async function insertOutboxEvents(
  db: Kysely<Database>,
  notices: readonly RunNotification[],
): Promise<void> {
  for (let start = 0; start < notices.length; start += rowsPerStatement) {
    await db
      .insertInto('outbox')
      .values(
        notices
          .slice(start, start + rowsPerStatement)
          .map((notice) => ({
            event: notice.event,
            channel: notice.channel,
            recipient: toStorableText(notice.recipient),
            job_id: notice.jobId ?? null,
            run_id: notice.runId ?? null,
            task_key: notice.taskKey ?? null,
            created_time: notice.createdTime,
            facts: toStorableText(JSON.stringify(notice.facts ?? {})),
            taken_time: null,
          })),
      )
      .execute();
  }
  if (notices.length > 0) await notifyOutbox(db);
}

/**
 * PostgreSQL's text holds no NUL character, and its JSON no half of a surrogate pair; messages of failures
 * may.
 */
function toStorableText(text: string): string {
  return text
    .replaceAll('\0', '\uFFFD')
    .replaceAll('\\u0000', '\\ufffd')
    .replaceAll(/\\ud[89a-f][\da-f]{2}/g, '\\ufffd')
    .toWellFormed();
}
