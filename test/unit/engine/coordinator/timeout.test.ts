/** Timeouts of runs and tasks in every state. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { newCluster, ownClusterSettings, sharedClusterSettings } from './run-settings.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
let coordinator: Coordinator;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
  coordinator = harness.startCoordinator({ clusterStartMs: 60_000 });
});
afterEach(() => harness.close());

describe('timeout', () => {
  const withTaskTimeout = (taskKey: string, seconds: number, settings: JobSettings): JobSettings => ({
    ...settings,
    tasks: (settings.tasks ?? []).map((task) =>
      task.task_key === taskKey ? { ...task, timeout_seconds: seconds } : task,
    ),
  });

  test('of a single-task run expires at its due time, not a millisecond earlier', async () => {
    const runId = await harness.launchRun(coordinator, { ...singleTaskSettings, timeout_seconds: 10 });
    await harness.waitForRunningTasks('main');
    await harness.waitForTimers(1);
    harness.clock.advance(9_999);
    expect(harness.pool.stopCount('main')).toBe(0);
    harness.clock.advance(1);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/TIMEDOUT',
      'main TERMINATED/TIMEDOUT',
    ]);
    expect(harness.clock.pendingCount()).toBe(0);
  });

  test('of a task ends only that task, and the run fails', async () => {
    const runId = await harness.launchRun(
      coordinator,
      withTaskTimeout('a', 10, graphSettings('a', 'b', 'c a')),
    );
    await harness.waitForRunningTasks('a', 'b');
    await harness.waitForTimers(1);
    harness.clock.advance(10_000);
    await harness.waitForRunningTasks('b');
    harness.pool.endTask('b');
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/TIMEDOUT',
      'b TERMINATED/SUCCESS',
      'c SKIPPED',
    ]);
    expect(found.run.progress.message).toContain('Task a failed with message: Run timed out');
  });

  test('of a run counts from its acceptance, stops running tasks and skips waiting ones', async () => {
    const runId = await harness.launchRun(coordinator, { ...graphSettings('a', 'b a'), timeout_seconds: 10 });
    await harness.waitForRunningTasks('a');
    harness.clock.advance(9_999);
    expect(harness.pool.stopCount('a')).toBe(0);
    harness.clock.advance(1);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run TERMINATED/TIMEDOUT', 'a TERMINATED/TIMEDOUT', 'b SKIPPED']);
    expect([found.run.stopReason, found.run.progress.message]).toEqual([
      'timeout',
      expect.stringContaining('Run timed out'),
    ]);
  });

  test.each<[string, JobSettings, string[]]>([
    [
      'of a single-task run',
      { ...ownClusterSettings, timeout_seconds: 10 },
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
  ])('%s expires while its cluster starts', async (_name, settings, expected) => {
    const runId = await harness.launchRun(coordinator, settings);
    await harness.waitForPendingClusters(runId, expected[1]?.split(' ')[0] ?? '');
    await harness.waitForTimers(2);
    harness.clock.advance(10_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
    expect([harness.pool.assignments, await harness.describeClusters(runId)]).toEqual([
      [],
      ['own TERMINATED'],
    ]);
  });

  test('of one task does not shorten the start of a shared cluster for the other tasks', async () => {
    const runId = await harness.launchRun(coordinator, withTaskTimeout('a', 10, sharedClusterSettings));
    await harness.waitForPendingClusters(runId, 'a', 'b');
    await harness.waitForTimers(2);
    harness.clock.advance(10_000);
    await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'TERMINATED');
    expect(describeRun(await harness.getRun(runId)).slice(1, 3)).toEqual([
      'a TERMINATED/TIMEDOUT',
      'b PENDING',
    ]);
    expect(await harness.describeClusters(runId)).toEqual(['etl PENDING']);
    harness.clock.advance(50_000);
    await harness.waitForRunningTasks('b');
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
  });

  test('of a run that ends in time leaves no timer', async () => {
    harness.pool.immediateOutcome = { kind: 'succeeded' };
    const runId = await harness.launchRun(coordinator, {
      ...withTaskTimeout('a', 10, graphSettings('a', 'b a')),
      timeout_seconds: 20,
    });
    await harness.waitForRunEnd(runId);
    await harness.waitForTimers(0);
  });

  test('of a run that is adopted after its due time expires at once', async () => {
    const ids = [
      await harness.launchRun(coordinator, { ...graphSettings('a', 'b a'), timeout_seconds: 10 }),
      await harness.launchRun(coordinator, { ...singleTaskSettings, timeout_seconds: 10 }),
    ];
    await harness.waitForRunningTasks('a', 'main');
    await coordinator.close();
    expect(harness.clock.pendingCount()).toBe(0);
    harness.clock.advance(60_000);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await harness.waitForTimers(1);
    harness.clock.advance(0);
    for (const runId of ids)
      expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
  });

  test('after a cancellation that another node stored keeps the reason of the cancellation', async () => {
    const runId = await harness.launchRun(coordinator, { ...graphSettings('a'), timeout_seconds: 10 });
    await harness.waitForRunningTasks('a');
    await harness.runs.requestStop(runId, 'cancel');
    harness.clock.advance(10_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
    ]);
  });

  test('that cannot be stored stops the run nevertheless', async () => {
    const requestStop = () => Promise.reject(new Error('The database is away.'));
    const failingCoordinator = harness.startCoordinator({ runs: { ...harness.runs, requestStop } });
    const runId = await harness.launchRun(failingCoordinator, { ...graphSettings('a'), timeout_seconds: 10 });
    await harness.waitForRunningTasks('a');
    harness.clock.advance(10_000);
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
  });
});
