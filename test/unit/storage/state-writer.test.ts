/** Writing states: expected state and fence, all or nothing, group commit, and a database that goes away. */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import type { ChangeSet, RunStore } from '../../../engine/ports/runs.ts';
import type { StateChange } from '../../../engine/run/step.ts';
import type { RunNotification } from '../../../engine/run/notification.ts';
import { stepOf, type StepEvent, type StepFacts, type StepSubject } from '../../../engine/run/step.ts';
import type { RunWithTasks, TaskRun } from '../../../engine/run/run.ts';
import { resultStates } from '../../../engine/run/states.ts';
import { openDatabase } from '../../../storage/postgres/database.ts';
import { retryTransient } from '../../../storage/postgres/transient-errors.ts';
import { allowedStepsFrom } from '../engine/run/allowed-steps.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  graphSettings,
  createTestRunStore,
  singleTaskSettings,
  createSubmittedRun,
  createSubmittedRuns,
} from './run-fixtures.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
let runs: RunStore;

beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error('There is none.');
  return item;
}

const taskSubject = (task: TaskRun): StepSubject => ({ kind: 'task', ...task });
const runSubject = ({ run }: RunWithTasks): StepSubject => ({ kind: 'run', ...run });

function notice(runId: number, event: RunNotification['event'] = 'on_start'): RunNotification {
  return { event, channel: 'email', recipient: 'a@x', jobId: 1, runId, taskKey: undefined, createdTime: 5 };
}

async function noticesOf(runId: number): Promise<string[]> {
  const rows = await database.db
    .selectFrom('outbox')
    .select('event')
    .where('run_id', '=', runId)
    .orderBy('outbox_event_id')
    .execute();
  return rows.map(({ event }) => event);
}

/** Run and task of a single-task run move together. */
function together(
  stored: RunWithTasks,
  event: StepEvent,
  facts: StepFacts = {},
  now = 2_000_000_000_000,
): { set: ChangeSet; next: RunWithTasks } {
  const task = only(stored.tasks);
  const [runStep, taskStep] = [
    stepOf(runSubject(stored), event, now, facts),
    stepOf(taskSubject(task), event, now, facts),
  ];
  return {
    set: { changes: [runStep.change, taskStep.change], notifications: [] },
    next: {
      run: { ...stored.run, progress: runStep.progress },
      tasks: [{ ...task, progress: taskStep.progress }],
    },
  };
}

describe('a change is written only in the state and fence that it names', () => {
  test.each<[string, Partial<StateChange>, 'written' | 'refused']>([
    ['as it is', {}, 'written'],
    ['another state', { from: 'RUNNING' }, 'refused'],
    ['an older fence', { fence: 0 }, 'refused'],
    ['a newer fence', { fence: 2 }, 'refused'],
    ['a run that does not exist', { runId: 999_999 }, 'refused'],
    ['a run id where a task run is meant', { kind: 'run' }, 'refused'],
  ])('%s', async (_name, wrong, answer) => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    const { change, progress } = stepOf(taskSubject(only(stored.tasks)), 'begin', 2_000_000_000_000);
    expect(await runs.write({ changes: [{ ...change, ...wrong }], notifications: [] })).toBe(answer);
    const found = await runs.find(stored.run.runId);
    expect(found?.tasks[0]?.progress).toEqual(answer === 'written' ? progress : stored.tasks[0]?.progress);
    expect(found?.run.progress).toEqual(stored.run.progress);
  });

  test('the same change again is refused', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    const { change } = stepOf(taskSubject(only(stored.tasks)), 'begin', 2_000_000_000_000);
    const answers = [
      await runs.write({ changes: [change], notifications: [] }),
      await runs.write({ changes: [change], notifications: [] }),
    ];
    expect(answers).toEqual(['written', 'refused']);
  });

  test('cluster and context are stored with the task', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    const facts = { clusterId: '0101-000000-abcdefgh', sparkContextId: '123' };
    await runs.write({
      changes: [stepOf(taskSubject(only(stored.tasks)), 'begin', 2_000_000_000_000, facts).change],
      notifications: [],
    });
    expect((await runs.find(stored.run.runId))?.tasks[0]).toMatchObject(facts);
  });
});

describe('a set is written whole or not at all', () => {
  test('a wrong fence of the task leaves the run alone, too', async () => {
    const stored = await createSubmittedRun(runs, singleTaskSettings);
    const { changes } = together(stored, 'begin').set;
    const late = changes.map((change) => (change.kind === 'task' ? { ...change, fence: 9 } : change));
    expect(await runs.write({ changes: late, notifications: [notice(stored.run.runId)] })).toBe('refused');
    expect(await runs.find(stored.run.runId)).toEqual(stored);
    expect(await noticesOf(stored.run.runId)).toEqual([]);
  });

  test('a refused set takes no other set of its batch down, and notices are stored exactly with what was written', async () => {
    const stored = await createSubmittedRuns(runs, singleTaskSettings, 9);
    const answers = await Promise.all(
      stored.map((one, index) => {
        const { changes } = together(one, 'begin').set;
        const third = index % 3 === 0;
        return runs.write({
          changes: third ? changes.map((change) => ({ ...change, fence: 9 })) : changes,
          notifications: [notice(one.run.runId), notice(one.run.runId, 'on_failure')],
        });
      }),
    );
    expect(answers).toEqual(stored.map((_, index) => (index % 3 === 0 ? 'refused' : 'written')));
    for (const [index, { run }] of stored.entries()) {
      expect(await noticesOf(run.runId)).toEqual(index % 3 === 0 ? [] : ['on_start', 'on_failure']);
      expect((await runs.find(run.runId))?.run.progress.state).toBe(index % 3 === 0 ? 'PENDING' : 'RUNNING');
    }
  });

  test('a set that the database cannot take is rejected alone', async () => {
    const stored = await createSubmittedRuns(runs, singleTaskSettings, 5);
    const answers = await Promise.allSettled(
      stored.map((one, index) => {
        const { changes } = together(one, 'begin').set;
        // A running run with a result breaks a CHECK.
        return runs.write({
          changes: index === 2 ? changes.map((change) => ({ ...change, result: 'FAILED' })) : changes,
          notifications: [],
        });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    const states = await Promise.all(
      stored.map(async ({ run }) => (await runs.find(run.runId))?.run.progress.state),
    );
    expect(states).toEqual(['RUNNING', 'RUNNING', 'PENDING', 'RUNNING', 'RUNNING']);
  });

  test('more notices than one statement can carry are stored', async () => {
    const stored = await createSubmittedRun(runs, singleTaskSettings);
    const notices = Array.from({ length: 9_000 }, () => notice(stored.run.runId));
    expect(await runs.write({ ...together(stored, 'begin').set, notifications: notices })).toBe('written');
    expect(await noticesOf(stored.run.runId)).toHaveLength(9_000);
  });
});

test.each([
  ['a NUL character', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
])('a message with %s is stored without it', async (_name, message) => {
  const stored = await createSubmittedRun(runs, graphSettings('a'));
  expect(
    await runs.write({
      changes: [stepOf(taskSubject(only(stored.tasks)), 'break', 2_000_000_000_000, { message }).change],
      notifications: [],
    }),
  ).toBe('written');
  expect((await runs.find(stored.run.runId))?.tasks[0]?.progress.message).toBe('a\ufffdb');
});

describe('group commit', () => {
  test('hundreds of lives at once need few statements, and every run ends', async () => {
    const stored = await createSubmittedRuns(runs, singleTaskSettings, 300);
    const before = database.queryCount();
    await Promise.all(stored.map((one) => liveThrough(one)));
    expect(database.queryCount() - before).toBeLessThan(300);
    await expectAllOver(stored);
  });

  test('two changes of one row that were asked for without waiting are both written, in order', async () => {
    const [first, second] = await Promise.all([
      createSubmittedRun(runs, graphSettings('a')),
      createSubmittedRun(runs, graphSettings('a')),
    ]);
    // Keeps both writers busy, so that the changes that follow meet in one batch.
    const busy = [first, second].map((one) =>
      runs.write({
        changes: [stepOf(runSubject(one), 'begin', 2_000_000_000_000).change],
        notifications: [],
      }),
    );
    const begin = stepOf(taskSubject(only(first.tasks)), 'begin', 2_000_000_000_000);
    const finish = stepOf(
      { ...taskSubject(only(first.tasks)), progress: begin.progress },
      'finish',
      2_000_000_000_001,
      { result: 'SUCCESS' },
    );
    const answers = await Promise.all(
      [begin, finish].map(({ change }) => runs.write({ changes: [change], notifications: [] })),
    );
    expect([...answers, ...(await Promise.all(busy))]).toEqual(['written', 'written', 'written', 'written']);
    expect((await runs.find(first.run.runId))?.tasks[0]?.progress).toEqual(finish.progress);
  });
});

/**
 * Writes all steps of a life, one after the other; each must be written. `onWrite` is called when one has
 * begun.
 */
async function liveThrough(stored: RunWithTasks, onWrite: () => void = () => undefined): Promise<void> {
  let current = stored;
  const steps: [StepEvent, StepFacts][] = [
    ['prepare', {}],
    ['begin', {}],
    ['finish', { result: 'SUCCESS' }],
    ['clean', {}],
  ];
  for (const [event, facts] of steps) {
    const { set, next } = together(current, event, facts);
    const notices = event === 'begin' ? [notice(stored.run.runId)] : [];
    const writing = runs.write({ ...set, notifications: notices });
    onWrite();
    expect(await writing).toBe('written');
    current = next;
  }
}

async function expectAllOver(stored: readonly RunWithTasks[]): Promise<void> {
  const ids = stored.map(({ run }) => run.runId);
  const rows = await database.db
    .selectFrom('runs')
    .innerJoin('task_runs', 'task_runs.job_run_id', 'runs.run_id')
    .select(['runs.state', 'runs.active', 'task_runs.state as task_state'])
    .where('runs.run_id', 'in', ids)
    .execute();
  expect(rows).toEqual(ids.map(() => ({ state: 'TERMINATED', active: false, task_state: 'TERMINATED' })));
  const told = await database.db.selectFrom('outbox').select('run_id').where('run_id', 'in', ids).execute();
  expect(told.map((row) => row.run_id ?? 0).toSorted((one, other) => one - other)).toEqual(
    ids.toSorted((one, other) => one - other),
  );
}

test('memory and rows agree after any legal sequence of events, also when the clock steps back', async () => {
  const choice = fc.record({
    pick: fc.nat(),
    now: fc.integer({ min: 0, max: 1_000 }),
    result: fc.constantFrom(...resultStates),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(choice, { minLength: 3, maxLength: 8 }), async (choices) => {
      const stored = await createSubmittedRun(runs, graphSettings('a'));
      let task = only(stored.tasks);
      for (const { pick, now, result } of choices) {
        const { state } = task.progress;
        const possible = allowedStepsFrom(state);
        const row = possible[pick % possible.length];
        if (row === undefined) break;
        const { change, progress } = stepOf(
          taskSubject(task),
          row.on,
          now,
          row.on === 'finish' ? { result, message: `at ${now}` } : {},
        );
        expect(await runs.write({ changes: [change], notifications: [] })).toBe('written');
        task = { ...task, progress };
        expect((await runs.find(stored.run.runId))?.tasks).toEqual([task]);
      }
    }),
    { numRuns: 40 },
  );
});

test('a database that goes away again and again while it is written loses and doubles nothing', async () => {
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
    // One after the other: they share a connection.
    if (writes % 25 === 0) kills.push((kills.at(-1) ?? Promise.resolve(0)).then(kill));
  };
  try {
    for (let start = 0; start < stored.length; start += 20) {
      await Promise.all(stored.slice(start, start + 20).map((one) => liveThrough(one, onWrite)));
    }
    const killed = await Promise.all(kills);
    expect(killed.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(20);
  } finally {
    await Promise.allSettled(kills);
    await killer.close();
  }
  // The last connections may still be ending.
  await retryTransient(systemClock, log, () => expectAllOver(stored));
});
