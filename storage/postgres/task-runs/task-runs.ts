/** The task runs of a page of runs, and whether one of them is still active. */
import type { Kysely } from 'kysely';
import type { TaskRun } from '../../../engine/run/run.ts';
import { taskRunOf } from '../runs/run-rows.ts';
import type { Database } from '../schema.ts';

/**
 * The task runs of all the given runs with one query, by the id of their run; oldest attempt first within a
 * task.
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

/** Whether this attempt is stored and not over; also one of a deleted job. */
export async function isAttemptActive(db: Kysely<Database>, runId: number): Promise<boolean> {
  const row = await db
    .selectFrom('task_runs')
    .select('active')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.active ?? false;
}
