/** Clusters that tasks name by id (spec 2.2), and node sizes of instance pools (spec 2.8). */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { defaultInventory } from '../../../../engine/cluster/inventory.ts';
import { createFakeCompute } from '../../../harness/fake-compute.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { singleTaskSettings } from '../../storage/run-fixtures.ts';
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

test('spec 2.2 existing_cluster_id: an existing cluster is allocated on first use, shared by all runs that name it, and survives them', async () => {
  const coordinator = harness.startCoordinator();
  const ids = [
    await harness.launchRun(coordinator, graphOnClusters({ a: 'existing' }, 'a')),
    await harness.launchRun(coordinator, { ...singleTaskSettings, existing_cluster_id: 'all-purpose' }),
  ];
  await harness.waitForRunningTasks('a', 'main');
  expect([clusterIdOf('a'), clusterIdOf('main')]).toEqual(['all-purpose', 'all-purpose']);
  const contexts = await Promise.all(
    ids.map(
      async (runId) =>
        (await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.clusterId !== undefined)).tasks[0]
          ?.sparkContextId,
    ),
  );
  expect(contexts[0]).toBe(contexts[1]);
  harness.pool.endTask('a');
  harness.pool.endTask('main');
  for (const runId of ids) await harness.waitForRunEnd(runId);
  const rows = await harness.database.db
    .selectFrom('clusters')
    .select(['cluster_id', 'kind', 'state', 'job_run_id'])
    .execute();
  expect(rows).toEqual([
    { cluster_id: 'all-purpose', kind: 'ALL_PURPOSE', state: 'RUNNING', job_run_id: null },
  ]);
});

test('spec 2.2 existing_cluster_id: with requireExistingCluster an unknown or terminated cluster fails the task, and no cluster is created', async () => {
  const coordinator = harness.startCoordinator({
    compute: createFakeCompute({ requireExistingCluster: true }),
  });
  const unknown = await harness.waitForRunEnd(
    await harness.launchRun(coordinator, graphOnClusters({ a: 'existing' }, 'a')),
  );
  expect([describeRun(unknown)[1], unknown.tasks[0]?.progress.message]).toEqual([
    'a TERMINATED/FAILED',
    expect.stringContaining('Cluster all-purpose does not exist'),
  ]);
  expect(await harness.database.db.selectFrom('clusters').selectAll().execute()).toEqual([]);
  await harness.database.db
    .insertInto('clusters')
    .values({
      cluster_id: 'all-purpose',
      kind: 'ALL_PURPOSE',
      state: 'TERMINATED',
      job_run_id: null,
      cluster_key: null,
      creator: null,
      spec: '{}',
      spark_context_id: null,
      created_time: 1,
      started_time: null,
      terminated_time: 2,
      termination_reason: 'USER_REQUEST',
      termination_parameters: null,
      starting_node: null,
      last_used_time: null,
    })
    .execute();
  const terminated = await harness.waitForRunEnd(
    await harness.launchRun(coordinator, graphOnClusters({ a: 'existing' }, 'a')),
  );
  expect(terminated.tasks[0]?.progress.message).toContain(
    'The cluster is in Terminated state, not available to receive jobs',
  );
});

test('a job cluster serves other runs with its variables while it runs, and does not restart after its termination', async () => {
  const coordinator = harness.startCoordinator();
  const owner = await harness.launchRun(coordinator, graphOnClusters({ a: 'own' }, 'a'));
  await harness.waitForRunningTasks('a');
  const id = clusterIdOf('a') ?? '';
  const borrower = await harness.launchRun(coordinator, { ...singleTaskSettings, existing_cluster_id: id });
  await harness.waitForRunningTasks('a', 'main');
  expect(
    harness.pool.assignments.find(({ taskKey }) => taskKey === 'main')?.cluster?.environment,
  ).toMatchObject({ DB_CLUSTER_ID: id, DB_IS_JOB_CLUSTER: 'TRUE' });
  harness.pool.endTask('main');
  harness.pool.endTask('a');
  for (const runId of [owner, borrower]) await harness.waitForRunEnd(runId);
  const late = await harness.waitForRunEnd(
    await harness.launchRun(coordinator, { ...singleTaskSettings, existing_cluster_id: id }),
  );
  expect([late.run.progress.state, late.tasks[0]?.progress.message]).toEqual([
    'INTERNAL_ERROR',
    expect.stringContaining(`Cluster ${id} was terminated (JOB_FINISHED)`),
  ]);
});

test('spec 2.8 instance_pool_id: a task receives the node size of its pool, also on the cluster of another run', async () => {
  const inventory = {
    ...defaultInventory,
    pools: { p: { node_type_id: 'big' } },
    nodeTypes: { big: { memory_mb: 7, num_cores: 3, category: 'c', description: 'd' } },
  };
  const coordinator = harness.startCoordinator({ compute: createFakeCompute({ inventory }) });
  const pooledCluster = { ...newCluster, instance_pool_id: 'p' };
  await harness.launchRun(coordinator, {
    tasks: [{ task_key: 'owner', notebook_task: { notebook_path: '/n' }, new_cluster: pooledCluster }],
  });
  await harness.waitForRunningTasks('owner');
  await harness.launchRun(coordinator, {
    ...singleTaskSettings,
    existing_cluster_id: clusterIdOf('owner') ?? '',
  });
  await harness.waitForRunningTasks('main', 'owner');
  await harness.launchRun(coordinator, {
    tasks: [
      { task_key: 'unknown', notebook_task: { notebook_path: '/n' }, existing_cluster_id: 'never-made' },
    ],
  });
  await harness.waitForRunningTasks('main', 'owner', 'unknown');
  const sizes = harness.pool.assignments.map(({ taskKey, cluster }) => [
    taskKey,
    cluster?.workers,
    cluster?.nodeType?.memory_mb,
  ]);
  expect(sizes).toEqual([
    ['owner', 1, 7],
    ['main', 1, 7],
    ['unknown', undefined, undefined],
  ]);
  for (const task of ['main', 'owner', 'unknown']) harness.pool.endTask(task);
});
