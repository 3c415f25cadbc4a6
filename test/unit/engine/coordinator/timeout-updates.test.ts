/**
 * Changed timeouts of active runs: they replace the old ones and count from the start (spec 4.1 rules 2, 3).
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

/** Changes the settings of the run's job, as jobs/reset does. */
async function resetJob(
  runId: number,
  settings: JobSettings,
  drivenBy: Coordinator = coordinator,
): Promise<void> {
  const found = await harness.runs.find(runId);
  const updatedRuns = await changeJob(
    database.db,
    found?.run.jobId ?? 0,
    () => settings,
    harness.clock.now(),
  );
  for (const run of updatedRuns ?? []) drivenBy.updateTimeouts(run.runId, run.settings);
}

const cases: [string, (seconds: number | undefined) => JobSettings, string[], string[]][] = [
  ['a single-task run', single, ['main'], ['run TERMINATED/TIMEDOUT', 'main TERMINATED/TIMEDOUT']],
  [
    'a multi-task run',
    (seconds) => pair(seconds, undefined),
    ['a', 'b'],
    ['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT', 'b TERMINATED/TIMEDOUT'],
  ],
];

test.each(cases)(
  '%s that receives its first timeout counts it from its start',
  async (_name, settings, tasks, expected) => {
    const runId = await harness.launchRun(coordinator, settings(undefined));
    await harness.waitForRunningTasks(...tasks);
    harness.clock.advance(4_000);
    await resetJob(runId, settings(10));
    harness.clock.advance(5_999);
    expect(harness.pool.runningTasks()).toEqual(tasks);
    harness.clock.advance(1);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
  },
);

test.each(cases)(
  '%s with a longer timeout ends at the new time',
  async (_name, settings, tasks, expected) => {
    const runId = await harness.launchRun(coordinator, settings(10));
    await harness.waitForRunningTasks(...tasks);
    await resetJob(runId, settings(20));
    harness.clock.advance(19_999);
    expect(harness.pool.runningTasks()).toEqual(tasks);
    harness.clock.advance(1);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
  },
);

test.each(cases)(
  '%s whose new timeout has already passed ends at once',
  async (_name, settings, tasks, expected) => {
    const runId = await harness.launchRun(coordinator, settings(100));
    await harness.waitForRunningTasks(...tasks);
    harness.clock.advance(50_000);
    await resetJob(runId, settings(50));
    harness.clock.advance(0);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
  },
);

test.each(cases)('%s whose timeout is removed has no timer left', async (_name, settings, tasks) => {
  const runId = await harness.launchRun(coordinator, settings(10));
  await harness.waitForRunningTasks(...tasks);
  expect(harness.clock.pendingCount()).toBe(1);
  await resetJob(runId, settings(undefined));
  expect(harness.clock.pendingCount()).toBe(0);
  for (const key of tasks) harness.pool.endTask(key);
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});

test.each(cases)(
  '%s keeps its new timeout when another engine adopts it',
  async (_name, settings, tasks, expected) => {
    const runId = await harness.launchRun(coordinator, settings(10));
    await harness.waitForRunningTasks(...tasks);
    await resetJob(runId, settings(20));
    await coordinator.close();
    harness.clock.advance(15_000);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    expect(harness.pool.runningTasks()).toEqual(tasks);
    harness.clock.advance(5_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
  },
);

test('a new timeout of a task ends only that task', async () => {
  const runId = await harness.launchRun(coordinator, pair(undefined, undefined));
  await harness.waitForRunningTasks('a', 'b');
  await resetJob(runId, pair(undefined, 5));
  harness.clock.advance(5_000);
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b');
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/TIMEDOUT',
    'b TERMINATED/SUCCESS',
  ]);
});

test('a waiting task starts with its new timeout', async () => {
  const waiting = (seconds?: number): JobSettings => ({
    tasks: (graphSettings('a', 'b a').tasks ?? []).map((task) =>
      task.task_key === 'b' && seconds !== undefined ? { ...task, timeout_seconds: seconds } : task,
    ),
  });
  const runId = await harness.launchRun(coordinator, waiting());
  await harness.waitForRunningTasks('a');
  await resetJob(runId, waiting(5));
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

test('a longer timeout does not revoke a stop by the earlier one', async () => {
  harness.pool.ignoreStops = true;
  const runId = await harness.launchRun(coordinator, single(10));
  await harness.waitForRunningTasks('main');
  harness.clock.advance(10_000);
  await eventually(() => expect(harness.pool.stopCount('main')).toBeGreaterThan(0));
  await resetJob(runId, single(undefined));
  harness.pool.endTask('main', { kind: 'stopped' });
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
});

test('an update on a node that does not drive the run has no effect', async () => {
  const runId = await harness.launchRun(coordinator, single(10));
  await harness.waitForRunningTasks('main');
  await resetJob(runId, single(20), harness.startCoordinator({ nodeId: 'node-2' }));
  harness.pool.endTask('main');
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});
