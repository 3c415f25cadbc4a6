/** Execution of repaired runs: attempts, notifications, stops and adoption. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cancelRun } from '../../../../engine/cancel.ts';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { repairRun } from '../../../../engine/repair.ts';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, createLaunchPorts } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { emailSettings, newCluster } from './run-settings.ts';

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

const failed: TaskOutcome = { kind: 'failed', message: 'no good' };

function repair(
  runId: number,
  coordinator: Coordinator,
  node = 'node-1',
  latestRepairId = 0,
): Promise<number> {
  const ports = {
    ...createLaunchPorts(harness.runs, [], node, harness.clock),
    acceptRun: coordinator.accept,
  };
  return repairRun(ports, {
    runId,
    taskKeys: [],
    allFailed: true,
    includeDependents: false,
    latestRepairId,
    parameters: {},
  });
}

/** Returns an ended run of the chain a, b, c: a succeeded, b failed and c was skipped. */
async function launchFailedRun(coordinator: Coordinator, more: Partial<JobSettings> = {}): Promise<number> {
  const runId = await harness.launchRun(coordinator, { ...graphSettings('a', 'b a', 'c b'), ...more });
  await harness.waitForRunningTasks('a');
  harness.pool.endTask('a');
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b', failed);
  await harness.waitForRunEnd(runId);
  await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
  return runId;
}

const listAttempts = (): string[] =>
  harness.pool.assignments.map(({ taskKey, attempt }) => `${taskKey} ${attempt}`);

test('a repair assigns only the tasks that run again, as new attempts', async () => {
  const coordinator = harness.startCoordinator();
  const runId = await launchFailedRun(coordinator);
  await repair(runId, coordinator);
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b');
  await harness.waitForRunningTasks('c');
  harness.pool.endTask('c');
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'a TERMINATED/SUCCESS',
    'b TERMINATED/FAILED',
    'b TERMINATED/SUCCESS',
    'c SKIPPED',
    'c TERMINATED/SUCCESS',
  ]);
  expect(listAttempts()).toEqual(['a 0', 'b 0', 'b 1', 'c 1']);
});

test('a repaired run notifies about its start once and about every end', async () => {
  const coordinator = harness.startCoordinator();
  const runId = await launchFailedRun(coordinator, emailSettings);
  await repair(runId, coordinator);
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b', failed);
  const { run } = await harness.waitForRunEnd(runId);
  await repair(runId, coordinator, 'node-1', run.repair?.repairId);
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b');
  await harness.waitForRunningTasks('c');
  harness.pool.endTask('c');
  await harness.waitForRun(runId, (found) => found.run.progress.result === 'SUCCESS');
  await eventually(() => expect(coordinator.countDrivenRuns()).toBe(0));
  expect(await harness.describeNotifications()).toEqual([
    'run on_start',
    'run on_failure',
    'run on_failure',
    'run on_success',
  ]);
});

test('a repaired run is PENDING until the first of its new attempts starts', async () => {
  const coordinator = harness.startCoordinator({ clusterStartMs: 60_000 });
  const settings: JobSettings = {
    tasks: [
      ...(graphSettings('a').tasks ?? []),
      ...(graphSettings('b a').tasks ?? []).map((task) => ({ ...task, new_cluster: newCluster })),
    ],
  };
  const runId = await harness.launchRun(coordinator, settings);
  await harness.waitForRunningTasks('a');
  harness.pool.endTask('a');
  const waiting = () =>
    harness.waitForRun(
      runId,
      ({ tasks }) => tasks.at(-1)?.progress.message.startsWith('Waiting for cluster') === true,
    );
  await waiting();
  harness.clock.advance(60_000);
  await harness.waitForRunningTasks('b');
  harness.pool.endTask('b', failed);
  await harness.waitForRunEnd(runId);
  await repair(runId, coordinator);
  expect(describeRun(await waiting())[0]).toBe('run PENDING');
  // The same holds for an engine that adopts the run at that moment.
  const second = harness.startCoordinator({ nodeId: 'node-2', clusterStartMs: 60_000 });
  await harness.adoptRuns(second);
  await eventually(() => expect(harness.clock.pendingCount()).toBeGreaterThan(0));
  expect(describeRun(await waiting())[0]).toBe('run PENDING');
  harness.clock.advance(60_000);
  await harness.waitForRunningTasks('b');
  expect(describeRun(await harness.waitForRun(runId, ({ run }) => run.progress.state === 'RUNNING'))[0]).toBe(
    'run RUNNING',
  );
  harness.pool.endTask('b');
  expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
});

describe('stops', () => {
  test('the timeout of a repaired run counts from the repair', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await launchFailedRun(coordinator, { timeout_seconds: 60 });
    harness.clock.advance(3_600_000);
    await repair(runId, coordinator);
    await harness.waitForRunningTasks('b');
    harness.clock.advance(59_000);
    expect(harness.pool.stopCount('b')).toBe(0);
    harness.clock.advance(1_000);
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)).toEqual([
      'run TERMINATED/TIMEDOUT',
      'a TERMINATED/SUCCESS',
      'b TERMINATED/FAILED',
      'b TERMINATED/TIMEDOUT',
      'c SKIPPED',
      'c SKIPPED',
    ]);
    // An engine that adopts the run also counts from the repair.
    await repair(runId, harness.startCoordinator({ nodeId: 'node-3' }), 'node-3', found.run.repair?.repairId);
    await harness.waitForRunningTasks('b');
    const second = harness.startCoordinator({ nodeId: 'node-2' });
    await harness.adoptRuns(second);
    harness.clock.advance(59_000);
    expect((await harness.runs.find(runId))?.run.stopReason).toBeUndefined();
    harness.clock.advance(1_000);
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/TIMEDOUT');
  });

  test('a cancelled run can be repaired and cancelled again', async () => {
    const coordinator = harness.startCoordinator();
    const cancel = (id: number): Promise<void> =>
      cancelRun({ runs: harness.runs, stopRun: coordinator.stop }, id);
    const runId = await harness.launchRun(coordinator, graphSettings('a', 'b a'));
    await harness.waitForRunningTasks('a');
    await cancel(runId);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/CANCELED',
      'b SKIPPED',
    ]);
    const repairId = await repair(runId, coordinator);
    await harness.waitForRunningTasks('a');
    expect((await harness.runs.find(runId))?.run.stopReason).toBeUndefined();
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b');
    await cancel(runId);
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/CANCELED');
    await repair(runId, coordinator, 'node-1', repairId);
    await harness.waitForRunningTasks('b');
    harness.pool.endTask('b');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
    expect(listAttempts()).toEqual(['a 0', 'a 1', 'b 1', 'b 2']);
  });
});

describe('ownership', () => {
  test('an engine that repairs the run of another engine owns it with a higher fence', async () => {
    const first = harness.startCoordinator();
    const runId = await launchFailedRun(first);
    const second = harness.startCoordinator({ nodeId: 'node-2' });
    await repair(runId, second, 'node-2');
    await harness.waitForRunningTasks('b');
    const { run, tasks } = await harness.getRun(runId);
    expect([run.owner, run.fence, first.countDrivenRuns(), second.countDrivenRuns()]).toEqual([
      'node-2',
      2,
      0,
      1,
    ]);
    expect(tasks.map(({ taskKey, attempt, fence }) => `${taskKey} ${attempt} ${fence}`)).toEqual([
      'a 0 1',
      'b 0 1',
      'b 1 2',
      'c 0 1',
      'c 1 2',
    ]);
  });

  test('a repair that was stored right before its engine closed is completed by another engine', async () => {
    const first = harness.startCoordinator();
    const runId = await launchFailedRun(first);
    await first.close();
    await repair(runId, first);
    expect(describeRun(await harness.getRun(runId))[0]).toBe('run PENDING');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await harness.waitForRunningTasks('b');
    harness.pool.endTask('b');
    await harness.waitForRunningTasks('c');
    harness.pool.endTask('c');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
    expect(listAttempts()).toEqual(['a 0', 'b 0', 'b 1', 'c 1']);
  });

  test('an engine that adopts a run during its repair continues the attempts of the repair', async () => {
    const first = harness.startCoordinator();
    const runId = await launchFailedRun(first);
    await repair(runId, first);
    await harness.waitForRunningTasks('b');
    await harness.waitForRun(runId, ({ run }) => run.progress.state === 'RUNNING');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    harness.pool.endTask('b');
    await harness.waitForRunningTasks('c');
    harness.pool.endTask('c');
    const found = await harness.waitForRunEnd(runId);
    expect(describeRun(found)[0]).toBe('run TERMINATED/SUCCESS');
    expect([found.run.owner, found.run.fence]).toEqual(['node-2', 3]);
    expect(new Set(listAttempts())).toEqual(new Set(['a 0', 'b 0', 'b 1', 'c 1']));
  });
});
