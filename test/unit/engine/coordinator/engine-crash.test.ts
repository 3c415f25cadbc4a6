/** Engines that are killed at every call of a store, and the engine that adopts their runs. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings } from '../../storage/run-fixtures.ts';
import {
  createCoordinatorHarness,
  describeRun,
  hasEnded,
  type CoordinatorHarness,
} from './coordinator-harness.ts';
import { createKillableEngine } from './killable-engine.ts';
import { emailSettings, newCluster, ownClusterSettings } from './run-settings.ts';

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

const singleTask: JobSettings = { ...ownClusterSettings, ...emailSettings };
/**
 * Graph with own, shared and no clusters, two branches, a join, and a task that is skipped after a success.
 */
const graph: JobSettings = {
  ...emailSettings,
  job_clusters: [{ job_cluster_key: 'etl', new_cluster: newCluster }],
  tasks: (graphSettings('a', 'b', 'c a b', 'clean_up c').tasks ?? []).map((task) => ({
    ...task,
    ...(task.task_key === 'c' ? { new_cluster: newCluster } : {}),
    ...(task.task_key === 'a' || task.task_key === 'b' ? { job_cluster_key: 'etl' } : {}),
    ...(task.task_key === 'clean_up' ? { run_if: 'ALL_FAILED' as const } : {}),
  })),
};

describe.each([
  ['a single-task run on its own cluster', singleTask, 0],
  ['a single-task run whose cluster starts slowly', singleTask, 1_000],
  ['a graph', graph, 0],
  ['a graph whose clusters start slowly', graph, 1_000],
] as const)('%s', (_name, settings, clusterStartMs) => {
  test('ends the same after its engine is killed at any call of a store and another engine adopts it', async () => {
    harness.pool.immediateOutcome = { kind: 'succeeded' };
    for (const before of [false, true]) {
      for (let fatalCall = 1; ; fatalCall += 1) {
        await harness.database.db.deleteFrom('outbox').execute();
        const engine = createKillableEngine(harness, fatalCall, before);
        const runId = await harness.launchRun(
          harness.startCoordinator({ ...engine.ports, clusterStartMs }, 'kill'),
          settings,
        );
        await harness.advanceUntil(
          async () => engine.isDead() || hasEnded(await harness.getRun(runId)),
          1_000,
        );
        if (!engine.isDead()) {
          expect(fatalCall).toBeGreaterThan(settings === singleTask ? 6 : 15);
          break;
        }
        const next = harness.startCoordinator({ nodeId: 'node-2', clusterStartMs });
        await harness.advanceUntil(async () => {
          // An adoption skips rows that an unfinished write has locked, so engines repeat it.
          await harness.adoptRuns(next);
          return hasEnded(await harness.getRun(runId));
        }, 1_000);
        await eventually(() => expect(next.countDrivenRuns()).toBe(0));
        await expectCompleteRun(runId, `killed ${before ? 'before' : 'after'} call ${fatalCall}`);
      }
    }
  });
});

/** Asserts that the run succeeded: final states, one notification per event, no cluster that still runs. */
async function expectCompleteRun(runId: number, kill: string): Promise<void> {
  const found = await harness.getRun(runId);
  const notifications = await harness.describeNotifications();
  const clusters = await harness.describeClusters(runId);
  const isGraph = found.run.format === 'MULTI_TASK';
  expect({
    kill,
    states: describeRun(found),
    notifications: notifications.toSorted(),
    runningClusters: clusters.filter((cluster) => !cluster.endsWith('TERMINATED')),
    attempts: new Set(
      harness.pool.assignments
        .filter(({ jobRunId }) => jobRunId === runId)
        .map(({ taskKey, attempt }) => `${taskKey} ${attempt}`),
    ).size,
  }).toEqual({
    kill,
    states: isGraph
      ? [
          'run TERMINATED/SUCCESS',
          'a TERMINATED/SUCCESS',
          'b TERMINATED/SUCCESS',
          'c TERMINATED/SUCCESS',
          'clean_up SKIPPED',
        ]
      : ['run TERMINATED/SUCCESS', 'main TERMINATED/SUCCESS'],
    notifications: ['run on_start', 'run on_success'],
    runningClusters: [],
    attempts: isGraph ? 3 : 1,
  });
}
