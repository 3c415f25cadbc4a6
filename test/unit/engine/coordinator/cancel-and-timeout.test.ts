/** Cancels and timeouts, wherever a run stands. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cancelRun } from '../../../../engine/cancel.ts';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
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
  coordinator = world.startCoordinator({ clusterStartMs: 60_000 });
});
afterEach(() => world.close());

const cancel = (runId: number): Promise<void> =>
  cancelRun({ runs: world.runs, stopRun: coordinator.stop }, runId);
const newCluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };
const ownCluster: JobSettings = { notebook_task: singleTaskSettings.notebook_task, new_cluster: newCluster };
const sharedCluster: JobSettings = {
  job_clusters: [{ job_cluster_key: 'etl', new_cluster: newCluster }],
  tasks: (graphSettings('a', 'b', 'c a').tasks ?? []).map((task) => ({ ...task, job_cluster_key: 'etl' })),
};

/** Waits until a task waits for its cluster. */
const preparing = (runId: number, ...keys: string[]) =>
  world.waitForRun(runId, ({ tasks }) =>
    keys.every((key) =>
      tasks.some(
        ({ taskKey, progress }) => taskKey === key && progress.message.startsWith('Waiting for cluster'),
      ),
    ),
  );

describe('a cancel', () => {
  test('of a running task stops it', async () => {
    const runId = await world.launchRun(coordinator, singleTaskSettings);
    await world.waitForRunningTasks('main');
    await cancel(runId);
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run TERMINATED/CANCELED', 'main TERMINATED/CANCELED']);
    expect([found.run.stopReason, found.run.progress.message]).toEqual(['cancel', 'Run cancelled by user']);
  });

  test('of a graph stops what runs and skips what waits', async () => {
    const runId = await world.launchRun(coordinator, graphSettings('a', 'b', 'c a'));
    await world.waitForRunningTasks('a', 'b');
    await cancel(runId);
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
      'b TERMINATED/CANCELED',
      'c SKIPPED',
    ]);
    expect(found.tasks[2]?.progress.message).toBe('Run cancelled by user');
  });

  test('while the cluster starts ends the task at once, and its cluster', async () => {
    const runId = await world.launchRun(coordinator, ownCluster);
    await preparing(runId, 'main');
    expect(await world.describeClusters(runId)).toEqual(['own PENDING']);
    await cancel(runId);
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run TERMINATED/CANCELED', 'main TERMINATED/CANCELED']);
    expect([found.run.progress.runningTime, world.pool.assignments]).toEqual([undefined, []]);
    expect(await world.describeClusters(runId)).toEqual(['own TERMINATED']);
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(0), waitOptions);
  });

  test('while a shared cluster starts ends all that wait for it', async () => {
    const runId = await world.launchRun(coordinator, sharedCluster);
    await preparing(runId, 'a', 'b');
    await cancel(runId);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
      'b TERMINATED/CANCELED',
      'c SKIPPED',
    ]);
    expect([world.pool.assignments, await world.describeClusters(runId)]).toEqual([[], ['etl TERMINATED']]);
  });

  test('right after the launch ends the run, wherever it finds it', async () => {
    const settings = [singleTaskSettings, ownCluster, graphSettings('a', 'b a'), sharedCluster];
    const ids = await Promise.all(settings.map((one) => world.launchRun(coordinator, one)));
    await Promise.all(ids.map(cancel));
    for (const runId of ids)
      expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/CANCELED');
    expect(world.pool.runningTasks()).toEqual([]);
  });

  test('that comes when the last task succeeds takes nothing back', async () => {
    world.pool.ignoreStops = true;
    const ids = [
      await world.launchRun(coordinator, singleTaskSettings),
      await world.launchRun(coordinator, graphSettings('a')),
    ];
    await world.waitForRunningTasks('a', 'main');
    await Promise.all(ids.map(cancel));
    world.pool.endTask('a');
    world.pool.endTask('main');
    for (const runId of ids)
      expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
  });

  test('that comes when a task succeeds on which another waits is no success', async () => {
    world.pool.ignoreStops = true;
    const runId = await world.launchRun(coordinator, graphSettings('a', 'b a'));
    await world.waitForRunningTasks('a');
    await cancel(runId);
    world.pool.endTask('a');
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/SUCCESS',
      'b SKIPPED',
    ]);
  });

  test('asked for twice is one', async () => {
    world.pool.ignoreStops = true;
    const runId = await world.launchRun(coordinator, singleTaskSettings);
    await world.waitForRunningTasks('main');
    await Promise.all([cancel(runId), cancel(runId)]);
    await cancel(runId);
    expect(world.pool.stopCount('main')).toBe(1);
    world.pool.endTask('main', { kind: 'stopped' });
    await world.waitForRunEnd(runId);
  });

  test('of a run that is over changes nothing', async () => {
    world.pool.immediateOutcome = { kind: 'succeeded' };
    const runId = await world.launchRun(coordinator, singleTaskSettings);
    const before = await world.waitForRunEnd(runId);
    await cancel(runId);
    expect(await world.runs.find(runId)).toEqual(before);
  });

  test('needs a run', async () => {
    const runId = await world.launchRun(coordinator, graphSettings('a'));
    const taskRunId = (await world.waitForRun(runId, () => true)).tasks[0]?.runId ?? 0;
    await expect(cancel(999_999)).rejects.toThrow('Run 999999 does not exist.');
    await expect(cancel(taskRunId)).rejects.toThrow(
      `Run ${taskRunId} is a task run of run ${runId}; only the whole run can be cancelled.`,
    );
  });

  test('noted by another node is found when the run is adopted', async () => {
    const ids = [
      await world.launchRun(coordinator, singleTaskSettings),
      await world.launchRun(coordinator, graphSettings('a', 'b a')),
      await world.launchRun(coordinator, ownCluster),
    ];
    await preparing(ids[2] ?? 0, 'main');
    await coordinator.close();
    for (const runId of ids) await world.runs.requestStop(runId, 'cancel');
    await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2' }));
    for (const runId of ids)
      expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/CANCELED');
  });
});

describe('a timeout', () => {
  const limited = (task: string, seconds: number, settings: JobSettings): JobSettings => ({
    ...settings,
    tasks: (settings.tasks ?? []).map((one) =>
      one.task_key === task ? { ...one, timeout_seconds: seconds } : one,
    ),
  });

  test('of a single-task run strikes when its time is over, and not before', async () => {
    const runId = await world.launchRun(coordinator, { ...singleTaskSettings, timeout_seconds: 10 });
    await world.waitForRunningTasks('main');
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(1), waitOptions);
    world.clock.advance(9_999);
    expect(world.pool.stopCount('main')).toBe(0);
    world.clock.advance(1);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/TIMEDOUT',
      'main TERMINATED/TIMEDOUT',
    ]);
    expect(world.clock.pendingCount()).toBe(0);
  });

  test('of a task ends that task alone; the run fails', async () => {
    const runId = await world.launchRun(coordinator, limited('a', 10, graphSettings('a', 'b', 'c a')));
    await world.waitForRunningTasks('a', 'b');
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(1), waitOptions);
    world.clock.advance(10_000);
    await world.waitForRunningTasks('b');
    world.pool.endTask('b');
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/TIMEDOUT',
      'b TERMINATED/SUCCESS',
      'c SKIPPED',
    ]);
    expect(found.run.progress.message).toBe('Task a failed with message: Run timed out.');
  });

  test('of a run stops what runs and skips what waits, from the time it was accepted', async () => {
    const runId = await world.launchRun(coordinator, { ...graphSettings('a', 'b a'), timeout_seconds: 10 });
    await world.waitForRunningTasks('a');
    world.clock.advance(9_999);
    expect(world.pool.stopCount('a')).toBe(0);
    world.clock.advance(1);
    const found = await world.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT', 'b SKIPPED']);
    expect([found.run.stopReason, found.run.progress.message]).toEqual(['timeout', 'Run timed out']);
  });

  test.each<[string, JobSettings, string[]]>([
    [
      'of a single-task run',
      { ...ownCluster, timeout_seconds: 10 },
      ['run TERMINATED/TIMEDOUT', 'main TERMINATED/TIMEDOUT'],
    ],
    [
      'of a run',
      {
        ...graphSettings('a'),
        tasks: [{ ...graphSettings('a').tasks?.[0], task_key: 'a', new_cluster: newCluster }],
        timeout_seconds: 10,
      },
      ['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT'],
    ],
  ])('%s strikes while its cluster starts', async (_name, settings, expected) => {
    const runId = await world.launchRun(coordinator, settings);
    await preparing(runId, expected[1]?.split(' ')[0] ?? '');
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(2), waitOptions);
    world.clock.advance(10_000);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual(expected);
    expect([world.pool.assignments, await world.describeClusters(runId)]).toEqual([[], ['own TERMINATED']]);
  });

  test('of one task does not make a shared cluster start earlier for the others', async () => {
    const runId = await world.launchRun(coordinator, limited('a', 10, sharedCluster));
    await preparing(runId, 'a', 'b');
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(2), waitOptions);
    world.clock.advance(10_000);
    await world.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'TERMINATED');
    expect(describeRun(await world.waitForRun(runId, () => true)).slice(1, 3)).toEqual([
      'a TERMINATED/TIMEDOUT',
      'b PENDING',
    ]);
    expect(await world.describeClusters(runId)).toEqual(['etl PENDING']);
    world.clock.advance(50_000);
    await world.waitForRunningTasks('b');
    expect(await world.describeClusters(runId)).toEqual(['etl RUNNING']);
  });

  test('is not needed for work that ends in time: no timer is left', async () => {
    world.pool.immediateOutcome = { kind: 'succeeded' };
    const runId = await world.launchRun(coordinator, {
      ...limited('a', 10, graphSettings('a', 'b a')),
      timeout_seconds: 20,
    });
    await world.waitForRunEnd(runId);
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(0), waitOptions);
  });

  test('strikes at once when the run was adopted after its time', async () => {
    const ids = [
      await world.launchRun(coordinator, { ...graphSettings('a', 'b a'), timeout_seconds: 10 }),
      await world.launchRun(coordinator, { ...singleTaskSettings, timeout_seconds: 10 }),
    ];
    await world.waitForRunningTasks('a', 'main');
    await coordinator.close();
    expect(world.clock.pendingCount()).toBe(0);
    world.clock.advance(60_000);
    await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2' }));
    await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(1), waitOptions);
    world.clock.advance(0);
    for (const runId of ids)
      expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
  });

  test('leaves the reason of a cancel that was noted before, by whichever node', async () => {
    const runId = await world.launchRun(coordinator, { ...graphSettings('a'), timeout_seconds: 10 });
    await world.waitForRunningTasks('a');
    await world.runs.requestStop(runId, 'cancel');
    world.clock.advance(10_000);
    expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
    ]);
  });

  test('that cannot be stored stops the run all the same', async () => {
    const requestStop = () => Promise.reject(new Error('the store is away'));
    const other = world.startCoordinator({ runs: { ...world.runs, requestStop } });
    const runId = await world.launchRun(other, { ...graphSettings('a'), timeout_seconds: 10 });
    await world.waitForRunningTasks('a');
    world.clock.advance(10_000);
    expect(describeRun(await world.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
  });
});
