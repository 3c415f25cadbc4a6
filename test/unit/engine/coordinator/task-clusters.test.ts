/** Clusters of single tasks: creation, start and termination (spec 2.4). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { graphOnClusters, newCluster } from './run-settings.ts';

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

const clusterIdOf = (taskKey: string): string | undefined =>
  harness.pool.assignments.find((assignment) => assignment.taskKey === taskKey)?.cluster?.clusterId;

describe('spec 2.4: the own cluster of a task', () => {
  test('is created for each task and terminated when the task succeeds', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphOnClusters({ a: 'own', b: 'own' }, 'a', 'b', 'c a'),
    );
    await harness.waitForRunningTasks('a', 'b');
    expect(await harness.describeClusters(runId)).toEqual(['own RUNNING', 'own RUNNING']);
    expect(clusterIdOf('a')).not.toBe(clusterIdOf('b'));
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b', 'c');
    expect(await harness.describeClusters(runId)).toEqual(['own RUNNING', 'own TERMINATED']);
    expect(clusterIdOf('c')).toBeUndefined();
  });

  test.each(['failed', 'lost'] as const)('is terminated when the task ends as %s', async (kind) => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      notebook_task: { notebook_path: '/n' },
      new_cluster: newCluster,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind, message: 'no' });
    await harness.waitForRunEnd(runId);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
  });

  test('hides the values of its environment variables in task messages', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      notebook_task: { notebook_path: '/n' },
      new_cluster: { ...newCluster, spark_env_vars: { DB_PASSWORD: 'correct-horse' } },
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind: 'failed', message: 'ValueError: correct-horse is wrong' });
    const { run, tasks } = await harness.waitForRunEnd(runId);
    expect([run, tasks[0]].map((part) => part?.progress.message)).toEqual(
      Array(2).fill(expect.stringContaining('ValueError: *** is wrong')),
    );
  });

  test('keeps its task PENDING, with a message, until it has started', async () => {
    const coordinator = harness.startCoordinator({ clusterStartMs: 60_000 });
    const start = harness.clock.now();
    const runId = await harness.launchRun(coordinator, graphOnClusters({ a: 'own' }, 'a'));
    const {
      run,
      tasks: [task],
    } = await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.clusterId !== undefined);
    expect([
      run.progress.state,
      task?.progress.state,
      task?.progress.startTime,
      task?.progress.message,
    ]).toEqual(['PENDING', 'PENDING', start, `Waiting for cluster ${task?.clusterId} to start`]);
    await harness.waitForTimers(1);
    harness.clock.advance(59_999);
    expect(await harness.describeClusters(runId)).toEqual(['own PENDING']);
    harness.clock.advance(1);
    await harness.waitForRunningTasks('a');
    const started = await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
    expect(started.tasks[0]?.progress).toMatchObject({
      startTime: start,
      runningTime: start + 60_000,
      message: '',
    });
    expect(await harness.describeClusters(runId)).toEqual(['own RUNNING']);
  });
});

test('spec 2.8 instance_pool_id: a task whose pool is no longer configured fails, and no cluster is created', async () => {
  const runId = await harness.launchRun(harness.startCoordinator(), {
    notebook_task: { notebook_path: '/n' },
    new_cluster: { ...newCluster, instance_pool_id: 'gone' },
  });
  const run = await harness.waitForRunEnd(runId);
  expect([describeRun(run)[0], run.tasks[0]?.progress.message]).toEqual([
    'run INTERNAL_ERROR',
    expect.stringContaining(
      `The cluster's instance_pool_id is "gone"; no pool is configured (RUNYARD_CLUSTERS)`,
    ),
  ]);
  expect(await harness.describeClusters(runId)).toEqual([]);
});
