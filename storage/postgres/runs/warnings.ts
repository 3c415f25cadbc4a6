/**
 * What is noted about an attempt or a run beside its state: that it lasted too long, and that its own time is
 * over.
 */
import type { Kysely } from 'kysely';
import type { DurationWarning } from '../../../engine/ports/runs.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import type { Database } from '../schema.ts';

/** Stores a warning with its notices, once, if what it is about is still active and ours. */
export function storeWarning(
  db: Kysely<Database>,
  { kind, runId, fence, at, notifications }: DurationWarning,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const warned = await transaction
      .updateTable(kind === 'run' ? 'runs' : 'task_runs')
      .set({ warned_time: at })
      .where('run_id', '=', runId)
      .where('fence', '=', fence)
      .where('active', '=', true)
      .where('warned_time', 'is', null)
      .returning('run_id')
      .executeTakeFirst();
    if (warned !== undefined) await insertOutboxEvents(transaction, notifications);
  });
}

/** Notes that the time of an attempt is over, so that an engine that adopts it knows why it ends. */
export async function requestTaskStop(db: Kysely<Database>, taskRunId: number): Promise<void> {
  await db
    .updateTable('task_runs')
    .set({ stop_reason: 'timeout' })
    .where('run_id', '=', taskRunId)
    .where('active', '=', true)
    .where('stop_reason', 'is', null)
    .execute();
}
