/** Many launches in one transaction: the steps that they ask for at the same time become one statement. */
import { sql, type Transaction } from 'kysely';
import type { LaunchTransaction, NewRun } from '../engine/ports.ts';
import { launchTransaction, runRow, taskRunRows } from './launches.ts';
import { insertNotices } from './outbox.ts';
import { countForLaunch } from './room.ts';
import type { Database } from './schema.ts';

/**
 * The steps of launches of different jobs, which the caller has locked and takes side by side; steps that are rare are taken
 * one by one. The transaction is that of all of them: when one fails, none was launched.
 */
export function joinedLaunches(db: Transaction<Database>): LaunchTransaction {
  const room = createRoom(db);
  return {
    ...launchTransaction(db),
    countActiveRuns: joined((jobIds) => countActiveRuns(db, jobIds)),
    takeRunIds: joined((counts) => takeRunIds(db, counts)),
    nextNumberInJob: joined((jobIds) => nextNumbers(db, jobIds)),
    countActiveTaskRuns: room.count,
    insertRun: joined((runs: readonly NewRun[]) => {
      room.taken(runs);
      return insertRuns(db, runs);
    }),
  };
}

/** Collects the calls of one turn of the event loop and answers them by one call of `all`, in their order. */
function joined<Asked, Answer>(all: (asked: readonly Asked[]) => Promise<readonly Answer[]>): (asked: Asked) => Promise<Answer> {
  let waiting: { readonly asked: Asked; readonly resolve: (answer: Answer) => void; readonly reject: (error: unknown) => void }[] = [];
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
  return (asked) => new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(() => void flush());
    waiting.push({ asked, resolve, reject });
  });
}

/** Room for task runs: who asks later finds taken what was granted before, stored or not. */
function createRoom(db: Transaction<Database>) {
  let granted = 0;
  const count = joined(async (asked: readonly { readonly added: number; readonly most: number }[]) => {
    const total = asked.reduce((sum, { added }) => sum + added, 0);
    const most = Math.min(...asked.map((one) => one.most));
    const stored = await countForLaunch(db, total + granted, most);
    return asked.map(({ added }) => {
      const active = stored + granted;
      if (active + added <= most) granted += added;
      return active;
    });
  });
  return {
    count: (added: number, most: number) => count({ added, most }),
    /** From now on they are counted as stored. */
    taken(runs: readonly NewRun[]): void {
      for (const run of runs) if (run.state !== 'SKIPPED') granted -= run.tasks.length;
    },
  };
}

async function countActiveRuns(db: Transaction<Database>, jobIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ job_id: number; count: number }>`
    select job_id, count(*) as count from runs where active and job_id = any(${jobIds}) group by job_id`.execute(db);
  const counts = new Map(rows.map((row) => [row.job_id, row.count]));
  return jobIds.map((jobId) => counts.get(jobId) ?? 0);
}

async function takeRunIds(db: Transaction<Database>, counts: readonly number[]): Promise<number[][]> {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const { rows } = await sql<{ run_id: number }>`select nextval('run_ids') as run_id from generate_series(1, ${total})`.execute(db);
  let start = 0;
  return counts.map((count) => rows.slice(start, start += count).map((row) => row.run_id));
}

async function nextNumbers(db: Transaction<Database>, jobIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ job_id: number; runs_started: number }>`
    update jobs set runs_started = runs_started + 1 where job_id = any(${jobIds}) returning job_id, runs_started`.execute(db);
  const numbers = new Map(rows.map((row) => [row.job_id, row.runs_started]));
  return jobIds.map((jobId) => numbers.get(jobId) ?? 0);
}

async function insertRuns(db: Transaction<Database>, runs: readonly NewRun[]): Promise<undefined[]> {
  const parameters = ({ overridingParameters }: NewRun) => overridingParameters ?? null;
  await insertRows(db, 'runs', runs.map((run) => ({ ...runRow(run), settings: run.settings, overriding_parameters: parameters(run) })));
  await insertRows(db, 'task_runs', runs.flatMap(taskRunRows));
  await insertNotices(db, runs.flatMap((run) => run.notices));
  return runs.map(() => undefined);
}

/** One value for all rows: a statement with a value for each field is dear to write and to read. */
async function insertRows(db: Transaction<Database>, table: 'runs' | 'task_runs', rows: readonly object[]): Promise<void> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  const into = sql.table(table);
  await sql`insert into ${into} (${columns}) select ${columns} from jsonb_populate_recordset(null::${into}, ${JSON.stringify(rows)}::jsonb)`.execute(db);
}
