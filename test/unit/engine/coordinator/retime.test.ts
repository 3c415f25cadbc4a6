/**
 * Other timeouts for active runs: the old timers are gone, the new ones count from the start (spec 4.1 rules
 * 2 and 3).
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/database.ts';
import { graph, singleTask } from '../../storage/stored-runs.ts';
import { createWorld, describeRun, type World } from './world.ts';

let database: TestDatabase;
let world: World;
let coordinator: Coordinator;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createWorld(database);
  coordinator = world.coordinator();
});
afterEach(() => world.close());

const pair = (run: number | undefined, a: number | undefined): JobSettings => ({
  ...(run !== undefined && { timeout_seconds: run }),
  tasks: (graph('a', 'b').tasks ?? []).map((task) =>
    task.task_key === 'a' && a !== undefined ? { ...task, timeout_seconds: a } : task,
  ),
});
const single = (timeout: number | undefined): JobSettings => ({
  ...singleTask,
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
    const runId = await world.launch(coordinator, settings(undefined));
    await world.running(...tasks);
    world.clock.advance(4_000);
    await change(runId, settings(10));
    world.clock.advance(5_999);
    expect(world.pool.running()).toEqual(tasks);
    world.clock.advance(1);
    expect(describeRun(await world.ended(runId))).toEqual(ends);
  },
);

test.each(ways)('%s gets more time', async (_name, settings, tasks, ends) => {
  const runId = await world.launch(coordinator, settings(10));
  await world.running(...tasks);
  await change(runId, settings(20));
  world.clock.advance(19_999);
  expect(world.pool.running()).toEqual(tasks);
  world.clock.advance(1);
  expect(describeRun(await world.ended(runId))).toEqual(ends);
});

test.each(ways)('%s whose new time is over already ends at once', async (_name, settings, tasks, ends) => {
  const runId = await world.launch(coordinator, settings(100));
  await world.running(...tasks);
  world.clock.advance(50_000);
  await change(runId, settings(50));
  world.clock.advance(0);
  expect(describeRun(await world.ended(runId))).toEqual(ends);
});

test.each(ways)('%s whose timeout is removed has no timer left', async (_name, settings, tasks) => {
  const runId = await world.launch(coordinator, settings(10));
  await world.running(...tasks);
  expect(world.clock.waiting()).toBe(1);
  await change(runId, settings(undefined));
  expect(world.clock.waiting()).toBe(0);
  for (const key of tasks) world.pool.end(key);
  expect(describeRun(await world.ended(runId))[0]).toBe('run TERMINATED/SUCCESS');
});

test.each(ways)(
  '%s that another engine adopts keeps what was changed',
  async (_name, settings, tasks, ends) => {
    const runId = await world.launch(coordinator, settings(10));
    await world.running(...tasks);
    await change(runId, settings(20));
    await coordinator.close();
    world.clock.advance(15_000);
    await world.adopt(world.coordinator({ nodeId: 'node-2' }));
    expect(world.pool.running()).toEqual(tasks);
    world.clock.advance(5_000);
    expect(describeRun(await world.ended(runId))).toEqual(ends);
  },
);

test('a task is stopped by its new timeout, and the others go on', async () => {
  const runId = await world.launch(coordinator, pair(undefined, undefined));
  await world.running('a', 'b');
  await change(runId, pair(undefined, 5));
  world.clock.advance(5_000);
  await world.running('b');
  world.pool.end('b');
  expect(describeRun(await world.ended(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/TIMEDOUT',
    'b TERMINATED/SUCCESS',
  ]);
});

test('a task that waits takes its new timeout with it when it starts', async () => {
  const waiting = (seconds?: number): JobSettings => ({
    tasks: (graph('a', 'b a').tasks ?? []).map((task) =>
      task.task_key === 'b' && seconds !== undefined ? { ...task, timeout_seconds: seconds } : task,
    ),
  });
  const runId = await world.launch(coordinator, waiting());
  await world.running('a');
  await change(runId, waiting(5));
  world.clock.advance(60_000);
  world.pool.end('a');
  await world.running('b');
  await world.when(runId, ({ tasks }) => tasks[1]?.progress.state === 'RUNNING');
  world.clock.advance(4_999);
  expect(world.pool.running()).toEqual(['b']);
  world.clock.advance(1);
  expect(describeRun(await world.ended(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/SUCCESS',
    'b TERMINATED/TIMEDOUT',
  ]);
});

test('a timeout that has struck is not taken back', async () => {
  world.pool.stubborn = true;
  const runId = await world.launch(coordinator, single(10));
  await world.running('main');
  world.clock.advance(10_000);
  await change(runId, single(undefined));
  world.pool.end('main', { kind: 'stopped' });
  expect(describeRun(await world.ended(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
});

test('a run that this node does not drive is left alone', async () => {
  const runId = await world.launch(coordinator, single(10));
  await world.running('main');
  await change(runId, single(20), world.coordinator({ nodeId: 'node-2' }));
  world.pool.end('main');
  expect(describeRun(await world.ended(runId))[0]).toBe('run TERMINATED/SUCCESS');
});
