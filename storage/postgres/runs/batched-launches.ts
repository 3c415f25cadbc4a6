/** Many launches in one transaction: the steps that they ask for at the same time become one statement. */
import { sql, type Transaction } from 'kysely';
import type { NewRun } from '../../../engine/run/new-run.ts';
import type { JobRunCounts, LaunchTransaction, WorkspaceLoad } from '../../../engine/ports/runs.ts';
import { insertMany } from '../insert-many.ts';
import {
  createLaunchTransaction,
  runDocumentColumns,
  runColumns,
  reserveRunIds,
  taskRunRows,
} from './launch-transaction.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import { countActiveTaskRuns } from '../queue/capacity.ts';
import type { Database } from '../schema.ts';

/**
 * The steps of launches of different jobs, which the caller has locked and takes side by side; steps that are
 * rare are taken one by one. The transaction is that of all of them: when one fails, none was launched.
 */
export function createBatchedLaunchTransaction(db: Transaction<Database>): LaunchTransaction {
  const room = createCapacityCounter(db);
  return {
    ...createLaunchTransaction(db),
    countRuns: batchCalls((jobIds) => countRuns(db, jobIds)),
    reserveRunIds: batchCalls((counts) => reserveRunIdRanges(db, counts)),
    reserveNumberInJob: batchCalls((jobIds) => nextNumbersInJobs(db, jobIds)),
    countActiveTaskRuns: room.count,
    insertRun: batchCalls((runs: readonly NewRun[]) => {
      room.taken(runs);
      return insertRuns(db, runs);
    }),
  };
}

/** Collects the calls of one turn of the event loop and answers them by one call of `all`, in their order. */
function batchCalls<Asked, Answer>(
  all: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  let waiting: {
    readonly asked: Asked;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const flush = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    try {
      const answers = await all(calls.map((call) => call.asked));
      for (const [index, answer] of answers.entries()) calls[index]?.resolve(answer);
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  };
  return (asked) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ asked, resolve, reject });
    });
}

interface CapacityRequest {
  readonly added: number;
  readonly maximum: number;
  readonly runJobTasks: boolean;
}

/** Room for task runs: who asks later finds taken what was granted before, stored or not. */
function createCapacityCounter(db: Transaction<Database>) {
  let granted = 0;
  const count = batchCalls(async (asked: readonly CapacityRequest[]): Promise<WorkspaceLoad[]> => {
    const total = asked.reduce((sum, { added }) => sum + added, 0);
    const most = Math.min(...asked.map((one) => one.maximum));
    const stored = await countActiveTaskRuns(
      db,
      total + granted,
      most,
      asked.some((one) => one.runJobTasks),
    );
    return asked.map(({ added }) => {
      // Which of them are run_job_tasks is not told: there are few, and taking all for such errs on the safe
      // side.
      const load = {
        taskRuns: stored.taskRuns + granted,
        runJobTasks: stored.runJobTasks + granted,
        hasWaitingRuns: stored.hasWaitingRuns,
      };
      if (load.taskRuns + added <= most) granted += added;
      return load;
    });
  });
  return {
    count: (added: number, most: number, runJobTasks: boolean) =>
      count({ added, maximum: most, runJobTasks }),
    /** From now on they are counted as stored. */
    taken(runs: readonly NewRun[]): void {
      for (const run of runs) if (run.state === 'PENDING') granted -= run.tasks.length;
    },
  };
}

async function countRuns(db: Transaction<Database>, jobIds: readonly number[]): Promise<JobRunCounts[]> {
  const { rows } = await sql<JobRunCounts & { job_id: number }>`
    select job_id, count(*) filter (where queue_code is null)::bigint as active, count(queue_code)::bigint as queued
    from runs where active and job_id = any(${jobIds}) group by job_id`.execute(db);
  const loads = new Map(rows.map((row) => [row.job_id, row]));
  return jobIds.map((jobId) => loads.get(jobId) ?? { active: 0, queued: 0 });
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
  await insertMany(
    db,
    'runs',
    runs.map((run) => ({ ...runColumns(run), ...runDocumentColumns(run) })),
  );
  await insertMany(
    db,
    'task_runs',
    runs.flatMap((run) => taskRunRows(run).map((row) => ({ ...row }))),
  );
  await insertOutboxEvents(
    db,
    runs.flatMap((run) => run.notifications),
  );
  return runs.map(() => undefined);
}
