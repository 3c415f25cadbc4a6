/**
 * Lives of runs that are retried: tasks within their run, single-task runs by new runs; over restarts, stops
 * and limits.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchRun } from '../../../../engine/launch.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, createLaunchPorts, singleTaskSettings } from '../../storage/run-fixtures.ts';
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

/** A graph whose tasks are retried. */
function retried(policy: Partial<JobSettings>, ...tasks: string[]): JobSettings {
  const { tasks: made = [], ...rest } = graphSettings(...tasks);
  return { ...rest, tasks: made.map((task) => ({ ...task, ...policy })) };
}

/** All runs, oldest first: `number attempt STATE/RESULT trigger`. */
async function runs(): Promise<string[]> {
  const rows = await database.db.selectFrom('runs').selectAll().orderBy('run_id').execute();
  return rows.map(
    (row) =>
      `${row.number_in_job} ${row.attempt} ${row.state}${row.result === null ? '' : `/${row.result}`} ${row.trigger}`,
  );
}

const latestRun = async (): Promise<number> =>
  (
    await database.db
      .selectFrom('runs')
      .select('run_id')
      .orderBy('run_id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
  ).run_id;

describe('spec 2.3: a task of a multi-task run', () => {
  test('is tried again inside the same run until it succeeds', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      retried({ max_retries: 3 }, 'a', 'b a'),
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

  test('is given up after max_retries, and those after it are skipped', async () => {
    harness.pool.immediateOutcome = failed;
    const found = await harness.waitForRunEnd(
      await harness.launchRun(harness.startCoordinator(), retried({ max_retries: 2 }, 'a', 'b a')),
    );
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      ...['a', 'a', 'a'].map((key) => `${key} TERMINATED/FAILED`),
      'b SKIPPED',
    ]);
    expect(found.tasks.map((task) => task.attempt)).toEqual([0, 1, 2, 0]);
  });

  test('waits for its interval, which counts from the start of the failed attempt, and says so', async () => {
    const start = harness.clock.now();
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      retried({ max_retries: 1, min_retry_interval_millis: minute }, 'a'),
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

  test('a retry that waits survives the engine, and begins when it is due', async () => {
    const first = harness.startCoordinator({}, 'kill');
    const runId = await harness.launchRun(
      first,
      retried({ max_retries: 1, min_retry_interval_millis: minute }, 'a'),
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
    // The retries that were made are counted from the rows, not by an engine.
    expect(describeRun(found)).toEqual([
      'run TERMINATED/FAILED',
      'a TERMINATED/FAILED',
      'a TERMINATED/FAILED',
    ]);
  });

  test('a retry that waits is skipped when the run is cancelled', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await harness.launchRun(
      coordinator,
      retried({ max_retries: 1, min_retry_interval_millis: minute }, 'a'),
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
  ])('a timeout %s', async (_name, policy, states) => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      retried({ max_retries: 1, timeout_seconds: 5, ...policy }, 'a'),
    );
    await harness.waitForRunningTasks('a');
    harness.clock.advance(5_000);
    if (states.length === 3) {
      await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
      harness.pool.endTask('a');
    }
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(states);
  });

  test('an attempt has a cluster of its own', async () => {
    harness.pool.immediateOutcome = failed;
    const settings = retried(
      { max_retries: 1, new_cluster: { num_workers: 1, spark_version: 'v', node_type_id: 's' } },
      'a',
    );
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED', 'own TERMINATED']);
  });

  test('tells of each attempt, or with alert_on_last_attempt of the first start and the last end', async () => {
    harness.pool.immediateOutcome = failed;
    const told = { email_notifications: { on_start: ['a@x'], on_failure: ['a@x'] } };
    await harness.waitForRunEnd(
      await harness.launchRun(harness.startCoordinator(), retried({ max_retries: 1, ...told }, 'a')),
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
        retried({ max_retries: 1, ...told, notification_settings: { alert_on_last_attempt: true } }, 'a'),
      ),
    );
    expect(await harness.describeNotifications()).toEqual(['a on_start', 'a on_failure']);
  });
});

describe('spec 2.5: a single-task run', () => {
  test('is retried by new runs with the next numbers, which know the first one', async () => {
    harness.pool.immediateOutcome = failed;
    const first = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      max_retries: 2,
    });
    await eventually(async () =>
      expect(await runs()).toEqual([
        '1 0 TERMINATED/FAILED ONE_TIME',
        '2 1 TERMINATED/FAILED RETRY',
        '3 2 TERMINATED/FAILED RETRY',
      ]),
    );
    const rows = await database.db.selectFrom('runs').select('original_attempt_run_id').distinct().execute();
    expect(rows).toEqual([{ original_attempt_run_id: first }]);
    expect((await harness.runs.findLatestAttempt(first))?.attempt).toBe(2);
  });

  test('its retry holds its place from the moment of its end: no other run slips in', async () => {
    const coordinator = harness.startCoordinator();
    const runId = await harness.launchRun(coordinator, {
      ...singleTaskSettings,
      max_retries: 1,
      min_retry_interval_millis: minute,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', failed);
    const { run } = await harness.waitForRunEnd(runId);
    expect(await runs()).toEqual(['1 0 TERMINATED/FAILED ONE_TIME', '2 1 PENDING RETRY']);
    const retry = await latestRun();
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

  test('a retry that waits survives the engine', async () => {
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
    expect(describeRun(await harness.waitForRunEnd(await latestRun()))).toEqual([
      'run TERMINATED/SUCCESS',
      'main TERMINATED/SUCCESS',
    ]);
  });

  test('a retry that waits can be cancelled', async () => {
    const coordinator = harness.startCoordinator();
    const first = await harness.launchRun(coordinator, {
      ...singleTaskSettings,
      max_retries: 1,
      min_retry_interval_millis: minute,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', failed);
    await harness.waitForRunEnd(first);
    const retry = await latestRun();
    await eventually(() => expect(coordinator.isDriving(retry)).toBe(true));
    await harness.runs.requestStop(retry, 'cancel');
    coordinator.stop(retry, 'cancel');
    expect(describeRun(await harness.waitForRunEnd(retry))).toEqual([
      'run TERMINATED/CANCELED',
      'main TERMINATED/CANCELED',
    ]);
  });

  test('a run whose stop was noted by another node is not retried', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      max_retries: 1,
    });
    await harness.waitForRunningTasks('main');
    await harness.runs.requestStop(runId, 'cancel');
    harness.pool.endTask('main', failed);
    await harness.waitForRunEnd(runId);
    expect(await runs()).toEqual(['1 0 TERMINATED/FAILED ONE_TIME']);
  });

  test('an engine that lost the run starts no retry', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      max_retries: 1,
    });
    await harness.waitForRunningTasks('main');
    await harness.runs.adopt('node-2', harness.clock.now(), 10);
    harness.pool.endTask('main', failed);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-3' }), 'node-3');
    await eventually(async () => expect((await runs())[1]).toMatch(/^2 1 /));
    expect((await runs()).filter((run) => run.endsWith('RETRY'))).toHaveLength(1);
    expect((await harness.runs.find(runId))?.run.progress.state).toBe('TERMINATED');
  });

  test('tells of each run, or with alert_on_last_attempt of the first start and the last end', async () => {
    harness.pool.immediateOutcome = failed;
    const told = { email_notifications: { on_start: ['a@x'], on_failure: ['a@x'] }, max_retries: 1 };
    const over = (count: number) =>
      eventually(async () =>
        expect((await runs()).filter((run) => run.includes('TERMINATED'))).toHaveLength(count),
      );
    await harness.launchRun(harness.startCoordinator(), { ...singleTaskSettings, ...told });
    await over(2);
    expect(await harness.describeNotifications()).toEqual([
      'run on_start',
      'run on_failure',
      'run on_start',
      'run on_failure',
    ]);
    await database.db.deleteFrom('outbox').execute();
    await harness.launchRun(harness.startCoordinator(), {
      ...singleTaskSettings,
      ...told,
      notification_settings: { alert_on_last_attempt: true },
    });
    await over(4);
    expect(await harness.describeNotifications()).toEqual(['run on_start', 'run on_failure']);
  });
});

describe('spec 2.9: a health rule on the duration', () => {
  const health = {
    rules: [
      {
        metric: 'RUN_DURATION_SECONDS' as const,
        op: 'GREATER_THAN',
        operator: 'GREATER_THAN' as const,
        value: 10,
      },
    ],
  };
  const told = { health, email_notifications: { on_duration_warning_threshold_exceeded: ['a@x'] } };
  const warned = 'on_duration_warning_threshold_exceeded';

  test.each([
    ['a single-task run', { ...singleTaskSettings, ...told }, 'run', 'main'],
    ['a multi-task run', { ...graphSettings('a'), ...told }, 'run', 'a'],
    ['a task', retried(told, 'a'), 'a', 'a'],
  ] as const)('%s that lasts longer is told of once', async (_name, settings, who, key) => {
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks(key);
    harness.clock.advance(10_000);
    expect(await harness.describeNotifications()).toEqual([]);
    harness.clock.advance(1);
    await eventually(async () => expect(await harness.describeNotifications()).toEqual([`${who} ${warned}`]));
    harness.pool.endTask(key);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([`${who} ${warned}`]);
  });

  test('an engine that was down at that moment tells of it when it is back, once', async () => {
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), {
      ...singleTaskSettings,
      ...told,
    });
    await harness.waitForRunningTasks('main');
    harness.clock.setTime(harness.clock.now() + 60_000);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    harness.clock.advance(0);
    harness.pool.endTask('main');
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([`run ${warned}`]);
  });

  test('and a run that was over by then is told of with its end', async () => {
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), {
      ...singleTaskSettings,
      ...told,
    });
    await harness.waitForRunningTasks('main');
    harness.clock.setTime(harness.clock.now() + 60_000);
    harness.pool.endTask('main');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([`run ${warned}`]);
  });

  test.each([
    ['a single-task run', { ...singleTaskSettings, ...told }, 'run', 'main'],
    ['a task', retried(told, 'a'), 'a', 'a'],
  ] as const)(
    '%s whose timer comes late, while its end is being stored, is told of once',
    async (_name, settings, who, key) => {
      const held = Promise.withResolvers<void>();
      let ending = false;
      const write: RunStore['write'] = async (set) => {
        if (set.changes.some(({ endTime }) => endTime !== undefined)) {
          ending = true;
          await held.promise;
        }
        return harness.runs.write(set);
      };
      const runId = await harness.launchRun(
        harness.startCoordinator({ runs: { ...harness.runs, write } }),
        settings,
      );
      await harness.waitForRunningTasks(key);
      harness.clock.setTime(harness.clock.now() + 60_000);
      harness.pool.endTask(key);
      await eventually(() => expect(ending).toBe(true));
      harness.clock.advance(0);
      held.resolve();
      await harness.waitForRunEnd(runId);
      expect(
        (await harness.describeNotifications()).filter((notice) => notice === `${who} ${warned}`),
      ).toHaveLength(1);
    },
  );
});
