/** Failures of the engine: tasks that cannot be prepared, writes that fail, and lost ownership. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';

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

test('a task that cannot be prepared ends as INTERNAL_ERROR with the reason', async () => {
  const directories = {
    ensureClusterDirectory: async () => '/c',
    ensureAttemptDirectory: () => Promise.reject(new Error('no space left')),
    readTaskValues: async () => ({}),
    findSparkApplication: async () => undefined,
    readOutput: async () => undefined,
  };
  const runId = await harness.launchRun(harness.startCoordinator({ directories }), singleTaskSettings);
  const found = await harness.waitForRunEnd(runId);
  expect(describeRun(found)).toEqual(['run INTERNAL_ERROR/FAILED', 'main INTERNAL_ERROR/FAILED']);
  expect(found.run.progress.message).toContain('The engine failed this task: no space left');
});

test('a task of an unknown kind fails', async () => {
  const runId = await harness.launchRun(harness.startCoordinator(), { tasks: [{ task_key: 'a' }] });
  expect((await harness.waitForRunEnd(runId)).tasks[0]?.progress).toMatchObject({
    state: 'TERMINATED',
    result: 'FAILED',
    message: expect.stringContaining('This task has no kind that Runyard knows'),
  });
});

/** Returns a run store that rejects the writes for which `fails` returns true. */
const createFailingStore = (fails: (to: string | undefined, count: number) => boolean): RunStore => {
  let count = 0;
  return {
    ...harness.runs,
    write: (set) =>
      fails(set.changes[0]?.to, (count += 1))
        ? Promise.reject(new Error('The write failed.'))
        : harness.runs.write(set),
  };
};

test('a write that fails once ends only its task, and the run starts with the next task', async () => {
  const coordinator = harness.startCoordinator({ runs: createFailingStore((_to, count) => count === 1) });
  const runId = await harness.launchRun(coordinator, {
    ...graphSettings('a', 'b'),
    email_notifications: { on_start: ['s@x'] },
  });
  await harness.waitForRunningTasks('b');
  expect(
    describeRun(
      await harness.waitForRun(
        runId,
        ({ run, tasks }) => run.progress.state === 'RUNNING' && tasks[0]?.progress.state !== 'PENDING',
      ),
    ),
  ).toEqual(['run RUNNING', 'a INTERNAL_ERROR', 'b RUNNING']);
  harness.pool.endTask('b');
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/FAILED');
  expect(await harness.describeNotifications()).toEqual(['run on_start']);
});

test('a run whose end cannot be stored is released, and another engine ends it', async () => {
  const coordinator = harness.startCoordinator({
    runs: createFailingStore((to) => to === 'TERMINATING' || to === 'INTERNAL_ERROR'),
  });
  const runId = await harness.launchRun(coordinator, singleTaskSettings);
  await harness.waitForRunningTasks('main');
  harness.pool.endTask('main');
  await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
  expect(describeRun(await harness.getRun(runId))).toEqual(['run RUNNING', 'main RUNNING']);
  await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'main TERMINATED/SUCCESS',
  ]);
});

test('a run that another engine has adopted is released, and nothing is written for it', async () => {
  const coordinator = harness.startCoordinator();
  const runId = await harness.launchRun(coordinator, graphSettings('a', 'b a'));
  await harness.waitForRunningTasks('a');
  await harness.runs.adopt('node-2', harness.clock.now(), 10);
  harness.pool.endTask('a');
  await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
  expect(describeRun(await harness.getRun(runId))).toEqual(['run RUNNING', 'a RUNNING', 'b PENDING']);
  expect(harness.clock.pendingCount()).toBe(0);
});
