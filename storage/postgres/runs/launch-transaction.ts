/** The launch transaction: each step of a launch is a statement of one transaction. */
import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { formatOf } from '../../../engine/job/job-format.ts';
import type { EarlierRun, LaunchedRun, LaunchTransaction } from '../../../engine/ports/runs.ts';
import type { NewRun } from '../../../engine/run/new-run.ts';
import { countJobsCreated, lockJob } from '../jobs/jobs.ts';
import { grantOnNewJob } from '../jobs/job-permissions.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import { pipelineUpdateSteps } from '../pipelines/pipeline-updates.ts';
import {
  admitRuns,
  countRuns,
  listActiveRuns,
  lockOldestQueuedRuns,
  requeueRun,
} from '../queue/run-queue.ts';
import { insertRepair, lockRun } from './repairs.ts';
import { countActiveTaskRuns } from '../queue/capacity.ts';
import type { Database, RunTable, TaskRunTable } from '../schema.ts';
import { writeInTransaction } from './state-writer.ts';

/** Runs `steps` in one transaction: all of them are durable when it resolves, none when it rejects. */
export function runLaunchTransaction<Result>(
  db: Kysely<Database>,
  steps: (transaction: LaunchTransaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute((transaction) => steps(createLaunchTransaction(transaction)));
}

/** Creates the steps of one launch, each a statement of its own. */
export function createLaunchTransaction(db: Transaction<Database>): LaunchTransaction {
  return {
    lockJob: (jobId) => lockJob(db, jobId),
    countJobsCreated: (since) => countJobsCreated(db, since),
    countActiveTaskRuns: (added, maximum, runJobTasks) =>
      countActiveTaskRuns(db, added, maximum, runJobTasks),
    async createHiddenJob(settings, version, creator, now, grants) {
      const { job_id: jobId } = await db
        .insertInto('jobs')
        .values({
          creator,
          created_time: now,
          name: '',
          api_version: version,
          format: formatOf(settings),
          settings: JSON.stringify(settings),
          hidden: true,
          deleted_time: null,
        })
        .returning('job_id')
        .executeTakeFirstOrThrow();
      await grantOnNewJob(db, jobId, creator, grants);
      return jobId;
    },
    countRuns: (jobId) => countRuns(db, jobId),
    listActiveRuns: (jobId, limit) => listActiveRuns(db, jobId, limit),
    async reserveNumberInJob(jobId) {
      const { runs_started: number } = await db
        .updateTable('jobs')
        .set((job) => ({ runs_started: job('runs_started', '+', 1) }))
        .where('job_id', '=', jobId)
        .returning('runs_started')
        .executeTakeFirstOrThrow();
      return number;
    },
    reserveRunIds: (count) => reserveRunIds(db, count),
    claimIdempotencyToken: (jobId, token, runId) => claimIdempotencyToken(db, jobId, token, runId),
    insertRun: (run) => insertRun(db, run),
    lockRun: (runId) => lockRun(db, runId),
    insertRepair: (repair) => insertRepair(db, repair),
    lockOldestQueuedRuns: (jobId, limit) => lockOldestQueuedRuns(db, jobId, limit),
    admitRuns: (admissions) => admitRuns(db, admissions),
    updateQueueReason: (runId, code, message) => requeueRun(db, runId, code, message),
    findLaunchedRun: (taskRunId) => findRunLaunchedBy(db, taskRunId),
    ...pipelineUpdateSteps(db),
    write: (changeSet) => writeInTransaction(db, changeSet),
  };
}

/** Reserves run ids. A failed transaction leaves a gap, which is harmless. */
export async function reserveRunIds(db: Kysely<Database>, count: number): Promise<number[]> {
  const { rows } = await sql<{
    run_id: number;
  }>`select nextval('run_ids') as run_id from generate_series(1, ${count})`.execute(db);
  return rows.map((row) => row.run_id);
}

/** Finds the run that an attempt of a run_job_task has started. */
export async function findRunLaunchedBy(
  db: Kysely<Database>,
  taskRunId: number,
): Promise<LaunchedRun | undefined> {
  const row = await db
    .selectFrom('runs')
    .select(['run_id', 'number_in_job'])
    .where('launched_by', '=', taskRunId)
    .executeTakeFirst();
  return row && { runId: row.run_id, numberInJob: row.number_in_job };
}

async function claimIdempotencyToken(
  db: Transaction<Database>,
  jobId: number,
  token: string,
  runId: number,
): Promise<'claimed' | EarlierRun> {
  const claimed = await db
    .insertInto('idempotency_tokens')
    .values({ job_id: jobId, token, run_id: runId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('run_id')
    .executeTakeFirst();
  if (claimed !== undefined) return 'claimed';
  const earlier = await db
    .selectFrom('idempotency_tokens')
    .leftJoin('runs', 'runs.run_id', 'idempotency_tokens.run_id')
    .select(['idempotency_tokens.run_id', 'runs.number_in_job', 'runs.run_id as existing'])
    .where('idempotency_tokens.job_id', '=', jobId)
    .where('token', '=', token)
    .executeTakeFirstOrThrow();
  return {
    runId: earlier.run_id,
    numberInJob: earlier.number_in_job ?? 0,
    deleted: earlier.existing === null,
  };
}

async function insertRun(db: Transaction<Database>, run: NewRun): Promise<void> {
  await db
    .insertInto('runs')
    .values(runRow(run, await sharesSettings(db, [run])))
    .execute();
  await db.insertInto('task_runs').values(taskRunRows(run)).execute();
  await insertOutboxEvents(db, run.notifications);
}

/**
 * Returns whether runs leave their settings to the revision of their job. Nodes of earlier versions, also those that
 * ended within a day, read the settings from the run.
 */
export async function sharesSettings(
  db: Transaction<Database>,
  runs: readonly Pick<NewRun, 'settingsRevision'>[],
): Promise<boolean> {
  if (runs.every(({ settingsRevision }) => settingsRevision === undefined)) return false;
  const older = await db
    .selectFrom('nodes')
    .select('node_id')
    .where('reads_shared_settings', '=', false)
    .limit(1)
    .executeTakeFirst();
  return older === undefined;
}

function runRow(run: NewRun, shares: boolean): Insertable<RunTable> {
  const { settings, overriding_parameters, explanation, settings_revision } = runDocumentColumns(run, shares);
  return {
    ...runColumns(run),
    settings: settings === null ? null : JSON.stringify(settings),
    settings_revision,
    overriding_parameters: overriding_parameters === null ? null : JSON.stringify(overriding_parameters),
    explanation: explanation === null ? null : JSON.stringify(explanation),
  };
}

/** Returns the JSON documents of a new run's row, and the revision of its settings. */
export function runDocumentColumns(
  { settings, settingsRevision, overridingParameters, explanation }: NewRun,
  shares: boolean,
) {
  const revision = shares ? settingsRevision : undefined;
  return {
    settings: revision === undefined ? settings : null,
    settings_revision: revision ?? null,
    overriding_parameters: overridingParameters ?? null,
    explanation: explanation ?? null,
  };
}

/** Returns the other columns of a new run's row. */
export function runColumns(run: NewRun): Omit<Insertable<RunTable>, 'settings' | 'overriding_parameters'> {
  return {
    ...initialStateColumns(run),
    run_id: run.runId,
    job_id: run.jobId,
    number_in_job: run.numberInJob,
    format: run.format,
    api_version: run.version,
    name: run.name,
    run_type: run.type,
    trigger: run.trigger,
    scheduled_time: run.scheduledTime ?? null,
    creator: run.creator,
    original_attempt_run_id: run.originalAttemptRunId,
    attempt: run.attempt,
    stop_reason: null,
    owner: run.state === 'PENDING' ? run.owner : null,
    queue_code: run.queueCode ?? null,
    launched_by: run.launchedBy ?? null,
    parent_task_run_id: run.parentTaskRun ?? null,
    parallel_task_runs: run.parallelTasks.taskRuns,
    parallel_run_job_tasks: run.parallelTasks.runJobTasks,
    message: run.message,
    cause_code: run.explanation?.cause_code ?? null,
    start_time: run.startTime,
    running_time: null,
    terminating_time: null,
  };
}

/** Returns the rows of the first attempts of a new run's tasks. */
export function taskRunRows(run: NewRun): Insertable<TaskRunTable>[] {
  return run.tasks.map((task) => ({
    ...initialStateColumns(run),
    run_id: task.runId,
    job_run_id: run.runId,
    task_key: task.taskKey,
    attempt: 0,
    cluster_id: null,
    spark_context_id: null,
    due_time: task.dueTime ?? null,
    message: task.message,
    explanation: run.explanation === undefined ? null : JSON.stringify(run.explanation),
    cause_code: run.explanation?.cause_code ?? null,
    start_time: null,
    running_time: null,
    terminating_time: null,
  }));
}

function initialStateColumns({ state, startTime }: NewRun) {
  const ended = state === 'SKIPPED';
  return { state, active: !ended, result: null, end_time: ended ? startTime : null };
}
