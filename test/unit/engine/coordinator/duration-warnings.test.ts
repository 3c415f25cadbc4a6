/** Health rules on the duration of runs and tasks (spec 2.9). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, type CoordinatorHarness } from './coordinator-harness.ts';
import { graphWithTaskSettings } from './run-settings.ts';

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
  const warnedSettings = { health, email_notifications: { on_duration_warning_threshold_exceeded: ['a@x'] } };
  const warning = 'on_duration_warning_threshold_exceeded';

  test.each([
    ['a single-task run', { ...singleTaskSettings, ...warnedSettings }, 'run', 'main'],
    ['a multi-task run', { ...graphSettings('a'), ...warnedSettings }, 'run', 'a'],
    ['a task', graphWithTaskSettings(warnedSettings, 'a'), 'a', 'a'],
  ] as const)('warns once about %s that lasts longer', async (_name, settings, subject, key) => {
    const runId = await harness.launchRun(harness.startCoordinator(), settings);
    await harness.waitForRunningTasks(key);
    harness.clock.advance(10_000);
    expect(await harness.describeNotifications()).toEqual([]);
    harness.clock.advance(1);
    await eventually(async () =>
      expect(await harness.describeNotifications()).toEqual([`${subject} ${warning}`]),
    );
    harness.pool.endTask(key);
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([`${subject} ${warning}`]);
  });

  test('warns once about a run that is adopted after its threshold', async () => {
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), {
      ...singleTaskSettings,
      ...warnedSettings,
    });
    await harness.waitForRunningTasks('main');
    harness.clock.setTime(harness.clock.now() + 60_000);
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    harness.clock.advance(0);
    harness.pool.endTask('main');
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([`run ${warning}`]);
  });

  test('warns about a run that ends after its threshold while no engine drives it', async () => {
    const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), {
      ...singleTaskSettings,
      ...warnedSettings,
    });
    await harness.waitForRunningTasks('main');
    harness.clock.setTime(harness.clock.now() + 60_000);
    harness.pool.endTask('main');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await harness.waitForRunEnd(runId);
    expect(await harness.describeNotifications()).toEqual([`run ${warning}`]);
  });

  test.each([
    ['a single-task run', { ...singleTaskSettings, ...warnedSettings }, 'run', 'main'],
    ['a task', graphWithTaskSettings(warnedSettings, 'a'), 'a', 'a'],
  ] as const)(
    'warns once about %s whose timer fires while its end is stored',
    async (_name, settings, subject, key) => {
      const released = Promise.withResolvers<void>();
      const ending = Promise.withResolvers<void>();
      const write: RunStore['write'] = async (set) => {
        if (set.changes.some(({ endTime }) => endTime !== undefined)) {
          ending.resolve();
          await released.promise;
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
      await ending.promise;
      harness.clock.advance(0);
      released.resolve();
      await harness.waitForRunEnd(runId);
      expect(
        (await harness.describeNotifications()).filter(
          (notification) => notification === `${subject} ${warning}`,
        ),
      ).toHaveLength(1);
    },
  );
});
