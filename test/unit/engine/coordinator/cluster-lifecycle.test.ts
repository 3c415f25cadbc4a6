/** How long clusters live: a task's own, shared ones, and existing ones (spec 2.4). */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import { defaultInventory } from '../../../../engine/cluster/inventory.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { ClusterStore } from '../../../../engine/ports/clusters.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import { createFakeCompute } from '../../../harness/fake-compute.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';
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

const newCluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };

/** A graph whose tasks use clusters: `own`, `existing`, or the key of a shared one. */
function graphOn(uses: Readonly<Record<string, string>>, ...tasks: string[]): JobSettings {
  const keys = [...new Set(Object.values(uses))].filter((key) => key !== 'own' && key !== 'existing');
  return {
    job_clusters: keys.map((key) => ({ job_cluster_key: key, new_cluster: newCluster })),
    tasks: (graphSettings(...tasks).tasks ?? []).map((task) => {
      const use = uses[task.task_key];
      if (use === undefined) return task;
      if (use === 'own') return { ...task, new_cluster: newCluster };
      return use === 'existing'
        ? { ...task, existing_cluster_id: 'all-purpose' }
        : { ...task, job_cluster_key: use };
    }),
  };
}

const clusterOf = (taskKey: string): string | undefined =>
  harness.pool.assignments.find((one) => one.taskKey === taskKey)?.cluster?.clusterId;

describe('spec 2.4: a cluster of its own', () => {
  test('is made for each task and terminated when that completes', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphOn({ a: 'own', b: 'own' }, 'a', 'b', 'c a'),
    );
    await harness.waitForRunningTasks('a', 'b');
    expect(await harness.describeClusters(runId)).toEqual(['own RUNNING', 'own RUNNING']);
    expect(clusterOf('a')).not.toBe(clusterOf('b'));
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b', 'c');
    expect(await harness.describeClusters(runId)).toEqual(['own RUNNING', 'own TERMINATED']);
    expect(clusterOf('c')).toBeUndefined();
  });

  test.each(['failed', 'lost'] as const)('is terminated when the task is %s', async (kind) => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      notebook_task: { notebook_path: '/n' },
      new_cluster: newCluster,
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind, message: 'no' });
    await harness.waitForRunEnd(runId);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
  });

  test('has secrets that no message of the task tells', async () => {
    const runId = await harness.launchRun(harness.startCoordinator(), {
      notebook_task: { notebook_path: '/n' },
      new_cluster: { ...newCluster, spark_env_vars: { DB_PASSWORD: 'correct-horse' } },
    });
    await harness.waitForRunningTasks('main');
    harness.pool.endTask('main', { kind: 'failed', message: 'ValueError: correct-horse is wrong' });
    const { run, tasks } = await harness.waitForRunEnd(runId);
    expect([run, tasks[0]].map((one) => one?.progress.message)).toEqual(
      Array(2).fill('ValueError: *** is wrong'),
    );
  });

  test('is waited for: until it has started the task is PENDING and says so', async () => {
    const coordinator = harness.startCoordinator({ clusterStartMs: 60_000 });
    const start = harness.clock.now();
    const runId = await harness.launchRun(coordinator, graphOn({ a: 'own' }, 'a'));
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
    await eventually(() => expect(harness.clock.pendingCount()).toBe(1));
    harness.clock.advance(59_999);
    expect(await harness.describeClusters(runId)).toEqual(['own PENDING']);
    harness.clock.advance(1);
    await harness.waitForRunningTasks('a');
    const begun = await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
    expect(begun.tasks[0]?.progress).toMatchObject({
      startTime: start,
      runningTime: start + 60_000,
      message: '',
    });
    expect(await harness.describeClusters(runId)).toEqual(['own RUNNING']);
  });
});

describe('when another engine takes over', () => {
  /** The stores of an engine that is killed before it writes any state. */
  const writingNothing = () => ({ ...harness.runs, write: () => new Promise<never>(() => undefined) });

  test('the cluster of a task that never began ends with the run that was cancelled meanwhile', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator({ runs: writingNothing() }, 'kill'),
      graphOn({ a: 'own' }, 'a'),
    );
    await eventually(async () => expect(await harness.describeClusters(runId)).toEqual(['own RUNNING']));
    await harness.runs.requestStop(runId, 'cancel');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(['run TERMINATED/CANCELED', 'a SKIPPED']);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
  });

  test.each([
    ['its own', { a: 'own' }],
    ['a shared one', { a: 'etl' }],
  ])('an engine that was paused makes no cluster any more: %s', async (_name, uses) => {
    const clusters = createClusterStore(harness.database.db, systemClock, pino({ level: 'silent' }));
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const answers: string[] = [];
    const create: ClusterStore['create'] = async (...wish) => {
      asked.resolve();
      await goOn.promise;
      const answer = await clusters.create(...wish);
      answers.push(answer);
      return answer;
    };
    const runId = await harness.launchRun(
      harness.startCoordinator({ clusters: { ...clusters, create } }),
      graphOn(uses, 'a'),
    );
    await asked.promise;
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await harness.waitForRunningTasks('a');
    const made = await harness.describeClusters(runId);
    goOn.resolve();
    await eventually(() => expect(answers).toEqual(['refused']));
    expect(await harness.describeClusters(runId)).toEqual(made);
    harness.pool.endTask('a');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
    expect((await harness.describeClusters(runId)).every((cluster) => cluster.endsWith(' TERMINATED'))).toBe(
      true,
    );
  });
});

describe('spec 2.4: a shared cluster', () => {
  test('is one for its tasks, is not terminated when idle, and ends after the last of them, though the run goes on', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphOn({ a: 'etl', b: 'etl', d: 'etl' }, 'a', 'b', 'c a b', 'd c', 'e d'),
    );
    await harness.waitForRunningTasks('a', 'b');
    expect([clusterOf('a'), await harness.describeClusters(runId)]).toEqual([
      clusterOf('b'),
      ['etl RUNNING'],
    ]);
    harness.pool.endTask('a');
    harness.pool.endTask('b');
    await harness.waitForRunningTasks('c');
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
    harness.pool.endTask('c');
    await harness.waitForRunningTasks('d');
    expect(clusterOf('d')).toBe(clusterOf('a'));
    harness.pool.endTask('d');
    await harness.waitForRunningTasks('e');
    expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']);
    harness.pool.endTask('e');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
  });

  test('is terminated when its last user is skipped', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphOn({ a: 'etl', b: 'etl' }, 'a', 'b a', 'c'),
    );
    await harness.waitForRunningTasks('a', 'c');
    harness.pool.endTask('a', { kind: 'failed', message: 'no' });
    await harness.waitForRun(runId, ({ tasks }) => tasks[1]?.progress.state === 'SKIPPED');
    harness.pool.endTask('c');
    await harness.waitForRunEnd(runId);
    expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']);
  });

  test('that starts slowly is waited for by all its tasks, and asked for once', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator({ clusterStartMs: 60_000 }),
      graphOn({ a: 'etl', b: 'etl', c: 'etl' }, 'a', 'b', 'c a'),
    );
    await harness.waitForRun(runId, ({ tasks }) =>
      tasks.slice(0, 2).every(({ clusterId }) => clusterId !== undefined),
    );
    await eventually(() => expect(harness.clock.pendingCount()).toBe(1));
    harness.clock.advance(60_000);
    await harness.waitForRunningTasks('a', 'b');
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b', 'c');
    expect(new Set(['a', 'b', 'c'].map(clusterOf)).size).toBe(1);
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
  });

  test('that could not be made is replaced for the next task', async () => {
    const clusters = createClusterStore(harness.database.db, systemClock, pino({ level: 'silent' }));
    let refusals = 1;
    const create: ClusterStore['create'] = (...asked) =>
      (refusals -= 1) < 0 ? clusters.create(...asked) : Promise.reject(new Error('no nodes left'));
    const settings = graphOn({ a: 'etl', b: 'etl' }, 'a', 'b a');
    const [a, b] = settings.tasks ?? [];
    if (a === undefined || b === undefined) throw new Error('unreachable');
    const runId = await harness.launchRun(harness.startCoordinator({ clusters: { ...clusters, create } }), {
      ...settings,
      tasks: [a, { ...b, run_if: 'ALL_DONE' }],
    });
    await harness.waitForRunningTasks('b');
    const found = await harness.waitForRun(runId, ({ tasks }) => tasks[1]?.progress.state === 'RUNNING');
    expect(describeRun(found).slice(1)).toEqual(['a INTERNAL_ERROR', 'b RUNNING']);
    expect(found.tasks[0]?.progress.message).toBe('The engine failed this task: no nodes left');
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
  });

  test('that could not start, though several waited for it, fails them and ends with the run', async () => {
    const clusters = createClusterStore(harness.database.db, systemClock, pino({ level: 'silent' }));
    const started = () => Promise.reject(new Error('no nodes left'));
    const runId = await harness.launchRun(
      harness.startCoordinator({ clusterStartMs: 60_000, clusters: { ...clusters, markRunning: started } }),
      graphOn({ a: 'etl', b: 'etl' }, 'a', 'b'),
    );
    await harness.waitForRun(runId, ({ tasks }) => tasks.every(({ clusterId }) => clusterId !== undefined));
    await eventually(() => expect(harness.clock.pendingCount()).toBe(1));
    harness.clock.advance(60_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a INTERNAL_ERROR',
      'b INTERNAL_ERROR',
    ]);
    expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']);
  });
});

test('spec 2.2 existing_cluster_id: an existing cluster is allocated on first use, used by whoever names it, and outlives them', async () => {
  const coordinator = harness.startCoordinator();
  const ids = [
    await harness.launchRun(coordinator, graphOn({ a: 'existing' }, 'a')),
    await harness.launchRun(coordinator, { ...singleTaskSettings, existing_cluster_id: 'all-purpose' }),
  ];
  await harness.waitForRunningTasks('a', 'main');
  expect([clusterOf('a'), clusterOf('main')]).toEqual(['all-purpose', 'all-purpose']);
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

test('spec 2.2 existing_cluster_id: where clusters must be there, an unknown or ended one fails the task, and no cluster is made', async () => {
  const coordinator = harness.startCoordinator({
    compute: createFakeCompute({ requireExistingCluster: true }),
  });
  const unknown = await harness.waitForRunEnd(
    await harness.launchRun(coordinator, graphOn({ a: 'existing' }, 'a')),
  );
  expect([describeRun(unknown)[1], unknown.tasks[0]?.progress.message]).toEqual([
    'a TERMINATED/FAILED',
    'Cluster all-purpose does not exist',
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
  const ended = await harness.waitForRunEnd(
    await harness.launchRun(coordinator, graphOn({ a: 'existing' }, 'a')),
  );
  expect(ended.tasks[0]?.progress.message).toBe(
    'The cluster is in Terminated state, not available to receive jobs.',
  );
});

test('spec 2.4: an engine that takes up a running task finds that its cluster was lost meanwhile, and ends it so', async () => {
  const runId = await harness.launchRun(harness.startCoordinator({}, 'kill'), graphOn({ a: 'own' }, 'a'));
  await harness.waitForRunningTasks('a');
  const {
    tasks: [task],
  } = await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
  const clusters = createClusterStore(harness.database.db, systemClock, pino({ level: 'silent' }));
  await clusters.terminate(
    [task?.clusterId ?? ''],
    { code: 'CLOUD_PROVIDER_SHUTDOWN', parameters: { message: 'gone' } },
    harness.clock.now(),
    'lost',
  );
  await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
  const run = await harness.waitForRunEnd(runId);
  expect([describeRun(run)[1], run.tasks[0]?.progress.message]).toEqual([
    'a INTERNAL_ERROR/FAILED',
    `Cluster ${task?.clusterId} was terminated (CLOUD_PROVIDER_SHUTDOWN): gone`,
  ]);
  expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
});

test('spec 2.8 instance_pool_id: a pool that the configuration lost since the job was created ends the task, and no cluster is made', async () => {
  const runId = await harness.launchRun(harness.startCoordinator(), {
    notebook_task: { notebook_path: '/n' },
    new_cluster: { ...newCluster, instance_pool_id: 'gone' },
  });
  const run = await harness.waitForRunEnd(runId);
  expect([describeRun(run)[0], run.tasks[0]?.progress.message]).toEqual([
    'run INTERNAL_ERROR',
    `The cluster's instance_pool_id is "gone"; no pool is configured (RUNYARD_CLUSTERS).`,
  ]);
  expect(await harness.describeClusters(runId)).toEqual([]);
});

test('a cluster that was made for a run may be named while it lives, with its variables; after that it is not started again', async () => {
  const coordinator = harness.startCoordinator();
  const owner = await harness.launchRun(coordinator, graphOn({ a: 'own' }, 'a'));
  await harness.waitForRunningTasks('a');
  const id = clusterOf('a') ?? '';
  const borrower = await harness.launchRun(coordinator, { ...singleTaskSettings, existing_cluster_id: id });
  await harness.waitForRunningTasks('a', 'main');
  expect(harness.pool.assignments.find((one) => one.taskKey === 'main')?.cluster?.environment).toMatchObject({
    DB_CLUSTER_ID: id,
    DB_IS_JOB_CLUSTER: 'TRUE',
  });
  harness.pool.endTask('main');
  harness.pool.endTask('a');
  for (const runId of [owner, borrower]) await harness.waitForRunEnd(runId);
  const late = await harness.waitForRunEnd(
    await harness.launchRun(coordinator, { ...singleTaskSettings, existing_cluster_id: id }),
  );
  expect([late.run.progress.state, late.tasks[0]?.progress.message]).toEqual([
    'INTERNAL_ERROR',
    `Cluster ${id} was terminated (JOB_FINISHED)`,
  ]);
});

test('spec 2.8 instance_pool_id: a task is told the size of a node of its pool, also on a cluster that others have made', async () => {
  const inventory = {
    ...defaultInventory,
    pools: { p: { node_type_id: 'big' } },
    nodeTypes: { big: { memory_mb: 7, num_cores: 3, category: 'c', description: 'd' } },
  };
  const coordinator = harness.startCoordinator({ compute: createFakeCompute({ inventory }) });
  const pooled = { ...newCluster, instance_pool_id: 'p' };
  await harness.launchRun(coordinator, {
    tasks: [{ task_key: 'owner', notebook_task: { notebook_path: '/n' }, new_cluster: pooled }],
  });
  await harness.waitForRunningTasks('owner');
  await harness.launchRun(coordinator, {
    ...singleTaskSettings,
    existing_cluster_id: clusterOf('owner') ?? '',
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
