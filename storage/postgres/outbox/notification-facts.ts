/**
 * What a message says of a run or a job: read without regard to whether the job is deleted, because that,
 * too, is told.
 */
import { sql, type Kysely } from 'kysely';
import { defaultName } from '../../../engine/job/job-format.ts';
import type { DeliverySubject, FailedTask, SubjectDetails } from '../../../engine/notification/delivery.ts';
import type { Database } from '../schema.ts';
import { fixedLimits } from '../../../engine/limits.ts';

/** Undefined when neither run nor job is there any more. */
export async function factsOf(
  db: Kysely<Database>,
  { jobId, runId }: Pick<DeliverySubject, 'jobId' | 'runId'>,
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
    parentRunId: run?.wholeRunId === runId ? undefined : run?.wholeRunId,
    startTime: run?.startTime,
    failedTasks: runId === undefined ? [] : await failedTasksOf(db, runId),
  };
}

/** Of a run, or of a task run within its run. */
async function runFactsOf(
  db: Kysely<Database>,
  runId: number,
): Promise<{ wholeRunId: number; name: string; startTime: number | undefined } | undefined> {
  const task = await db
    .selectFrom('task_runs')
    .select(['job_run_id', 'start_time'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  const wholeRunId = task?.job_run_id ?? runId;
  const run = await db
    .selectFrom('runs')
    .select(['name', 'start_time'])
    .where('run_id', '=', wholeRunId)
    .executeTakeFirst();
  if (run === undefined) return undefined;
  return {
    wholeRunId,
    name: run.name,
    startTime: (wholeRunId === runId ? run.start_time : task?.start_time) ?? undefined,
  };
}

/**
 * Of a run its unsuccessful tasks, each in its latest attempt; of a task run itself. Those that failed before
 * those that were skipped.
 */
async function failedTasksOf(db: Kysely<Database>, runId: number): Promise<FailedTask[]> {
  const { rows } = await sql<{ task_key: string; run_id: number; standing: string; message: string }>`
    select task_key, run_id, coalesce(result, state) as standing, message from (
      select distinct on (job_run_id, task_key) * from task_runs where job_run_id = ${runId} or run_id = ${runId}
      order by job_run_id, task_key, attempt desc) as latest
    where not active and coalesce(result, state) <> 'SUCCESS'
    order by state = 'SKIPPED', run_id limit ${fixedLimits.tasksPerMessage}`.execute(db);
  return rows.map((row) => ({
    taskKey: row.task_key,
    runId: row.run_id,
    state: row.standing,
    message: row.message,
  }));
}
