/** Removal of runs (spec 4.1 rule 11). */
import type { Kysely, Transaction } from 'kysely';
import type { DeletedRun } from '../../../engine/ports/runs.ts';
import type { Database } from '../schema.ts';

/**
 * Removes a run that has ended, with its task runs, its clusters, and the hidden job of a submission. The
 * idempotency token stays, so that no second run starts with it. The caller removes the files.
 */
export function deleteRun(
  db: Kysely<Database>,
  runId: number,
  now: number,
): Promise<DeletedRun | 'active' | 'gone'> {
  return db.transaction().execute(async (transaction) => {
    const run = await transaction
      .selectFrom('runs')
      .select(['job_id', 'active'])
      .where('run_id', '=', runId)
      .forUpdate()
      .executeTakeFirst();
    if (run === undefined) return 'gone';
    if (run.active) return 'active';
    const attempts = await transaction
      .selectFrom('task_runs')
      .select('run_id')
      .where('job_run_id', '=', runId)
      .execute();
    const clusters = await transaction
      .deleteFrom('clusters')
      .where('job_run_id', '=', runId)
      .returning('cluster_id')
      .execute();
    await transaction.deleteFrom('runs').where('run_id', '=', runId).execute();
    await emptyHiddenJob(transaction, run.job_id, now);
    return {
      taskRunIds: attempts.map((attempt) => attempt.run_id),
      clusterIds: clusters.map((cluster) => cluster.cluster_id),
    };
  });
}

/** Clears the settings of a hidden job and keeps its row: the hourly job quota counts rows (spec 8). */
async function emptyHiddenJob(transaction: Transaction<Database>, jobId: number, now: number): Promise<void> {
  await transaction
    .updateTable('jobs')
    .set({ deleted_time: now, settings: '{}' })
    .where('job_id', '=', jobId)
    .where('hidden', '=', true)
    .where((job) =>
      job.not(job.exists(job.selectFrom('runs').select('run_id').where('runs.job_id', '=', jobId))),
    )
    .execute();
}
