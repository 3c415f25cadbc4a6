/** Reads task runs. */
import type { Kysely } from 'kysely';
import type { TaskRun } from '../../../engine/run/run.ts';
import { taskRunOf } from '../runs/run-rows.ts';
import type { Database } from '../schema.ts';

/**
 * Lists the task runs of the given runs with one query, by run id; the oldest attempt of a task comes first.
 */
export async function taskRunsOf(
  db: Kysely<Database>,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, TaskRun[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('task_runs')
    .selectAll()
    .where('job_run_id', 'in', runIds)
    .orderBy('job_run_id')
    .orderBy('task_key')
    .orderBy('attempt')
    .execute();
  return Map.groupBy(rows.map(taskRunOf), (task) => task.jobRunId);
}

/** Returns true when the attempt exists and has not ended, also for a deleted job. */
export async function isAttemptActive(db: Kysely<Database>, runId: number): Promise<boolean> {
  const row = await db
    .selectFrom('task_runs')
    .select('active')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.active ?? false;
}
