/** Reads runs and records stop requests. */
import { sql, type Kysely } from 'kysely';
import type { RunFilter } from '../../../engine/ports/run-reader.ts';
import type { OwnedRun, StopFilter, StopOptions } from '../../../engine/ports/runs.ts';
import type { StopRequest } from '../../../engine/run/explain/failure.ts';
import type { Run, RunWithTasks } from '../../../engine/run/run.ts';
import type { StopReason } from '../../../engine/run/states.ts';
import { jobsVisibleTo } from '../jobs/job-permissions.ts';
import { runColumns, runOf, runSettings, type RunRow } from './run-rows.ts';
import type { Database } from '../schema.ts';
import { taskRunsOf } from '../task-runs/task-runs.ts';

/** Finds a run with all its attempts by the id of the run or of one of its task runs. */
export async function findRun(db: Kysely<Database>, runId: number): Promise<RunWithTasks | undefined> {
  const row =
    (await visibleRuns(db).where('runs.run_id', '=', runId).executeTakeFirst()) ??
    (await visibleRuns(db)
      .where('runs.run_id', '=', db.selectFrom('task_runs').select('job_run_id').where('run_id', '=', runId))
      .executeTakeFirst());
  return row === undefined ? undefined : (await withTasks(db, [row]))[0];
}

/** Loads the task runs of all given runs with one query. */
export async function withTasks(db: Kysely<Database>, rows: readonly RunRow[]): Promise<RunWithTasks[]> {
  const tasks = await taskRunsOf(
    db,
    rows.map((row) => row.run_id),
  );
  return rows.map((row) => ({ run: runOf(row), tasks: tasks.get(row.run_id) ?? [] }));
}

/** Lists runs by start time, newest first; of runs with the same time, the greater id comes first. */
export async function listRuns(db: Kysely<Database>, filter: RunFilter): Promise<Run[]> {
  const isActive = filter.active === true;
  const listed = isActive ? 'active_runs' : 'runs';
  let query = visibleRuns(db)
    .$if(isActive, (runs) => runs.innerJoin('active_runs', 'active_runs.run_id', 'runs.run_id'))
    .orderBy(sql.ref(`${listed}.start_time`), 'desc')
    .orderBy(sql.ref(`${listed}.run_id`), 'desc')
    .limit(filter.limit)
    .offset(filter.offset);
  if (filter.jobId !== undefined) query = query.where('runs.job_id', '=', filter.jobId);
  if (filter.active === false) query = query.where('runs.active', '=', false);
  if (filter.type !== undefined) query = query.where('runs.run_type', '=', filter.type);
  if (filter.causeCode !== undefined) query = query.where('runs.cause_code', '=', filter.causeCode);
  if (filter.startFrom !== undefined) query = query.where('runs.start_time', '>=', filter.startFrom);
  if (filter.startTo !== undefined) query = query.where('runs.start_time', '<=', filter.startTo);
  if (filter.before !== undefined) {
    const { startTime, runId } = filter.before;
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('runs.start_time', 'runs.run_id'), '<', tuple(startTime, runId)),
    );
  }
  if (filter.visibleTo !== undefined)
    query = query.where('runs.job_id', 'in', jobsVisibleTo(db, filter.visibleTo));
  return (await query.execute()).map(runOf);
}

/**
 * Records a stop request for an active run that has none. The first reason stays.
 * @param message state message of the run, when no user requested the stop
 * @returns the run afterwards; undefined when there is none
 */
export async function requestStop(
  db: Kysely<Database>,
  runId: number,
  reason: StopReason,
  { by, message }: Pick<StopOptions, 'by' | 'message'> = {},
): Promise<Run | undefined> {
  await db
    .updateTable('runs')
    .set({
      stop_reason: reason,
      stop_message: message ?? null,
      stop_request: by === undefined ? null : JSON.stringify(by),
    })
    .where('run_id', '=', runId)
    .where('active', '=', true)
    .where('stop_reason', 'is', null)
    .execute();
  const row = await allRuns(db).where('run_id', '=', runId).executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}

/**
 * Records a cancellation for the active runs that match. Returns the ids of those without an earlier stop
 * request.
 */
export async function requestStopOfRuns(
  db: Kysely<Database>,
  { jobId, queuedOnly, by }: StopFilter,
): Promise<number[]> {
  let query = db
    .updateTable('runs')
    .set({ stop_reason: 'cancel', stop_request: by === undefined ? null : JSON.stringify(by) })
    .where('run_id', 'in', activeRunIds(db, jobId))
    .where('stop_reason', 'is', null);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  if (queuedOnly) query = query.where('state', '=', 'QUEUED');
  return (await query.returning('run_id').execute()).map((row) => row.run_id);
}

/** Finds who asked for the stop of a run, also of a run of a deleted job. */
export async function findStopRequest(db: Kysely<Database>, runId: number): Promise<StopRequest | undefined> {
  const row = await db
    .selectFrom('runs')
    .select('stop_request')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row?.stop_request ?? undefined;
}

/** Lists the active runs of a node with the stop requests and timeout revisions that other nodes wrote. */
export async function listOwnedRuns(db: Kysely<Database>, node: string): Promise<OwnedRun[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['run_id', 'stop_reason', 'stop_message', 'timeout_revision'])
    .where('run_id', 'in', activeRunIds(db))
    .where('owner', '=', node)
    .execute();
  return rows.map((row) => ({
    runId: row.run_id,
    stopReason: row.stop_reason ?? undefined,
    stopMessage: row.stop_message ?? undefined,
    timeoutRevision: row.timeout_revision,
  }));
}

/**
 * Finds the latest attempt of a run by its first attempt, also of a deleted job; undefined when it was
 * removed.
 */
export async function findLatestAttempt(db: Kysely<Database>, runId: number): Promise<Run | undefined> {
  const retry = await allRuns(db)
    .where('original_attempt_run_id', '=', runId)
    .where('attempt', '>', 0)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();
  const row = retry ?? (await allRuns(db).where('run_id', '=', runId).executeTakeFirst());
  return row && runOf(row);
}

/** Lists the attempts of a single-task run, which are runs of their own, oldest first. */
export async function listAttempts(
  db: Kysely<Database>,
  { originalAttemptRunId: original }: Run,
): Promise<Run[]> {
  const rows = await visibleRuns(db)
    .where((run) =>
      run.or([
        run('runs.run_id', '=', original),
        run.and([run('original_attempt_run_id', '=', original), run('attempt', '>', 0)]),
      ]),
    )
    .orderBy('attempt')
    .execute();
  return rows.map(runOf);
}

/** Selects runs, also those of deleted jobs. */
export function allRuns(db: Kysely<Database>) {
  return db.selectFrom('runs').select([...runColumns, runSettings.as('settings')]);
}

/** Selects the ids of the active runs of a job, or of all jobs. */
export function activeRunIds(db: Kysely<Database>, jobId?: number) {
  const ids = db.selectFrom('active_runs').select('active_runs.run_id');
  return jobId === undefined
    ? ids
    : ids.where('active_runs.is_queued', 'in', [false, true]).where('active_runs.job_id', '=', jobId);
}

/** Selects runs without those of deleted jobs (spec 4.1 rule 1). */
export function visibleRuns(db: Kysely<Database>) {
  return allRuns(db).innerJoin('jobs', 'jobs.job_id', 'runs.job_id').where('jobs.deleted_time', 'is', null);
}
