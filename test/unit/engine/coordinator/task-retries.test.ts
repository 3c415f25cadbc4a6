/** Retries of the tasks of a multi-task run, within the run (spec 2.3). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { graphWithTaskSettings, newCluster } from './run-settings.ts';

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

const failed = { kind: 'failed', message: 'Broken' } as const;
const minute = 60_000;

describe('spec 2.3: a task of a multi-task run', () => {
  test('is retried within its run until it succeeds', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphWithTaskSettings({ max_retries: 3 }, 'a', 'b a'),
    );
    for (const attempt of [0, 1]) {
      await eventually(() =>
        expect(harness.pool.assignments.at(-1)).toMatchObject({ taskKey: 'a', attempt }),
      );
      harness.pool.endTask('a', failed);
    }
    await eventually(() =>
      expect(harness.pool.assignments.at(-1)).toMatchObject({ taskKey: 'a', attempt: 2 }),
    );
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b');
    harness.pool.endTask('b');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/SUCCESS',
      'a TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'a TERMINATED/SUCCESS',
      'b TERMINATED/SUCCESS',
    ]);
  });

  test('fails after max_retries, and its downstream tasks are skipped', async () => {
    harness.pool.immediateOutcome = failed;
    const found = await harness.waitForRunEnd(
      await harness.launchRun(
        harness.startCoordinator(),
        graphWithTaskSettings({ max_retries: 2 }, 'a', 'b a'),
      ),
    );
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      ...['a', 'a', 'a'].map((key) => `${key} TERMINATED/FAILED`),
      'b SKIPPED',
    ]);
    expect(found.tasks.map((task) => task.attempt)).toEqual([0, 1, 2, 0]);
  });

  test('is retried min_retry_interval_millis after the start of the failed attempt, and its message names that time', async () => {
    const start = harness.clock.now();
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphWithTaskSettings({ max_retries: 1, min_retry_interval_millis: minute }, 'a'),
    );
    await harness.waitForRunningTasks('a');
    harness.clock.advance(10_000);
    harness.pool.endTask('a', failed);
    const { tasks } = await harness.waitForRun(runId, (run) => run.tasks.length === 2);
    expect(tasks[1]).toMatchObject({
      attempt: 1,
      dueTime: start + minute,
      progress: {
        state: 'PENDING',
        message: expect.stringMatching(
          /^Retry 1 of 1 of run \d+, which ended as FAILED: Broken\. It starts at 2026-/,
        ),
      },
    });
    await eventually(() => expect(harness.clock.pendingCount()).toBeGreaterThan(0));
    harness.clock.advance(49_999);
    expect(harness.pool.runningTasks()).toEqual([]);
    harness.clock.advance(1);
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
  });

  test('whose retry waits is retried at its due time by the engine that adopts the run', async () => {
    const first = harness.startCoordinator({}, 'kill');
    const runId = await harness.launchRun(
      first,
      graphWithTaskSettings({ max_retries: 1, min_retry_interval_millis: minute }, 'a'),
    );
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a', failed);
    await harness.waitForRun(runId, (run) => run.tasks.length === 2);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await eventually(() => expect(harness.clock.pendingCount()).toBeGreaterThan(1));
    expect(harness.pool.runningTasks()).toEqual([]);
    harness.clock.advance(minute);
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a', failed);
    const found = await harness.waitForRunEnd(runId);
    // The stored attempts are counted, so the limit holds across engines.
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'a TERMINATED/FAILED',
    ]);
  });

  test('whose retry waits when the run is cancelled skips the retry', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await harness.launchRun(
      coordinator,
      graphWithTaskSettings({ max_retries: 1, min_retry_interval_millis: minute }, 'a'),
    );
    await harness.waitForRunningTasks('a');
    harness.pool.endTask('a', failed);
    await harness.waitForRun(runId, (run) => run.tasks.length === 2);
    await harness.runs.requestStop(runId, 'cancel');
    coordinator.stop(runId, 'cancel');
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/CANCELED',
      'a TERMINATED/FAILED',
      'a SKIPPED',
    ]);
  });

  test.each([
    ['is not retried', {}, ['run TERMINATED/FAILED', 'a TERMINATED/TIMEDOUT']],
    [
      'is retried with retry_on_timeout',
      { retry_on_timeout: true },
      ['run TERMINATED/SUCCESS', 'a TERMINATED/TIMEDOUT', 'a TERMINATED/SUCCESS'],
    ],
  ])('that times out %s', async (_name, policy, expected) => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphWithTaskSettings({ max_retries: 1, timeout_seconds: 5, ...policy }, 'a'),
    );
    await harness.waitForRunningTasks('a');
    harness.clock.advance(5_000);
    if (expected.length === 3) {
      await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
      harness.pool.endTask('a');
    }
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(expected);
  });

  test('has one own cluster per attempt', async () => {
    harness.pool.immediateOutcome = failed;
    const settings = graphWithTaskSettings({ max_retries: 1, new_cluster: newCluster }, 'a');
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED', 'own TERMINATED']);
  });

  test('notifies about each attempt, or with alert_on_last_attempt about the first start and the last end', async () => {
    harness.pool.immediateOutcome = failed;
    const notified = { email_notifications: { on_start: ['a@x'], on_failure: ['a@x'] } };
    await harness.waitForRunEnd(
      await harness.launchRun(
        harness.startCoordinator(),
        graphWithTaskSettings({ max_retries: 1, ...notified }, 'a'),
      ),
    );
    expect(await harness.describeNotifications()).toEqual([
      'a on_start',
      'a on_failure',
      'a on_start',
      'a on_failure',
    ]);
    await database.db.deleteFrom('outbox').execute();
    await harness.waitForRunEnd(
      await harness.launchRun(
        harness.startCoordinator(),
        graphWithTaskSettings(
          { max_retries: 1, ...notified, notification_settings: { alert_on_last_attempt: true } },
          'a',
        ),
      ),
    );
    expect(await harness.describeNotifications()).toEqual(['a on_start', 'a on_failure']);
  });
});
