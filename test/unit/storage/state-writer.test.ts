/** State writer: writes a change set whole and only in the expected state and fence. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunStore } from '../../../engine/ports/runs.ts';
import { resultStates } from '../../../engine/run/states.ts';
import { stepOf, type StateChange } from '../../../engine/run/step.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import { allowedStepsFrom } from '../engine/run/allowed-steps.ts';
import {
  graphSettings,
  createTestRunStore,
  singleTaskSettings,
  createSubmittedRun,
  createSubmittedRuns,
} from './run-fixtures.ts';
import {
  createNotification,
  listNotifiedEvents,
  stepTime,
  stepTogether,
  taskOf,
  taskSubject,
} from './state-change-fixtures.ts';

let database: TestDatabase;
let runs: RunStore;

beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

describe('a change', () => {
  test.each<[string, Partial<StateChange>, 'written' | 'refused']>([
    ['the current state and fence', {}, 'written'],
    ['another state', { from: 'RUNNING' }, 'refused'],
    ['an older fence', { fence: 0 }, 'refused'],
    ['a newer fence', { fence: 2 }, 'refused'],
    ['a run that does not exist', { runId: 999_999 }, 'refused'],
    ['a run id where a task run is meant', { kind: 'run' }, 'refused'],
  ])('with %s (%j) is %s', async (_name, wrong, answer) => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    const { change, progress } = stepOf(taskSubject(taskOf(stored)), 'begin', stepTime);
    expect(await runs.write({ changes: [{ ...change, ...wrong }], notifications: [] })).toBe(answer);
    const found = await runs.find(stored.run.runId);
    expect(found?.tasks[0]?.progress).toEqual(answer === 'written' ? progress : stored.tasks[0]?.progress);
    expect(found?.run.progress).toEqual(stored.run.progress);
  });

  test('is refused when it is written again', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    const { change } = stepOf(taskSubject(taskOf(stored)), 'begin', stepTime);
    const answers = [
      await runs.write({ changes: [change], notifications: [] }),
      await runs.write({ changes: [change], notifications: [] }),
    ];
    expect(answers).toEqual(['written', 'refused']);
  });

  test('of a task stores its cluster and its Spark context', async () => {
    const stored = await createSubmittedRun(runs, graphSettings('a'));
    const facts = { clusterId: '0101-000000-abcdefgh', sparkContextId: '123' };
    await runs.write({
      changes: [stepOf(taskSubject(taskOf(stored)), 'begin', stepTime, facts).change],
      notifications: [],
    });
    expect((await runs.find(stored.run.runId))?.tasks[0]).toMatchObject(facts);
  });
});

describe('a change set', () => {
  test('with a wrong fence of the task changes neither the task nor the run', async () => {
    const stored = await createSubmittedRun(runs, singleTaskSettings);
    const { changes } = stepTogether(stored, 'begin').set;
    const late = changes.map((change) => (change.kind === 'task' ? { ...change, fence: 9 } : change));
    expect(await runs.write({ changes: late, notifications: [createNotification(stored.run.runId)] })).toBe(
      'refused',
    );
    expect(await runs.find(stored.run.runId)).toEqual(stored);
    expect(await listNotifiedEvents(database.db, stored.run.runId)).toEqual([]);
  });

  test('that is refused fails no other set of its batch; notifications are stored with written sets only', async () => {
    const stored = await createSubmittedRuns(runs, singleTaskSettings, 9);
    const answers = await Promise.all(
      stored.map((one, index) => {
        const { changes } = stepTogether(one, 'begin').set;
        return runs.write({
          changes: index % 3 === 0 ? changes.map((change) => ({ ...change, fence: 9 })) : changes,
          notifications: [createNotification(one.run.runId), createNotification(one.run.runId, 'on_failure')],
        });
      }),
    );
    expect(answers).toEqual(stored.map((_, index) => (index % 3 === 0 ? 'refused' : 'written')));
    for (const [index, { run }] of stored.entries()) {
      expect(await listNotifiedEvents(database.db, run.runId)).toEqual(
        index % 3 === 0 ? [] : ['on_start', 'on_failure'],
      );
      expect((await runs.find(run.runId))?.run.progress.state).toBe(index % 3 === 0 ? 'PENDING' : 'RUNNING');
    }
  });

  test('that violates a constraint is rejected alone', async () => {
    const stored = await createSubmittedRuns(runs, singleTaskSettings, 5);
    const answers = await Promise.allSettled(
      stored.map((one, index) => {
        const { changes } = stepTogether(one, 'begin').set;
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

  test('with 9000 notifications, more than one statement can carry, is written', async () => {
    const stored = await createSubmittedRun(runs, singleTaskSettings);
    const notifications = Array.from({ length: 9_000 }, () => createNotification(stored.run.runId));
    expect(await runs.write({ ...stepTogether(stored, 'begin').set, notifications })).toBe('written');
    expect(await listNotifiedEvents(database.db, stored.run.runId)).toHaveLength(9_000);
  });
});

test.each([
  ['a NUL character', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
])('a message with %s is stored with a replacement character', async (_name, message) => {
  const stored = await createSubmittedRun(runs, graphSettings('a'));
  expect(
    await runs.write({
      changes: [stepOf(taskSubject(taskOf(stored)), 'break', stepTime, { message }).change],
      notifications: [],
    }),
  ).toBe('written');
  expect((await runs.find(stored.run.runId))?.tasks[0]?.progress.message).toBe('a\ufffdb');
});

test('the stored state equals the one in memory after any allowed sequence of steps, also when the clock steps back', async () => {
  const choice = fc.record({
    pick: fc.nat(),
    now: fc.integer({ min: 0, max: 1_000 }),
    result: fc.constantFrom(...resultStates),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(choice, { minLength: 3, maxLength: 8 }), async (choices) => {
      const stored = await createSubmittedRun(runs, graphSettings('a'));
      let task = taskOf(stored);
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
