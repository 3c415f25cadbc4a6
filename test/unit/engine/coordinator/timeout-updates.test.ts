/**
 * Other timeouts for active runs: the old timers are gone, the new ones count from the start (spec 4.1 rules
 * 2 and 3).
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
let coordinator: Coordinator;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
  coordinator = harness.startCoordinator();
});
afterEach(() => harness.close());

const pair = (run: number | undefined, a: number | undefined): JobSettings => ({
  ...(run !== undefined && { timeout_seconds: run }),
  tasks: (graphSettings('a', 'b').tasks ?? []).map((task) =>
    task.task_key === 'a' && a !== undefined ? { ...task, timeout_seconds: a } : task,
  ),
});
const single = (timeout: number | undefined): JobSettings => ({
  ...singleTaskSettings,
  ...(timeout !== undefined && { timeout_seconds: timeout }),
});

/** Changes the settings of the run's job, as reset does. */
async function change(
  runId: number,
  settings: JobSettings,
  drivenBy: Coordinator = coordinator,
): Promise<void> {
  const found = await harness.runs.find(runId);
  const retimed = await changeJob(database.db, found?.run.jobId ?? 0, () => settings, harness.clock.now());
  for (const run of retimed ?? []) drivenBy.updateTimeouts(run.runId, run.settings);
}

const ways: [string, (seconds: number | undefined) => JobSettings, string[], string[]][] = [
  ['a single-task run', single, ['main'], ['run TERMINATED/TIMEDOUT', 'main TERMINATED/TIMEDOUT']],
  [
    'a multi-task run',
    (seconds) => pair(seconds, undefined),
    ['a', 'b'],
    ['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT', 'b TERMINATED/TIMEDOUT'],
  ],
];

test.each(ways)(
  '%s that had no timeout gets one, counted from its start',
  async (_name, settings, tasks, ends) => {
    const runId = await harness.launchRun(coordinator, settings(undefined));
    await harness.waitForRunningTasks(...tasks);
    harness.clock.advance(4_000);
    await change(runId, settings(10));
    harness.clock.advance(5_999);
    expect(harness.pool.runningTasks()).toEqual(tasks);
    harness.clock.advance(1);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(ends);
  },
);

test.each(ways)('%s gets more time', async (_name, settings, tasks, ends) => {
  const runId = await harness.launchRun(coordinator, settings(10));
  await harness.waitForRunningTasks(...tasks);
  await change(runId, settings(20));
  harness.clock.advance(19_999);
  expect(harness.pool.runningTasks()).toEqual(tasks);
  harness.clock.advance(1);
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(ends);
});

test.each(ways)('%s whose new time is over already ends at once', async (_name, settings, tasks, ends) => {
  const runId = await harness.launchRun(coordinator, settings(100));
  await harness.waitForRunningTasks(...tasks);
  harness.clock.advance(50_000);
  await change(runId, settings(50));
  harness.clock.advance(0);
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(ends);
});

test.each(ways)('%s whose timeout is removed has no timer left', async (_name, settings, tasks) => {
  const runId = await harness.launchRun(coordinator, settings(10));
  await harness.waitForRunningTasks(...tasks);
  expect(harness.clock.pendingCount()).toBe(1);
  await change(runId, settings(undefined));
  expect(harness.clock.pendingCount()).toBe(0);
  for (const key of tasks) harness.pool.endTask(key);
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});

test.each(ways)(
  '%s that another engine adopts keeps what was changed',
  async (_name, settings, tasks, ends) => {
    const runId = await harness.launchRun(coordinator, settings(10));
    await harness.waitForRunningTasks(...tasks);
    await change(runId, settings(20));
    await coordinator.close();
    harness.clock.advance(15_000);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    expect(harness.pool.runningTasks()).toEqual(tasks);
    harness.clock.advance(5_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(ends);
  },
);

test('a task is stopped by its new timeout, and the others go on', async () => {
  const runId = await harness.launchRun(coordinator, pair(undefined, undefined));
  await harness.waitForRunningTasks('a', 'b');
  await change(runId, pair(undefined, 5));
  harness.clock.advance(5_000);
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b');
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/TIMEDOUT',
    'b TERMINATED/SUCCESS',
  ]);
});

test('a task that waits takes its new timeout with it when it starts', async () => {
  const waiting = (seconds?: number): JobSettings => ({
    tasks: (graphSettings('a', 'b a').tasks ?? []).map((task) =>
      task.task_key === 'b' && seconds !== undefined ? { ...task, timeout_seconds: seconds } : task,
    ),
  });
  const runId = await harness.launchRun(coordinator, waiting());
  await harness.waitForRunningTasks('a');
  await change(runId, waiting(5));
  harness.clock.advance(60_000);
  harness.pool.endTask('a');
  await harness.waitForRunningTasks('b');
  await harness.waitForRun(runId, ({ tasks }) => tasks[1]?.progress.state === 'RUNNING');
  harness.clock.advance(4_999);
  expect(harness.pool.runningTasks()).toEqual(['b']);
  harness.clock.advance(1);
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/SUCCESS',
    'b TERMINATED/TIMEDOUT',
  ]);
});

test('a longer timeout does not take back a stop by the earlier one', async () => {
  harness.pool.ignoreStops = true;
  const runId = await harness.launchRun(coordinator, single(10));
  await harness.waitForRunningTasks('main');
  harness.clock.advance(10_000);
  await eventually(() => expect(harness.pool.stopCount('main')).toBeGreaterThan(0));
  await change(runId, single(undefined));
  harness.pool.endTask('main', { kind: 'stopped' });
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
});

test('a run that this node does not drive is left alone', async () => {
  const runId = await harness.launchRun(coordinator, single(10));
  await harness.waitForRunningTasks('main');
  await change(runId, single(20), harness.startCoordinator({ nodeId: 'node-2' }));
  harness.pool.endTask('main');
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});
