/** Graceful shutdown of a coordinator: pending writes finish, and stored runs stay as they are. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { emailSettings, ownClusterSettings } from './run-settings.ts';

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

describe('graceful shutdown of a coordinator', () => {
  const cases: [string, JobSettings, () => Promise<void>, string[]][] = [
    [
      'waits for its cluster',
      { ...ownClusterSettings, ...emailSettings },
      () => harness.waitForTimers(1),
      ['run PENDING', 'main PENDING'],
    ],
    [
      'executes its task',
      singleTaskSettings,
      () => harness.waitForRunningTasks('main'),
      ['run RUNNING', 'main RUNNING'],
    ],
    [
      'executes its second task',
      graphSettings('a', 'b a'),
      async () => {
        await harness.waitForRunningTasks('a');
        harness.pool.endTask('a');
        await harness.waitForRunningTasks('b');
      },
      ['run RUNNING', 'a TERMINATED/SUCCESS', 'b RUNNING'],
    ],
  ];

  test.each(cases)(
    'leaves a run that %s unchanged and without timers, and another coordinator completes it',
    async (_name, settings, reachState, states) => {
      const first = harness.startCoordinator({ clusterStartMs: 60_000 });
      const runId = await harness.launchRun(first, { ...settings, timeout_seconds: 0 });
      await reachState();
      await harness.waitForRun(runId, (run) => describeRun(run).join() === states.join());
      await first.close();
      expect([first.countDrivenRuns(), harness.clock.pendingCount()]).toEqual([0, 0]);
      const assignmentCount = harness.pool.assignments.length;
      for (const key of harness.pool.runningTasks()) harness.pool.endTask(key);
      const before = await harness.getRun(runId);
      harness.pool.immediateOutcome = { kind: 'succeeded' };
      const second = harness.startCoordinator({ nodeId: 'node-2', clusterStartMs: 60_000 });
      expect(describeRun(before)).toEqual(states);
      await harness.adoptRuns(second);
      expect(describeRun(await harness.advanceUntilRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
      expect(harness.pool.assignments.length).toBeGreaterThan(assignmentCount);
    },
  );

  test('accepts no run afterwards', async () => {
    const first = harness.startCoordinator();
    await first.close();
    const runId = await harness.launchRun(first, singleTaskSettings);
    expect([first.countDrivenRuns(), describeRun(await harness.getRun(runId))]).toEqual([
      0,
      ['run PENDING', 'main PENDING'],
    ]);
  });

  test('waits for pending writes and starts no further ones', async () => {
    let calls = 0;
    let pending = 0;
    const firstWrite = Promise.withResolvers<void>();
    const write: RunStore['write'] = async (set) => {
      calls += 1;
      pending += 1;
      firstWrite.resolve();
      return harness.runs.write(set).finally(() => {
        pending -= 1;
      });
    };
    const first = harness.startCoordinator({ runs: { ...harness.runs, write } });
    await Promise.all(
      Array.from({ length: 10 }, () => harness.launchRun(first, graphSettings('a', 'b', 'c'))),
    );
    await firstWrite.promise;
    await first.close();
    const callsAtClose = calls;
    expect(pending).toBe(0);
    for (const key of harness.pool.runningTasks()) harness.pool.endTask(key);
    await harness.runs.find(1);
    expect(calls).toBe(callsAtClose);
  });
});
