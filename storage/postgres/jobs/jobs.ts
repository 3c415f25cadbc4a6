/** Stored jobs. A one-time submission has a hidden job, which only its runs refer to. */
import { type Kysely, type Selectable, type Transaction } from 'kysely';
import { formatOf } from '../../../engine/job/job-format.ts';
import { checkJobCreations, checkSavedJobs, type JobQuotas } from '../../../engine/job/quotas.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import type { RunNotification } from '../../../engine/run/notification.ts';
import type { Job, JobFilter, NewJob } from '../../../engine/ports/jobs.ts';
import type { KnownJob } from '../../../engine/ports/runs.ts';
import { lockUntilCommit } from '../advisory-locks.ts';
import { grantOnNewJob, jobsVisibleTo } from './job-permissions.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import { activeRunIds } from '../runs/runs.ts';
import { removeSchedule, saveSchedule } from '../schedules/schedule-changes.ts';
import type { Database, JobTable } from '../schema.ts';
import { fixedLimits } from '../../../engine/limits.ts';

export function jobOf(row: Selectable<JobTable>): Job {
  return {
    jobId: row.job_id,
    creatorUserName: row.creator === '' ? undefined : row.creator,
    createdTime: row.created_time,
    version: row.api_version,
    settings: row.settings,
    settingsRevision: row.settings_revision,
  };
}

/**
 * Inserts a job and returns its id. Concurrent creations run one after the other, so that quotas are exact.
 * @throws ServiceError QUOTA_EXCEEDED when a quota is used up
 */
export function createJob(db: Kysely<Database>, job: NewJob, quotas: JobQuotas): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    checkJobCreations(await countJobsCreated(transaction, job.now - fixedLimits.jobCreationWindowMs), quotas);
    const { count } = await listedJobs(transaction)
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    checkSavedJobs(count, quotas);
    const { job_id: jobId } = await transaction
      .insertInto('jobs')
      .values({
        creator: job.creator,
        created_time: job.now,
        api_version: job.version,
        ...columnsOf(job.settings),
        hidden: false,
        deleted_time: null,
      })
      .returning('job_id')
      .executeTakeFirstOrThrow();
    await grantOnNewJob(transaction, jobId, job.creator, job.grants);
    await saveSchedule(transaction, jobId, undefined, job.settings, job.now);
    return jobId;
  });
}

/**
 * Counts the jobs created since `since` (epoch ms), including hidden and deleted ones, and keeps other
 * transactions from creating jobs until this one ends.
 */
export async function countJobsCreated(transaction: Transaction<Database>, since: number): Promise<number> {
  await lockUntilCommit(transaction, 'jobCreation');
  const { count } = await transaction
    .selectFrom('jobs')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('created_time', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** The columns that follow from the settings. */
export function columnsOf(settings: JobSettings) {
  return { name: settings.name ?? '', format: formatOf(settings), settings: JSON.stringify(settings) };
}

/** The stored job; undefined when there is none or it was deleted. */
export async function findJob(db: Kysely<Database>, jobId: number): Promise<Job | undefined> {
  const row = await listedJobs(db).selectAll().where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? undefined : jobOf(row);
}

/** The stored job with the revision of its settings; undefined when there is none or it was deleted. */
export async function findJobWithRevision(
  db: Kysely<Database>,
  jobId: number,
): Promise<KnownJob | undefined> {
  const row = await listedJobs(db).selectAll().where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? undefined : { job: jobOf(row), revision: row.settings_revision };
}

/** Jobs, newest first. */
export async function listJobs(db: Kysely<Database>, filter: JobFilter): Promise<Job[]> {
  let query = listedJobs(db).selectAll().orderBy('job_id', 'desc').offset(filter.offset);
  const { name, beforeJobId, limit, visibleTo } = filter;
  if (name !== undefined)
    query = query.where((row) => row(row.fn<string>('lower', ['name']), '=', name.toLowerCase()));
  if (beforeJobId !== undefined) query = query.where('job_id', '<', beforeJobId);
  if (visibleTo !== undefined) query = query.where('job_id', 'in', jobsVisibleTo(db, visibleTo));
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map(jobOf);
}

/**
 * Marks a job as deleted, which hides it and its history, and stores the notifications about it.
 * @returns the ids of its active runs, which must be stopped; none if the job was already deleted
 */
export function deleteJob(
  db: Kysely<Database>,
  jobId: number,
  now: number,
  notificationsOf: (job: Job) => RunNotification[],
): Promise<number[]> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('jobs')
      .set({ deleted_time: now })
      .where('job_id', '=', jobId)
      .where('deleted_time', 'is', null)
      .where('hidden', '=', false)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return [];
    await removeSchedule(transaction, jobId);
    await insertOutboxEvents(transaction, notificationsOf(jobOf(row)));
    const active = await transaction
      .updateTable('runs')
      .set({ stop_reason: 'cancel', stop_request: JSON.stringify({ because: 'the job was deleted' }) })
      .where('run_id', 'in', activeRunIds(transaction, jobId))
      .where('stop_reason', 'is', null)
      .returning('run_id')
      .execute();
    return active.map((run) => run.run_id);
  });
}

/** The stored job, locked until the transaction ends; undefined when there is none. */
export async function lockJob(transaction: Transaction<Database>, jobId: number): Promise<Job | undefined> {
  const row = await listedJobs(transaction)
    .selectAll()
    .where('job_id', '=', jobId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : jobOf(row);
}

function listedJobs(db: Kysely<Database>) {
  return db.selectFrom('jobs').where('hidden', '=', false).where('deleted_time', 'is', null);
}
