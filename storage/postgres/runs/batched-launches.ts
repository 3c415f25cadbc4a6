/** Batched launches: concurrent steps of several launches in one transaction become one statement each. */
import { sql, type Transaction } from 'kysely';
import type { NewRun } from '../../../engine/run/new-run.ts';
import type { JobRunCounts, LaunchTransaction, WorkspaceLoad } from '../../../engine/ports/runs.ts';
import { insertMany } from '../insert-many.ts';
import {
  createLaunchTransaction,
  runDocumentColumns,
  runColumns,
  reserveRunIds,
  sharesSettings,
  taskRunRows,
} from './launch-transaction.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import { countActiveTaskRuns } from '../queue/capacity.ts';
import type { Database } from '../schema.ts';

/**
 * Creates the steps of launches of different jobs, which the caller has locked and runs concurrently. Rare
 * steps are not batched. All launches share the transaction: when one fails, all fail.
 */
export function createBatchedLaunchTransaction(db: Transaction<Database>): LaunchTransaction {
  const capacity = createCapacityCounter(db);
  const listActive = batchCalls((requests: readonly ActiveRunsRequest[]) => listActiveRuns(db, requests));
  return {
    ...createLaunchTransaction(db),
    countRuns: batchCalls((jobIds) => countRuns(db, jobIds)),
    listActiveRuns: (jobId, limit) => listActive({ jobId, limit }),
    reserveRunIds: batchCalls((counts) => reserveRunIdRanges(db, counts)),
    reserveNumberInJob: batchCalls((jobIds) => nextNumbersInJobs(db, jobIds)),
    countActiveTaskRuns: capacity.count,
    insertRun: batchCalls((runs: readonly NewRun[]) => {
      capacity.release(runs);
      return insertRuns(db, runs);
    }),
  };
}

/**
 * Collects the calls of one turn of the event loop and answers them with one call of `all`, in their order.
 */
function batchCalls<Request, Result>(
  all: (requests: readonly Request[]) => Promise<readonly Result[]>,
): (request: Request) => Promise<Result> {
  let waiting: {
    readonly request: Request;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const flush = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    try {
      const results = await all(calls.map((call) => call.request));
      for (const [index, result] of results.entries()) calls[index]?.resolve(result);
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  };
  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ request, resolve, reject });
    });
}

interface CapacityRequest {
  readonly added: number;
  readonly maximum: number;
  readonly runJobTasks: boolean;
}

/** Counts capacity for task runs; a later call sees what earlier calls reserved, stored or not. */
function createCapacityCounter(db: Transaction<Database>) {
  let reserved = 0;
  const count = batchCalls(async (asked: readonly CapacityRequest[]): Promise<WorkspaceLoad[]> => {
    const total = asked.reduce((sum, { added }) => sum + added, 0);
    const maximum = Math.min(...asked.map((request) => request.maximum));
    const stored = await countActiveTaskRuns(
      db,
      total + reserved,
      maximum,
      asked.some((request) => request.runJobTasks),
    );
    return asked.map(({ added }) => {
      // Reserved task runs all count as run_job_tasks: there are few of those, and the error is on the safe
      // side.
      const load = {
        taskRuns: stored.taskRuns + reserved,
        runJobTasks: stored.runJobTasks + reserved,
        hasWaitingRuns: stored.hasWaitingRuns,
      };
      if (load.taskRuns + added <= maximum) reserved += added;
      return load;
    });
  });
  return {
    count: (added: number, maximum: number, runJobTasks: boolean) => count({ added, maximum, runJobTasks }),
    /** Ends the reservation of runs that are stored now. */
    release(runs: readonly NewRun[]): void {
      for (const run of runs) if (run.state === 'PENDING') reserved -= run.parallelTasks.taskRuns;
    },
  };
}

async function countRuns(db: Transaction<Database>, jobIds: readonly number[]): Promise<JobRunCounts[]> {
  const { rows } = await sql<JobRunCounts & { job_id: number }>`
    select job_id, count(*) filter (where not is_queued)::bigint as active,
      count(*) filter (where is_queued)::bigint as queued
    from active_runs where is_queued in (false, true) and job_id = any(${jobIds}) group by job_id`.execute(
    db,
  );
  const loads = new Map(rows.map((row) => [row.job_id, row]));
  return jobIds.map((jobId) => loads.get(jobId) ?? { active: 0, queued: 0 });
}

interface ActiveRunsRequest {
  readonly jobId: number;
  readonly limit: number;
}

async function listActiveRuns(
  db: Transaction<Database>,
  requests: readonly ActiveRunsRequest[],
): Promise<number[][]> {
  const limit = Math.max(...requests.map((request) => request.limit));
  const { rows } = await sql<{ job_id: number; run_id: number }>`
    select given.job_id, active.run_id from unnest(${requests.map(({ jobId }) => jobId)}::bigint[]) as given (job_id),
      lateral (select run_id from active_runs where is_queued in (false, true) and job_id = given.job_id
        order by run_id limit ${limit}) as active`.execute(db);
  const runs = Map.groupBy(rows, (row) => row.job_id);
  return requests.map((request) =>
    (runs.get(request.jobId) ?? []).slice(0, request.limit).map((row) => row.run_id),
  );
}

async function reserveRunIdRanges(db: Transaction<Database>, counts: readonly number[]): Promise<number[][]> {
  const ids = await reserveRunIds(
    db,
    counts.reduce((sum, count) => sum + count, 0),
  );
  let start = 0;
  return counts.map((count) => ids.slice(start, (start += count)));
}

async function nextNumbersInJobs(db: Transaction<Database>, jobIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ job_id: number; runs_started: number }>`
    update jobs set runs_started = runs_started + 1 where job_id = any(${jobIds}) returning job_id, runs_started`.execute(
    db,
  );
  const numbers = new Map(rows.map((row) => [row.job_id, row.runs_started]));
  return jobIds.map((jobId) => numbers.get(jobId) ?? 0);
}

async function insertRuns(db: Transaction<Database>, runs: readonly NewRun[]): Promise<undefined[]> {
  const shares = await sharesSettings(db, runs);
  await insertMany(
    db,
    'runs',
    runs.map((run) => ({ ...runColumns(run), ...runDocumentColumns(run, shares) })),
  );
  await insertMany(
    db,
    'task_runs',
    runs.flatMap((run) => taskRunRows(run).map((row) => ({ ...row, explanation: run.explanation ?? null }))),
  );
  await insertOutboxEvents(
    db,
    runs.flatMap((run) => run.notifications),
  );
  return runs.map(() => undefined);
}
