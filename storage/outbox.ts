/** Notices waiting for delivery. They are written by the transaction of what they announce. */
import type { Kysely } from 'kysely';
import type { Notice } from '../engine/notification/notice.ts';
import type { Database } from './schema.ts';

/** Notices of one statement: the protocol allows 65,535 values, and a notice has eight. */
const statementMax = 1_000;

/** Stores notices; call it inside the transaction that changes the state. */
export async function insertNotices(db: Kysely<Database>, notices: readonly Notice[]): Promise<void> {
  for (let start = 0; start < notices.length; start += statementMax) {
    await db.insertInto('outbox').values(notices.slice(start, start + statementMax).map((notice) => ({
      event: notice.event,
      channel: notice.channel,
      recipient: notice.recipient,
      job_id: notice.jobId,
      run_id: notice.runId ?? null,
      task_key: notice.taskKey ?? null,
      created_time: notice.createdTime,
      delivered_time: null,
    }))).execute();
  }
}
