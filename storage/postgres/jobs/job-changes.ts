/** Updates of the settings of a job, and of the timeouts of its active runs. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { JobSettings } from '../../../engine/job/settings.ts';
import { applyTimeoutUpdate } from '../../../engine/job/timeouts.ts';
import type { Job, RunTimeoutUpdate } from '../../../engine/ports/jobs.ts';
import { maxConcurrentRunsOf, queueForJobLimit } from '../../../engine/run/admission.ts';
import { columnsOf, lockJob } from './jobs.ts';
import { runSettings } from '../runs/run-rows.ts';
import { activeRunIds } from '../runs/runs.ts';
import { saveSchedule } from '../schedules/schedule-changes.ts';
import type { Database } from '../schema.ts';

/**
 * Replaces the settings of a job by the result of `settingsOf`, in one transaction under the job's lock.
 * Launches take the same lock: a run is created with the old or the new settings, and the timeouts of a run
 * with the old ones are updated here.
 * @returns the active runs whose timeouts changed (spec 4.1 rules 2 and 3); undefined when there is no such
 * job
 */
export function changeJob(
  db: Kysely<Database>,
  jobId: number,
  settingsOf: (job: Job) => JobSettings,
  now: number,
): Promise<readonly RunTimeoutUpdate[] | undefined> {
  return db.transaction().execute(async (transaction) => {
    const job = await lockJob(transaction, jobId);
    if (job === undefined) return undefined;
    const settings = settingsOf(job);
    await transaction.updateTable('jobs').set(columnsOf(settings)).where('job_id', '=', jobId).execute();
    await saveSchedule(transaction, jobId, job.settings, settings, now);
    if (maxConcurrentRunsOf(settings) !== maxConcurrentRunsOf(job.settings))
      await updateQueueMessages(transaction, jobId, maxConcurrentRunsOf(settings));
    return updateTimeouts(transaction, jobId, settings);
  });
}

/** Queued runs that wait for the limit of their job show the current one. */
async function updateQueueMessages(
  transaction: Transaction<Database>,
  jobId: number,
  limit: number,
): Promise<void> {
  const { code, message } = queueForJobLimit(limit);
  await transaction
    .updateTable('runs')
    .set({ message })
    .where('job_id', '=', jobId)
    .where('queue_code', '=', code)
    .execute();
}

async function updateTimeouts(
  transaction: Transaction<Database>,
  jobId: number,
  settings: JobSettings,
): Promise<RunTimeoutUpdate[]> {
  // Lock rows in the order of their ids, as the state writer does.
  const active = await transaction
    .selectFrom('runs')
    .select(['run_id', runSettings.as('settings')])
    .where('run_id', 'in', activeRunIds(transaction, jobId))
    .orderBy('run_id')
    .forUpdate('runs')
    .execute();
  const runs = active.flatMap(({ run_id: runId, settings: running }) => {
    const now = applyTimeoutUpdate(running, settings);
    return now === undefined ? [] : [{ runId, settings: now }];
  });
  if (runs.length === 0) return runs;
  const rows = JSON.stringify(runs.map((run) => ({ run_id: run.runId, settings: run.settings })));
  await sql`
    update runs set settings = change.settings, timeout_revision = timeout_revision + 1
    from jsonb_to_recordset(${rows}::jsonb) as change (run_id bigint, settings jsonb)
    where runs.run_id = change.run_id`.execute(transaction);
  return runs;
}
