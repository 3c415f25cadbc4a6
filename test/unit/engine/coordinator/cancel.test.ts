/** Cancellation of runs in every state. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cancelRun } from '../../../../engine/cancel.ts';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { ownClusterSettings, sharedClusterSettings } from './run-settings.ts';

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

const cancel = (runId: number): Promise<void> =>
  cancelRun({ runs: harness.runs, stopRun: coordinator.stop }, runId);

describe('cancellation', () => {
  test('of a running task stops it', async () => {
    const runId = await harness.launchRun(coordinator, singleTaskSettings);
    await harness.waitForRunningTasks('main');
    await cancel(runId);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run TERMINATED/CANCELED', 'main TERMINATED/CANCELED']);
    expect([found.run.stopReason, found.run.progress.message]).toEqual([
      'cancel',
      expect.stringContaining('Run cancelled by user'),
    ]);
  });

  test('of a graph stops its running tasks and skips its waiting ones', async () => {
    const runId = await harness.launchRun(coordinator, graphSettings('a', 'b', 'c a'));
    await harness.waitForRunningTasks('a', 'b');
    await cancel(runId);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
      'b TERMINATED/CANCELED',
      'c SKIPPED',
    ]);
    expect(found.tasks[2]?.progress.message).toContain('Run cancelled by user');
  });

  test('of a task whose cluster starts ends the task and the cluster at once', async () => {
    const runId = await harness.launchRun(coordinator, ownClusterSettings);
    await harness.waitForPendingClusters(runId, 'main');
    expect(await harness.describeClusters(runId)).toEqual(['own PENDING']);
    await cancel(runId);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual(['run TERMINATED/CANCELED', 'main TERMINATED/CANCELED']);
    expect([found.run.progress.runningTime, harness.pool.assignments]).toEqual([undefined, []]);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
    await harness.waitForTimers(0);
  });

  test('of a run whose shared cluster starts ends every task that waits for it', async () => {
    const runId = await harness.launchRun(coordinator, sharedClusterSettings);
    await harness.waitForPendingClusters(runId, 'a', 'b');
    await cancel(runId);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
      'b TERMINATED/CANCELED',
      'c SKIPPED',
    ]);
    expect([harness.pool.assignments, await harness.describeClusters(runId)]).toEqual([
      [],
      ['etl TERMINATED'],
    ]);
  });

  test('right after the launch ends the run in any state', async () => {
    const settings = [
      singleTaskSettings,
      ownClusterSettings,
      graphSettings('a', 'b a'),
      sharedClusterSettings,
    ];
    const ids = await Promise.all(settings.map((job) => harness.launchRun(coordinator, job)));
    await Promise.all(ids.map(cancel));
    for (const runId of ids)
      expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/CANCELED');
    expect(harness.pool.runningTasks()).toEqual([]);
  });

  test('during the success of the last task leaves the run successful', async () => {
    harness.pool.ignoreStops = true;
    const ids = [
      await harness.launchRun(coordinator, singleTaskSettings),
      await harness.launchRun(coordinator, graphSettings('a')),
    ];
    await harness.waitForRunningTasks('a', 'main');
    await Promise.all(ids.map(cancel));
    harness.pool.endTask('a');
    harness.pool.endTask('main');
    for (const runId of ids)
      expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
  });

  test('during the success of an upstream task ends the run as CANCELED', async () => {
    harness.pool.ignoreStops = true;
    const runId = await harness.launchRun(coordinator, graphSettings('a', 'b a'));
    await harness.waitForRunningTasks('a');
    await cancel(runId);
    harness.pool.endTask('a');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/SUCCESS',
      'b SKIPPED',
    ]);
  });

  test('requested several times stops the task once', async () => {
    harness.pool.ignoreStops = true;
    const runId = await harness.launchRun(coordinator, singleTaskSettings);
    await harness.waitForRunningTasks('main');
    await Promise.all([cancel(runId), cancel(runId)]);
    await cancel(runId);
    expect(harness.pool.stopCount('main')).toBe(1);
    harness.pool.endTask('main', { kind: 'stopped' });
    await harness.waitForRunEnd(runId);
  });

  test('of a run that has ended changes nothing', async () => {
    harness.pool.immediateOutcome = { kind: 'succeeded' };
    const runId = await harness.launchRun(coordinator, singleTaskSettings);
    const before = await harness.waitForRunEnd(runId);
    await cancel(runId);
    expect(await harness.runs.find(runId)).toEqual(before);
  });

  test('of an unknown run or of a task run is rejected', async () => {
    const runId = await harness.launchRun(coordinator, graphSettings('a'));
    const taskRunId = (await harness.getRun(runId)).tasks[0]?.runId ?? 0;
    await expect(cancel(999_999)).rejects.toThrow('Run 999999 does not exist.');
    await expect(cancel(taskRunId)).rejects.toThrow(
      `Run ${taskRunId} is a task run of run ${runId}; only the whole run can be cancelled.`,
    );
  });

  test('requested on another node takes effect when the run is adopted', async () => {
    const ids = [
      await harness.launchRun(coordinator, singleTaskSettings),
      await harness.launchRun(coordinator, graphSettings('a', 'b a')),
      await harness.launchRun(coordinator, ownClusterSettings),
    ];
    await harness.waitForPendingClusters(ids[2] ?? 0, 'main');
    await coordinator.close();
    for (const runId of ids) await harness.runs.requestStop(runId, 'cancel');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    for (const runId of ids)
      expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/CANCELED');
  });
});
