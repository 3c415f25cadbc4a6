/**
 * Group commit of the state writer: concurrent change sets share statements, and survive broken connections.
 */
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import type { RunStore } from '../../../engine/ports/runs.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import { stepOf, type StepEvent, type StepFacts } from '../../../engine/run/step.ts';
import { openDatabase } from '../../../storage/postgres/database.ts';
import { retryTransient } from '../../../storage/postgres/transient-errors.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createTestRunStore,
  singleTaskSettings,
  createSubmittedRun,
  createSubmittedRuns,
} from './run-fixtures.ts';
import {
  createNotification,
  runSubject,
  stepTime,
  stepTogether,
  taskOf,
  taskSubject,
} from './state-change-fixtures.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
let runs: RunStore;

beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

/** Writes the steps of a run from its preparation to its end, and calls `onWrite` when a write has begun. */
async function writeToEnd(stored: RunWithTasks, onWrite: () => void = () => undefined): Promise<void> {
  let current = stored;
  const steps: [StepEvent, StepFacts][] = [
    ['prepare', {}],
    ['begin', {}],
    ['finish', { result: 'SUCCESS' }],
    ['clean', {}],
  ];
  for (const [event, facts] of steps) {
    const { set, next } = stepTogether(current, event, facts);
    const notifications = event === 'begin' ? [createNotification(stored.run.runId)] : [];
    const writing = runs.write({ ...set, notifications });
    onWrite();
    expect(await writing).toBe('written');
    current = next;
  }
}

/** Expects every run to have ended and to have exactly one notification. */
async function expectAllEnded(stored: readonly RunWithTasks[]): Promise<void> {
  const ids = stored.map(({ run }) => run.runId);
  const rows = await database.db
    .selectFrom('runs')
    .innerJoin('task_runs', 'task_runs.job_run_id', 'runs.run_id')
    .select(['runs.state', 'runs.active', 'task_runs.state as task_state'])
    .where('runs.run_id', 'in', ids)
    .execute();
  expect(rows).toEqual(ids.map(() => ({ state: 'TERMINATED', active: false, task_state: 'TERMINATED' })));
  const notified = await database.db
    .selectFrom('outbox')
    .select('run_id')
    .where('run_id', 'in', ids)
    .execute();
  expect(notified.map((row) => row.run_id ?? 0).toSorted((one, other) => one - other)).toEqual(
    ids.toSorted((one, other) => one - other),
  );
}

describe('group commit', () => {
  test('writes the steps of 300 concurrent runs in fewer than 300 statements', async () => {
    const stored = await createSubmittedRuns(runs, singleTaskSettings, 300);
    const before = database.queryCount();
    await Promise.all(stored.map((one) => writeToEnd(one)));
    expect(database.queryCount() - before).toBeLessThan(300);
    await expectAllEnded(stored);
  });

  test('writes two concurrent changes of one row in order', async () => {
    const [first, second] = await Promise.all([
      createSubmittedRun(runs, graphSettings('a')),
      createSubmittedRun(runs, graphSettings('a')),
    ]);
    // Keeps both writers busy: the next changes then share a batch.
    const busy = [first, second].map((one) =>
      runs.write({ changes: [stepOf(runSubject(one), 'begin', stepTime).change], notifications: [] }),
    );
    const begin = stepOf(taskSubject(taskOf(first)), 'begin', stepTime);
    const finish = stepOf(
      { ...taskSubject(taskOf(first)), progress: begin.progress },
      'finish',
      stepTime + 1,
      { result: 'SUCCESS' },
    );
    const answers = await Promise.all(
      [begin, finish].map(({ change }) => runs.write({ changes: [change], notifications: [] })),
    );
    expect([...answers, ...(await Promise.all(busy))]).toEqual(['written', 'written', 'written', 'written']);
    expect((await runs.find(first.run.runId))?.tasks[0]?.progress).toEqual(finish.progress);
  });
});

test('connections that break again and again during writes lose no change and store none twice', async () => {
  const stored = await createSubmittedRuns(runs, singleTaskSettings, 200);
  const killer = openDatabase(inject('postgres'), log, { maxConnections: 1 });
  let writes = 0;
  const kills: Promise<number>[] = [];
  const kill = async (): Promise<number> => {
    const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${database.address.database} order by random() limit 3`.execute(killer.db);
    return rows.length;
  };
  const onWrite = (): void => {
    writes += 1;
    // The kills run one after the other because they share a connection.
    if (writes % 25 === 0) kills.push((kills.at(-1) ?? Promise.resolve(0)).then(kill));
  };
  try {
    for (let start = 0; start < stored.length; start += 20) {
      await Promise.all(stored.slice(start, start + 20).map((one) => writeToEnd(one, onWrite)));
    }
    const killed = await Promise.all(kills);
    expect(killed.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(20);
  } finally {
    await Promise.allSettled(kills);
    await killer.close();
  }
  // Some connections may still be closing.
  await retryTransient(systemClock, log, () => expectAllEnded(stored));
});
