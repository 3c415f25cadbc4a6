/** Clusters of runs that another engine adopts (spec 2.4). */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import type { ClusterStore } from '../../../../engine/ports/clusters.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createCoordinatorHarness, describeRun, type CoordinatorHarness } from './coordinator-harness.ts';
import { graphOnClusters } from './run-settings.ts';

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

const createStore = (): ClusterStore =>
  createClusterStore(database.db, systemClock, pino({ level: 'silent' }));

describe('clusters of an adopted run', () => {
  /** Returns the store of an engine that is killed before it writes any state. */
  const createUnwritableStore = () => ({ ...harness.runs, write: () => new Promise<never>(() => undefined) });

  test('the cluster of a task that never started is terminated when the run was cancelled before the adoption', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator({ runs: createUnwritableStore() }, 'kill'),
      graphOnClusters({ a: 'own' }, 'a'),
    );
    await eventually(async () => expect(await harness.describeClusters(runId)).toEqual(['own RUNNING']));
    await harness.runs.requestStop(runId, 'cancel');
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual(['run TERMINATED/CANCELED', 'a SKIPPED']);
    expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
  });

  test.each([
    ['its own cluster', { a: 'own' }],
    ['a shared cluster', { a: 'etl' }],
  ])('a paused engine that lost the run creates no cluster afterwards: %s', async (_name, uses) => {
    const clusters = createStore();
    const creating = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    const answers: string[] = [];
    const create: ClusterStore['create'] = async (...args) => {
      creating.resolve();
      await resumed.promise;
      const answer = await clusters.create(...args);
      answers.push(answer);
      return answer;
    };
    const runId = await harness.launchRun(
      harness.startCoordinator({ clusters: { ...clusters, create } }),
      graphOnClusters(uses, 'a'),
    );
    await creating.promise;
    await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
    await harness.waitForRunningTasks('a');
    const clustersOfAdopter = await harness.describeClusters(runId);
    resumed.resolve();
    await eventually(() => expect(answers).toEqual(['refused']));
    expect(await harness.describeClusters(runId)).toEqual(clustersOfAdopter);
    harness.pool.endTask('a');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
    expect((await harness.describeClusters(runId)).every((cluster) => cluster.endsWith(' TERMINATED'))).toBe(
      true,
    );
  });
});

test('spec 2.4: a running task whose cluster was lost before the adoption ends as INTERNAL_ERROR', async () => {
  const runId = await harness.launchRun(
    harness.startCoordinator({}, 'kill'),
    graphOnClusters({ a: 'own' }, 'a'),
  );
  await harness.waitForRunningTasks('a');
  const {
    tasks: [task],
  } = await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.state === 'RUNNING');
  const clusters = createStore();
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
    expect.stringContaining(`Cluster ${task?.clusterId} was terminated (CLOUD_PROVIDER_SHUTDOWN): gone`),
  ]);
  expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']);
});
