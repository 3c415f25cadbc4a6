/** Stored jobs. Jobs that carry one-time submissions are hidden from everything here but their runs. */
import type { Kysely, Selectable } from 'kysely';
import { formatOf } from '../engine/job/format.ts';
import { ServiceError } from '../engine/errors.ts';
import type { Notice } from '../engine/notification/notice.ts';
import type { Job, JobFilter, NewJob } from '../engine/ports.ts';
import { insertNotices } from './outbox.ts';
import type { Database, JobTable } from './schema.ts';

export function jobOf(row: Selectable<JobTable>): Job {
  return {
    jobId: row.job_id,
    creatorUserName: row.creator,
    createdTime: row.created_time,
    version: row.api_version,
    settings: row.settings,
  };
}

/**
 * Stores a job and returns its id.
 * @throws ServiceError QUOTA_EXCEEDED when `savedJobs` jobs are stored already
 */
export async function createJob(db: Kysely<Database>, job: NewJob, savedJobs: number): Promise<number> {
  const { count } = await listed(db).select((row) => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  if (count >= savedJobs) {
    throw new ServiceError('QUOTA_EXCEEDED', `The quota for the number of jobs has been reached. The current quota is ${savedJobs}.`);
  }
  const { job_id: jobId } = await db.insertInto('jobs').values({
    creator: job.creator,
    created_time: job.now,
    name: job.settings.name ?? '',
    api_version: job.version,
    format: formatOf(job.settings),
    settings: JSON.stringify(job.settings),
    hidden: false,
    deleted_time: null,
  }).returning('job_id').executeTakeFirstOrThrow();
  return jobId;
}

/** The stored job; undefined when there is none or it was deleted. */
export async function findJob(db: Kysely<Database>, jobId: number): Promise<Job | undefined> {
  const row = await listed(db).selectAll().where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? undefined : jobOf(row);
}

/** Jobs, newest first. */
export async function listJobs(db: Kysely<Database>, filter: JobFilter): Promise<Job[]> {
  let query = listed(db).selectAll().orderBy('job_id', 'desc').offset(filter.offset);
  const { name, before, limit } = filter;
  if (name !== undefined) query = query.where((row) => row(row.fn<string>('lower', ['name']), '=', name.toLowerCase()));
  if (before !== undefined) query = query.where('job_id', '<', before);
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map(jobOf);
}

/**
 * Removes a job with its history from every view at once, and keeps the notices of it.
 * @returns the ids of its active runs, which are to be stopped; none when the job was gone already
 */
export function deleteJob(db: Kysely<Database>, jobId: number, now: number, notices: (job: Job) => Notice[]): Promise<number[]> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction.updateTable('jobs').set({ deleted_time: now })
      .where('job_id', '=', jobId).where('deleted_time', 'is', null).where('hidden', '=', false)
      .returningAll().executeTakeFirst();
    if (row === undefined) return [];
    await insertNotices(transaction, notices(jobOf(row)));
    const active = await transaction.updateTable('runs').set({ stop_reason: 'cancel' })
      .where('job_id', '=', jobId).where('active', '=', true).where('stop_reason', 'is', null)
      .returning('run_id').execute();
    return active.map((run) => run.run_id);
  });
}

function listed(db: Kysely<Database>) {
  return db.selectFrom('jobs').where('hidden', '=', false).where('deleted_time', 'is', null);
}
