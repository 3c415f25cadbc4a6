/** The scheduler queue: runs that wait for admission. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { JobRunCounts, QueueAdmission, QueuedJob } from '../../../engine/ports/runs.ts';
import type { Run, RunWithTasks } from '../../../engine/run/run.ts';
import type { QueueCode } from '../../../engine/run/run-status.ts';
import { returnedRunColumns, runOf, type RunRow } from '../runs/run-rows.ts';
import { allRuns, withTasks } from '../runs/runs.ts';
import type { Database } from '../schema.ts';

/** Counts the active runs of a job: those that use max_concurrent_runs, and those in the queue. */
export async function countRuns(db: Kysely<Database>, jobId: number): Promise<JobRunCounts> {
  const { rows } = await sql<JobRunCounts>`
    select count(*) filter (where not is_queued)::bigint as active, count(*) filter (where is_queued)::bigint as queued
    from active_runs where is_queued in (false, true) and job_id = ${jobId}`.execute(db);
  return rows[0] ?? { active: 0, queued: 0 };
}

/** Lists the ids of the oldest active runs of a job. */
export async function listActiveRuns(db: Kysely<Database>, jobId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('active_runs')
    .select('run_id')
    .where('is_queued', 'in', [false, true])
    .where('job_id', '=', jobId)
    .orderBy('run_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.run_id);
}

/** Lists jobs with queued runs and the use of their concurrency limit. */
export async function listQueuedJobs(db: Kysely<Database>): Promise<QueuedJob[]> {
  const { rows } = await sql<{
    job_id: number;
    since: number;
    hidden: boolean;
    limit: number | null;
    active: number;
  }>`
    select jobs.job_id, waiting.since, jobs.hidden, (jobs.settings ->> 'max_concurrent_runs')::bigint as limit,
      (select count(*) from active_runs where not is_queued and active_runs.job_id = jobs.job_id)::bigint as active
    from (select queued.job_id, min(coalesce(runs.repair_start_time, runs.start_time)) as since
      from active_runs as queued join runs on runs.run_id = queued.run_id
      where queued.is_queued group by queued.job_id) as waiting
    join jobs on jobs.job_id = waiting.job_id`.execute(db);
  return rows.map((row) => ({
    jobId: row.job_id,
    activeRuns: row.active,
    since: row.since,
    maxConcurrentRuns: row.hidden ? undefined : (row.limit ?? 1),
  }));
}

/**
 * Lists queued runs with a stop request, queued before `since` (epoch ms), or of one of these jobs; includes
 * runs of deleted jobs.
 */
export async function listRunsLeavingQueue(
  db: Kysely<Database>,
  since: number,
  limit: number,
  closedJobs: readonly number[] = [],
): Promise<RunWithTasks[]> {
  const rows = await allRuns(db)
    .where('queue_code', 'is not', null)
    .where((run) =>
      run.or([
        run('stop_reason', 'is not', null),
        run(run.fn.coalesce('repair_start_time', 'start_time'), '<', since),
        ...(closedJobs.length === 0 ? [] : [run('job_id', 'in', closedJobs)]),
      ]),
    )
    .orderBy('run_id')
    .limit(limit)
    .execute();
  return withTasks(db, rows);
}

/** Finds the oldest queued runs of a job without a stop request and locks them until the transaction ends. */
export async function lockOldestQueuedRuns(
  transaction: Transaction<Database>,
  jobId: number,
  limit: number,
): Promise<Run[]> {
  const rows = await allRuns(transaction)
    .where('job_id', '=', jobId)
    .where('queue_code', 'is not', null)
    .where('stop_reason', 'is', null)
    .orderBy('number_in_job')
    .limit(limit)
    .forUpdate('runs')
    .execute();
  return rows.map(runOf);
}

/** Admits locked runs: each becomes PENDING with all its tasks. Returns them in the order of the admissions. */
export async function admitRuns(
  transaction: Transaction<Database>,
  admissions: readonly QueueAdmission[],
): Promise<RunWithTasks[]> {
  const given = JSON.stringify(
    admissions.map(({ runId, from, to, owner, admittedTime }) => ({
      run_id: runId,
      from_state: from,
      to_state: to,
      owner,
      admitted_time: admittedTime,
    })),
  );
  const admission = sql`jsonb_to_recordset(${given}::jsonb)
    as admission (run_id bigint, from_state text, to_state text, owner text, admitted_time bigint)`;
  const { rows } = await sql<RunRow>`
    update runs set state = to_state, queue_code = null, message = '', owner = admission.owner,
      admitted_time = admission.admitted_time
    from ${admission} where runs.run_id = admission.run_id returning ${returnedRunColumns}`.execute(
    transaction,
  );
  await sql`
    update task_runs set state = to_state from ${admission}
    where job_run_id = admission.run_id and state = from_state`.execute(transaction);
  const admitted = new Map(
    (await withTasks(transaction, rows)).map((stored) => [stored.run.runId, stored] as const),
  );
  return admissions.map(({ runId }) => {
    const stored = admitted.get(runId);
    if (stored === undefined) throw new Error(`Run ${runId} was admitted and cannot be found.`);
    return stored;
  });
}

/** Updates the limit that a queued run waits for. */
export async function requeueRun(
  transaction: Transaction<Database>,
  runId: number,
  code: QueueCode,
  message: string,
): Promise<void> {
  await transaction
    .updateTable('runs')
    .set({ queue_code: code, message })
    .where('run_id', '=', runId)
    .where('queue_code', 'is not', null)
    .execute();
}
