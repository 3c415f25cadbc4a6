/** Retries of single-task runs, by new runs (spec 2.5). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchRun } from '../../../../engine/launch.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createLaunchPorts, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';

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

/** Returns all runs as `number attempt STATE/RESULT trigger`, oldest first. */
async function describeRuns(): Promise<string[]> {
  const rows = await database.db.selectFrom('runs').selectAll().orderBy('run_id').execute();
  return rows.map(
    (row) =>
      `${row.number_in_job} ${row.attempt} ${row.state}${row.result === null ? '' : `/${row.result}`} ${row.trigger}`,
  );
}

const findLatestRunId = async (): Promise<number> =>
  (
    await database.db
      .selectFrom('runs')
      .select('run_id')
      .orderBy('run_id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
  ).run_id;

describe('spec 2.5: a single-task run', () => {
  test('is retried by new runs with the next numbers and the id of the first attempt', async () => {
    harness.pool.immediateOutcome = failed;
    const first = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      max_retries: 2,
    });
    await eventually(async () =>
      expect(await describeRuns()).toEqual([
        '1 0 TERMINATED/FAILED ONE_TIME',
        '2 1 TERMINATED/FAILED RETRY',
        '3 2 TERMINATED/FAILED RETRY',
      ]),
    );
    const rows = await database.db.selectFrom('runs').select('original_attempt_run_id').distinct().execute();
    expect(rows).toEqual([{ original_attempt_run_id: first }]);
    expect((await harness.runs.findLatestAttempt(first))?.attempt).toBe(2);
  });

  test('whose retry waits occupies its concurrency slot, and another run is skipped', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await harness.launchRun(coordinator, {
      ...singleTaskSettings,
      max_retries: 1,
      min_retry_interval_millis: minute,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', failed);
    const { run } = await harness.waitForRunEnd(runId);
    expect(await describeRuns()).toEqual(['1 0 TERMINATED/FAILED ONE_TIME', '2 1 PENDING RETRY']);
    const retry = await findLatestRunId();
    const other = await launchRun(createLaunchPorts(harness.runs, [], 'node-1', harness.clock), {
      jobId: run.jobId,
      parameters: {},
      idempotencyToken: undefined,
      creator: 'ann',
    });
    expect((await harness.runs.find(other.runId))?.run.progress.state).toBe('SKIPPED');
    harness.clock.advance(minute);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main');
    expect(describeRun(await harness.waitForRunEnd(retry))).toContain('run TERMINATED/SUCCESS');
  });

  test('whose retry waits is retried by the engine that adopts the retry', async () => {
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), {
      ...singleTaskSettings,
      max_retries: 1,
      min_retry_interval_millis: minute,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', failed);
    await harness.waitForRunEnd(runId);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await eventually(() => expect(harness.clock.pendingCount()).toBeGreaterThan(1));
    harness.clock.advance(minute);
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main');
    expect(describeRun(await harness.waitForRunEnd(await findLatestRunId()))).toEqual([
      'run TERMINATED/SUCCESS',
      'main TERMINATED/SUCCESS',
    ]);
  });

  test('whose retry waits can be cancelled', async () => {
    const coordinator = harness.startCoordinator();
    const first = await harness.launchRun(coordinator, {
      ...singleTaskSettings,
      max_retries: 1,
      min_retry_interval_millis: minute,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', failed);
    await harness.waitForRunEnd(first);
    const retry = await findLatestRunId();
    await eventually(() => expect(coordinator.isDriving(retry)).toBe(true));
    await harness.runs.requestStop(retry, 'cancel');
    coordinator.stop(retry, 'cancel');
    expect(describeRun(await harness.waitForRunEnd(retry))).toEqual([
      'run TERMINATED/CANCELED',
      'main TERMINATED/CANCELED',
    ]);
  });

  test('that another node has requested to stop is not retried', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      max_retries: 1,
    });
    await harness.waitForRunningTasks('main');
    await harness.runs.requestStop(runId, 'cancel');
    harness.pool.endTask('main', failed);
    await harness.waitForRunEnd(runId);
    expect(await describeRuns()).toEqual(['1 0 TERMINATED/FAILED ONE_TIME']);
  });

  test('is retried only by the engine that owns it', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      max_retries: 1,
    });
    await harness.waitForRunningTasks('main');
    await harness.runs.adopt('node-2', harness.clock.now(), 10);
    harness.pool.endTask('main', failed);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-3' }), 'node-3');
    await eventually(async () => expect((await describeRuns())[1]).toMatch(/^2 1 /));
    expect((await describeRuns()).filter((run) => run.endsWith('RETRY'))).toHaveLength(1);
    expect((await harness.runs.find(runId))?.run.progress.state).toBe('TERMINATED');
  });

  test('notifies about each run, or with alert_on_last_attempt about the first start and the last end', async () => {
    harness.pool.immediateOutcome = failed;
    const notified = { email_notifications: { on_start: ['a@x'], on_failure: ['a@x'] }, max_retries: 1 };
    const waitForEndedRuns = (count: number) =>
      eventually(async () =>
        expect((await describeRuns()).filter((run) => run.includes('TERMINATED'))).toHaveLength(count),
      );
    await harness.launchRun(harness.startCoordinator(), { ...singleTaskSettings, ...notified });
    await waitForEndedRuns(2);
    expect(await harness.describeNotifications()).toEqual([
      'run on_start',
      'run on_failure',
      'run on_start',
      'run on_failure',
    ]);
    await database.db.deleteFrom('outbox').execute();
    await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      ...notified,
      notification_settings: { alert_on_last_attempt: true },
    });
    await waitForEndedRuns(4);
    expect(await harness.describeNotifications()).toEqual(['run on_start', 'run on_failure']);
  });
});
