/** Watch of an all-purpose cluster: a change before the task has acquired it, and its loss afterwards. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import type { ClusterStore, ComputePorts } from '../../../../engine/ports/clusters.ts';
import type { ChangeSet } from '../../../../engine/ports/runs.ts';
import { createAllPurposeStore } from '../../../../storage/postgres/clusters/all-purpose-clusters.ts';
import { unlimitedNodes } from '../../../../storage/postgres/clusters/cluster-nodes.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeCompute } from '../../../harness/fake-compute.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { singleTaskSettings } from '../../storage/run-fixtures.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';

let database: TestDatabase;
let harness: CoordinatorHarness;
let clusters: ClusterStore;
let compute: ComputePorts;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  harness = createCoordinatorHarness(database);
  clusters = createClusterStore(database.db, systemClock, pino({ level: 'silent' }));
  compute = createFakeCompute();
});
afterEach(() => harness.close());

const settings = { ...singleTaskSettings, existing_cluster_id: 'blue' };

/** Terminates the cluster as a user does on another node, and deletes it. */
async function removeCluster(): Promise<void> {
  await clusters.terminate(['blue'], { code: 'USER_REQUEST' }, harness.clock.now());
  await createAllPurposeStore(database.db, unlimitedNodes).remove('blue');
}

/** Returns the store; `find` calls `beforeResult` after each read and before its result is returned. */
function interceptFind(beforeResult: (reads: number) => Promise<void>): ClusterStore {
  let reads = 0;
  return {
    ...clusters,
    async find(clusterId) {
      const cluster = await clusters.find(clusterId);
      reads += 1;
      await beforeResult(reads);
      return cluster;
    },
  };
}

/** Lets a check that a notification has started read the database and act on the result. */
async function waitForOtherReads(readCount: () => number, expected: number): Promise<void> {
  for (let turns = 0; turns < 200 && readCount() < expected; turns += 1) {
    await clusters.find('blue');
    await nextTurn();
  }
}

test('a reconnect of the listener before the cluster is allocated does not end the task', async () => {
  let reads = 0;
  const intercepted = interceptFind(async () => {
    reads += 1;
  });
  const ensureAllPurpose: ClusterStore['ensureAllPurpose'] = async (...request) => {
    compute.signals.notify(undefined);
    await waitForOtherReads(() => reads, 2);
    return clusters.ensureAllPurpose(...request);
  };
  const coordinator = harness.startCoordinator({ compute, clusters: { ...intercepted, ensureAllPurpose } });
  const runId = await harness.launchRun(coordinator, settings);
  await eventually(() => harness.pool.assignments.length, { until: (count) => count === 1 });
  await eventually(() => reads, { until: (count) => count >= 2 });
  await nextTurn();
  expect(harness.pool.stopCount('main')).toBe(0);
  harness.pool.endTask('main');
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'main TERMINATED/SUCCESS',
  ]);
});

test('a cluster that is removed between its read and the start of the task ends the task', async () => {
  await clusters.ensureAllPurpose(allPurposeRow(), '1');
  const intercepted = interceptFind(async (reads) => {
    if (reads > 1) return;
    await removeCluster();
    compute.signals.notify('blue');
  });
  const runId = await harness.launchRun(
    harness.startCoordinator({ compute, clusters: intercepted }),
    settings,
  );
  const { run } = await harness.waitForRunEnd(runId);
  expect([run.progress.state, run.progress.message]).toEqual([
    'INTERNAL_ERROR',
    expect.stringContaining('Cluster blue was removed'),
  ]);
});

test('a cluster that is removed while the task uses it ends the task, also when its notification was lost', async () => {
  const runId = await harness.launchRun(harness.startCoordinator({ compute }), settings);
  await harness.waitForRunningTasks('main');
  await removeCluster();
  compute.signals.notify(undefined);
  const { run } = await harness.waitForRunEnd(runId);
  expect([run.progress.state, run.progress.message]).toEqual([
    'INTERNAL_ERROR',
    expect.stringContaining('Cluster blue was removed'),
  ]);
});

test('a retry that ends while the log delivery of the lost attempt goes on is cleaned up once', async () => {
  const delivery = Promise.withResolvers<void>();
  const provider = { ...compute.provider, deliverLogs: () => delivery.promise };
  const cleanups: number[] = [];
  const otherRunId = () => harness.pool.assignments.find(({ taskKey }) => taskKey === 'other')?.runId;
  const write = async (changeSet: ChangeSet) => {
    const cleanup = changeSet.changes.find(({ kind, from }) => kind === 'task' && from === 'TERMINATING');
    if (cleanup !== undefined && cleanup.runId !== otherRunId()) {
      cleanups.push(cleanup.runId);
      // The driver of the first attempt goes on while the second attempt is in the state TERMINATING.
      delivery.resolve();
      await nextTurn();
    }
    return harness.runs.write(changeSet);
  };
  await clusters.ensureAllPurpose(
    { ...allPurposeRow(), spec: { cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } } } },
    '1',
  );
  const coordinator = harness.startCoordinator({
    compute: { ...compute, provider },
    runs: { ...harness.runs, write },
  });
  const task = { notebook_task: { notebook_path: '/n' }, existing_cluster_id: 'blue', max_retries: 1 };
  const runId = await harness.launchRun(coordinator, {
    tasks: [
      { ...task, task_key: 'main' },
      { task_key: 'other', notebook_task: { notebook_path: '/n' }, existing_cluster_id: 'green' },
    ],
  });
  await harness.waitForRunningTasks('main', 'other');
  await removeCluster();
  compute.signals.notify('blue');
  await harness.waitForRun(runId, ({ tasks }) => tasks.length === 3);
  // The end of the other task starts the retry.
  harness.pool.endTask('other');
  await eventually(() => harness.pool.assignments.length, { until: (count) => count === 3 });
  harness.pool.endTask('main');
  const { run } = await harness.waitForRunEnd(runId);
  expect([run.progress.result, cleanups.length]).toEqual(['SUCCESS', 1]);
});

function allPurposeRow() {
  return {
    clusterId: 'blue',
    kind: 'ALL_PURPOSE' as const,
    name: 'blue',
    jobRunId: undefined,
    key: undefined,
    spec: {},
    creator: undefined,
    createdTime: harness.clock.now(),
    poolId: '',
    workers: 0,
    wantedNodes: 0,
  };
}
