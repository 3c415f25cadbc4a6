/** Records about an attempt or run beside its state: duration warnings and task timeouts. */
import type { Kysely } from 'kysely';
import type { DurationWarning } from '../../../engine/ports/runs.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import type { Database } from '../schema.ts';

/**
 * Stores a duration warning with its notifications, once, while the fence is current and the run or task is
 * active.
 */
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

/** Records that an attempt has exceeded its timeout, so that an engine that adopts it knows the reason. */
export async function requestTaskStop(db: Kysely<Database>, taskRunId: number): Promise<void> {
  await db
    .updateTable('task_runs')
    .set({ stop_reason: 'timeout' })
    .where('run_id', '=', taskRunId)
    .where('active', '=', true)
    .where('stop_reason', 'is', null)
    .execute();
}
