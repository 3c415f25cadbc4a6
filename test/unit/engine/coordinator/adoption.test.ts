/** Adoption of runs whose engine was killed or lost its lease. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { cancelRun } from '../../../../engine/cancel.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { killable } from './killable-engine.ts';
import { emailSettings } from './run-settings.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
});
afterEach(() => harness.close());

test('a run that its previous node adopts back is driven once', async () => {
  const first = harness.startCoordinator();
  const runId = await harness.launchRun(first, graphSettings('a', 'b a'));
  await harness.waitForRunningTasks('a');
  await harness.runs.adopt('node-2', harness.clock.now(), 10);
  await harness.adoptRuns(first, 'node-1');
  await eventually(() => expect(harness.pool.assignments.map(({ taskKey }) => taskKey)).toEqual(['a', 'a']));
  harness.pool.endTask('a');
  await harness.waitForRunningTasks('b');
  expect([first.countDrivenRuns(), (await harness.getRun(runId)).run.fence]).toEqual([1, 3]);
  harness.pool.endTask('b');
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'a TERMINATED/SUCCESS',
    'b TERMINATED/SUCCESS',
  ]);
});

test('a run whose engine was killed between the start of its first task and its own start starts after the adoption, with its notification', async () => {
  const runId = await harness.launchRun(
    harness.startCoordinator({ runs: killable(harness.runs, () => true) }, 'kill'),
    { ...graphSettings('a', 'b a'), ...emailSettings },
  );
  await harness.database.db
    .updateTable('task_runs')
    .set({ state: 'RUNNING', start_time: 5, running_time: 5 })
    .where('job_run_id', '=', runId)
    .where('task_key', '=', 'a')
    .execute();
  const second = harness.startCoordinator({ nodeId: 'node-2' });
  await harness.adoptRuns(second);
  await harness.waitForRunningTasks('a');
  expect(describeRun(await harness.waitForRun(runId, ({ run }) => run.progress.state === 'RUNNING'))).toEqual(
    ['run RUNNING', 'a RUNNING', 'b PENDING'],
  );
  expect(await harness.describeNotifications()).toEqual(['run on_start']);
  await cancelRun({ runs: harness.runs, stopRun: second.stop }, runId);
  await harness.waitForRunEnd(runId);
});

test('a run whose timeout ended its tasks ends as TIMEDOUT after the engine was killed before it stored the reason', async () => {
  let dead = false;
  const first = harness.startCoordinator(
    {
      runs: {
        ...harness.runs,
        write: killable(harness.runs, () => dead).write,
        async requestStop() {
          dead = true;
          throw Object.assign(new Error('The database is starting up.'), { code: '57P03' });
        },
      },
    },
    'kill',
  );
  const runId = await harness.launchRun(first, { ...graphSettings('a'), timeout_seconds: 5 });
  await harness.waitForRunningTasks('a');
  harness.clock.advance(6_000);
  await harness.waitForRunningTasks();
  const second = harness.startCoordinator({ nodeId: 'node-2' });
  await harness.adoptRuns(second);
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/TIMEDOUT',
    'a TERMINATED/TIMEDOUT',
  ]);
});

test.each([
  [
    'of the run',
    { ...graphSettings('a'), timeout_seconds: 5 },
    ['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT'],
  ],
  [
    'of the task',
    { tasks: (graphSettings('a').tasks ?? []).map((task) => ({ ...task, timeout_seconds: 5 })) },
    ['run TERMINATED/FAILED', 'a TERMINATED/TIMEDOUT'],
  ],
])(
  'a task whose process the previous owner stops after the timeout %s ends as TIMEDOUT',
  async (_name, settings, expected) => {
    // The new owner cannot store the reason, so it stops nothing itself.
    const never = (): Promise<never> => new Promise(() => undefined);
    const second = harness.startCoordinator({
      nodeId: 'node-2',
      runs: { ...harness.runs, requestStop: never, requestTaskStop: never },
    });
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), settings);
    await harness.waitForRunningTasks('a');
    await harness.adoptRuns(second);
    await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
    harness.clock.setTime(harness.clock.now() + 6_000);
    harness.pool.endTask('a', { kind: 'stopped' });
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
  },
);
