/**
 * Facts about the run or job of a notification. Deleted jobs are included: their deletion is an event, too.
 */
import { sql, type Kysely } from 'kysely';
import { defaultName } from '../../../engine/job/job-format.ts';
import type { DeliverySubject, FailedTask, SubjectDetails } from '../../../engine/notification/delivery.ts';
import type { Explanation } from '../../../engine/run/explain/explanation.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import type { Database } from '../schema.ts';

/** Returns undefined when neither the run nor the job exists any more. */
export async function factsOf(
  db: Kysely<Database>,
  { jobId, runId, facts }: Pick<DeliverySubject, 'jobId' | 'runId'> & Partial<Pick<DeliverySubject, 'facts'>>,
): Promise<SubjectDetails | undefined> {
  const run = runId === undefined ? undefined : await runFactsOf(db, runId);
  const job =
    jobId === undefined
      ? undefined
      : await db
          .selectFrom('jobs')
          .select('name')
          .where('job_id', '=', jobId)
          .where('hidden', '=', false)
          .executeTakeFirst();
  if (run === undefined && job === undefined) return undefined;
  const name = job?.name ?? run?.name ?? '';
  return {
    jobName: name === '' ? defaultName : name,
    parentRunId: run?.jobRunId === runId ? undefined : run?.jobRunId,
    startTime: run?.startTime,
    failedTasks: runId === undefined ? [] : await failedTasksOf(db, runId),
    earlierMails:
      runId === undefined || (facts?.attempt?.number ?? 1) < 2 ? [] : await earlierMailsOf(db, runId),
  };
}

/** Lists the mails about earlier attempts of a run or task run that failed, oldest first. */
async function earlierMailsOf(
  db: Kysely<Database>,
  runId: number,
): Promise<{ deliveryId: string; address: string }[]> {
  const { rows } = await sql<{ delivery_id: string; address: string }>`
    select delivery_id, address from deliveries where address is not null and event = 'on_failure' and run_id in (
      select other.run_id from runs as own join runs as other
        on other.run_id = own.original_attempt_run_id
        or other.original_attempt_run_id = own.original_attempt_run_id
      where own.run_id = ${runId} and other.attempt < own.attempt
      union select other.run_id from task_runs as own join task_runs as other
        on other.job_run_id = own.job_run_id and other.task_key = own.task_key
      where own.run_id = ${runId} and other.attempt < own.attempt)
    order by delivery_number limit ${fixedLimits.tasksPerMessage}`.execute(db);
  return rows.map((row) => ({ deliveryId: row.delivery_id, address: row.address }));
}

/** Reads the facts of a run, or of a task run and its run. */
async function runFactsOf(
  db: Kysely<Database>,
  runId: number,
): Promise<{ jobRunId: number; name: string; startTime: number | undefined } | undefined> {
  const task = await db
    .selectFrom('task_runs')
    .select(['job_run_id', 'start_time'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  const jobRunId = task?.job_run_id ?? runId;
  const run = await db
    .selectFrom('runs')
    .select(['name', 'start_time'])
    .where('run_id', '=', jobRunId)
    .executeTakeFirst();
  if (run === undefined) return undefined;
  return {
    jobRunId,
    name: run.name,
    startTime: (jobRunId === runId ? run.start_time : task?.start_time) ?? undefined,
  };
}

/**
 * Returns the unsuccessful tasks of a run in their latest attempts, or the given task run. Failed tasks come
 * before skipped ones.
 */
async function failedTasksOf(db: Kysely<Database>, runId: number): Promise<FailedTask[]> {
  const { rows } = await sql<{
    task_key: string;
    run_id: number;
    outcome: string;
    message: string;
    explanation: Explanation | null;
  }>`
    select task_key, run_id, coalesce(result, state) as outcome, message, explanation from (
      select distinct on (job_run_id, task_key) * from task_runs where job_run_id = ${runId} or run_id = ${runId}
      order by job_run_id, task_key, attempt desc) as latest
    where not active and coalesce(result, state) <> 'SUCCESS'
    order by state = 'SKIPPED', run_id limit ${fixedLimits.tasksPerMessage}`.execute(db);
  return rows.map((row) => ({
    taskKey: row.task_key,
    runId: row.run_id,
    state: row.outcome,
    message: row.message,
    explanation: row.explanation ?? undefined,
  }));
}
