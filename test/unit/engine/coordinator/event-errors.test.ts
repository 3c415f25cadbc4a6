/** Errors in the handling of an event of a run. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings } from '../../storage/run-fixtures.ts';
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

test('a run whose task cannot be stopped is still driven to its end', async () => {
  const { pool } = harness;
  const coordinator = harness.startCoordinator({
    pool: {
      ...pool,
      run: (assignment, launcher) => ({
        outcome: pool.run(assignment, launcher).outcome,
        stop() {
          throw new Error('The worker is gone.');
        },
      }),
    },
  });
  const runId = await harness.launchRun(coordinator, graphSettings('a', 'b a'));
  await harness.waitForRunningTasks('a');
  coordinator.stop(runId, 'cancel');
  pool.endTask('a');
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'a TERMINATED/SUCCESS',
    'b SKIPPED',
  ]);
});
