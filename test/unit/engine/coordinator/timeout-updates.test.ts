/**
 * Other timeouts for active runs: the old timers are gone, the new ones count from the start (spec 4.1 rules
 * 2 and 3).
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import {
  createCoordinatorHarness,
  describeRun,
  waitOptions,
  type CoordinatorHarness,
} from './coordinator-harness.ts';

let database: TestDatabase;
let world: CoordinatorHarness;
let coordinator: Coordinator;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createCoordinatorHarness(database);
  coordinator = world.startCoordinator();
});
afterEach(() => world.close());

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
  const found = await world.runs.find(runId);
  const retimed = await changeJob(database.db, found?.run.jobId ?? 0, () => settings, world.clock.now());
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
    const runId = await world.launchRun(coordinator, settings(undefined));
    await world.waitForRunningTasks(...tasks);
    world.clock.advance(4_000);
    await change(runId, settings(10));
    world.clock.advance(5_999);
    expect(world.pool.runningTasks()).toEqual(tasks);
    world.clock.advance(1);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual(ends);
  },
);

test.each(ways)('%s gets more time', async (_name, settings, tasks, ends) => {
  const runId = await world.launchRun(coordinator, settings(10));
  await world.waitForRunningTasks(...tasks);
  await change(runId, settings(20));
  world.clock.advance(19_999);
  expect(world.pool.runningTasks()).toEqual(tasks);
  world.clock.advance(1);
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual(ends);
});

test.each(ways)('%s whose new time is over already ends at once', async (_name, settings, tasks, ends) => {
  const runId = await world.launchRun(coordinator, settings(100));
  await world.waitForRunningTasks(...tasks);
  world.clock.advance(50_000);
  await change(runId, settings(50));
  world.clock.advance(0);
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual(ends);
});

test.each(ways)('%s whose timeout is removed has no timer left', async (_name, settings, tasks) => {
  const runId = await world.launchRun(coordinator, settings(10));
  await world.waitForRunningTasks(...tasks);
  expect(world.clock.pendingCount()).toBe(1);
  await change(runId, settings(undefined));
  expect(world.clock.pendingCount()).toBe(0);
  for (const key of tasks) world.pool.endTask(key);
  expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});

test.each(ways)(
  '%s that another engine adopts keeps what was changed',
  async (_name, settings, tasks, ends) => {
    const runId = await world.launchRun(coordinator, settings(10));
    await world.waitForRunningTasks(...tasks);
    await change(runId, settings(20));
    await coordinator.close();
    world.clock.advance(15_000);
    await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2' }));
    expect(world.pool.runningTasks()).toEqual(tasks);
    world.clock.advance(5_000);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual(ends);
  },
);

test('a task is stopped by its new timeout, and the others go on', async () => {
  const runId = await world.launchRun(coordinator, pair(undefined, undefined));
  await world.waitForRunningTasks('a', 'b');
  await change(runId, pair(undefined, 5));
  world.clock.advance(5_000);
  await world.waitForRunningTasks('b');
  world.pool.endTask('b');
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
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
  const runId = await world.launchRun(coordinator, waiting());
  await world.waitForRunningTasks('a');
  await change(runId, waiting(5));
  world.clock.advance(60_000);
  world.pool.endTask('a');
  await world.waitForRunningTasks('b');
  await world.waitForRun(runId, ({ tasks }) => tasks[1]?.progress.state === 'RUNNING');
  world.clock.advance(4_999);
  expect(world.pool.runningTasks()).toEqual(['b']);
  world.clock.advance(1);
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/SUCCESS',
    'b TERMINATED/TIMEDOUT',
  ]);
});

test('a longer timeout does not take back a stop by the earlier one', async () => {
  world.pool.ignoreStops = true;
  const runId = await world.launchRun(coordinator, single(10));
  await world.waitForRunningTasks('main');
  world.clock.advance(10_000);
  await vi.waitFor(() => expect(world.pool.stopCount('main')).toBeGreaterThan(0), waitOptions);
  await change(runId, single(undefined));
  world.pool.endTask('main', { kind: 'stopped' });
  expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
});

test('a run that this node does not drive is left alone', async () => {
  const runId = await world.launchRun(coordinator, single(10));
  await world.waitForRunningTasks('main');
  await change(runId, single(20), world.startCoordinator({ nodeId: 'node-2' }));
  world.pool.endTask('main');
  expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});
