/** Clusters that several tasks of a run share (spec 2.4). */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import type { RunWithTasks } from '../../../../engine/run/run.ts';
import type { ClusterStore } from '../../../../engine/ports/clusters.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeCompute } from '../../../harness/fake-compute.ts';
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

const clusterIdOf = (taskKey: string): string | undefined =>
  harness.pool.assignments.find((assignment) => assignment.taskKey === taskKey)?.cluster?.clusterId;

describe('spec 2.4: a shared cluster', () => {
  test('serves all its tasks, survives idle times, and is terminated after the last task while the run continues', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphOnClusters({ a: 'etl', b: 'etl', d: 'etl' }, 'a', 'b', 'c a b', 'd c', 'e d'),
    );
    await harness.waitForRunningTasks('a', 'b');
    expect([clusterIdOf('a'), await harness.describeClusters(runId)]).toEqual([
      clusterIdOf('b'),
      ['etl RUNNING'],
    ]);
    harness.pool.endTask('a');
    harness.pool.endTask('b');
    await harness.waitForRunningTasks('c');
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
    harness.pool.endTask('c');
    await harness.waitForRunningTasks('d');
    expect(clusterIdOf('d')).toBe(clusterIdOf('a'));
    harness.pool.endTask('d');
    await harness.waitForRunningTasks('e');
    expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']);
    harness.pool.endTask('e');
    expect(describeRun(await harness.waitForRunEnd(runId))[0]).toBe('run TERMINATED/SUCCESS');
  });

  test('is terminated when its last task is skipped', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator(),
      graphOnClusters({ a: 'etl', b: 'etl' }, 'a', 'b a', 'c'),
    );
    await harness.waitForRunningTasks('a', 'c');
    harness.pool.endTask('a', { kind: 'failed', message: 'no' });
    await harness.waitForRun(runId, ({ tasks }) => tasks[1]?.progress.state === 'SKIPPED');
    harness.pool.endTask('c');
    await harness.waitForRunEnd(runId);
    expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']);
  });

  test('that starts slowly is created once and waited for by all its tasks', async () => {
    const runId = await harness.launchRun(
      harness.startCoordinator({ clusterStartMs: 60_000 }),
      graphOnClusters({ a: 'etl', b: 'etl', c: 'etl' }, 'a', 'b', 'c a'),
    );
    await harness.waitForRun(runId, ({ tasks }) =>
      tasks.slice(0, 2).every(({ clusterId }) => clusterId !== undefined),
    );
    await harness.waitForTimers(1);
    harness.clock.advance(60_000);
    await harness.waitForRunningTasks('a', 'b');
    harness.pool.endTask('a');
    await harness.waitForRunningTasks('b', 'c');
    expect(new Set(['a', 'b', 'c'].map(clusterIdOf)).size).toBe(1);
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
  });

  test('that could not be created is created for the next task', async () => {
    const clusters = createStore();
    let failures = 1;
    const create: ClusterStore['create'] = (...args) =>
      (failures -= 1) < 0 ? clusters.create(...args) : Promise.reject(new Error('no nodes left'));
    const settings = graphOnClusters({ a: 'etl', b: 'etl' }, 'a', 'b a');
    const [a, b] = settings.tasks ?? [];
    if (a === undefined || b === undefined) throw new Error('unreachable');
    const runId = await harness.launchRun(harness.startCoordinator({ clusters: { ...clusters, create } }), {
      ...settings,
      tasks: [a, { ...b, run_if: 'ALL_DONE' }],
    });
    await harness.waitForRunningTasks('b');
    const found = await harness.waitForRun(runId, ({ tasks }) => tasks[1]?.progress.state === 'RUNNING');
    expect(describeRun(found).slice(1)).toEqual(['a INTERNAL_ERROR', 'b RUNNING']);
    expect(found.tasks[0]?.progress.message).toContain('The engine failed this task: no nodes left');
    expect(await harness.describeClusters(runId)).toEqual(['etl RUNNING']);
  });

  test('that is terminated before its first task watches it ends the task with the cause', async () => {
    const clusters = createStore();
    const compute = createFakeCompute();
    const create: ClusterStore['create'] = async (row, ...more) => {
      const created = await clusters.create(row, ...more);
      await clusters.terminate([row.clusterId], { code: 'USER_REQUEST' }, harness.clock.now());
      compute.signals.notify(row.clusterId);
      return created;
    };
    const runId = await harness.launchRun(
      harness.startCoordinator({ compute, clusters: { ...clusters, create } }),
      graphOnClusters({ a: 'etl', b: 'etl' }, 'a', 'b a'),
    );
    const { run, tasks } = await harness.waitForRunEnd(runId);
    expect(tasks[0]?.progress).toMatchObject({
      state: 'INTERNAL_ERROR',
      message: expect.stringContaining('was terminated (USER_REQUEST)'),
      explanation: { cause_code: 'CLUSTER', place: { cluster_id: tasks[0]?.clusterId } },
    });
    expect(run.progress.explanation?.cause_code).toBe('CLUSTER');
  });

  test('that is terminated after its first task was stopped is replaced for the next one', async () => {
    const clusters = createStore();
    const compute = createFakeCompute();
    const settings = graphOnClusters({ a: 'etl', c: 'etl' }, 'a', 'x', 'c a x');
    const runId = await harness.launchRun(
      harness.startCoordinator({ compute, clusters, clusterStartMs: 60_000 }),
      {
        ...settings,
        tasks: (settings.tasks ?? []).map((task) =>
          task.task_key === 'a' ? { ...task, timeout_seconds: 10 } : { ...task, run_if: 'ALL_DONE' },
        ),
      },
    );
    await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.clusterId !== undefined);
    await harness.waitForTimers(2);
    harness.clock.advance(10_000);
    const { tasks } = await harness.waitForRun(runId, ({ tasks: [a] }) => a?.progress.endTime !== undefined);
    harness.clock.advance(50_000);
    const [etl] = await eventually(() => clusters.listByRun(runId), {
      until: ([cluster]) => cluster?.state === 'RUNNING',
    });
    expect(etl?.clusterId).toBe(tasks[0]?.clusterId);
    await clusters.terminate([etl?.clusterId ?? ''], { code: 'USER_REQUEST' }, harness.clock.now());
    compute.signals.notify(etl?.clusterId);
    harness.pool.endTask('x');
    const clusterOfC = ({ tasks: all }: RunWithTasks) =>
      all.find(({ taskKey }) => taskKey === 'c')?.clusterId;
    const started = await harness.waitForRun(runId, (found) => clusterOfC(found) !== undefined);
    expect(clusterOfC(started)).not.toBe(etl?.clusterId);
  });

  test('that cannot start fails every task that waits for it and is terminated with the run', async () => {
    const clusters = createStore();
    const markRunning = () => Promise.reject(new Error('no nodes left'));
    const runId = await harness.launchRun(
      harness.startCoordinator({ clusterStartMs: 60_000, clusters: { ...clusters, markRunning } }),
      graphOnClusters({ a: 'etl', b: 'etl' }, 'a', 'b'),
    );
    await harness.waitForRun(runId, ({ tasks }) => tasks.every(({ clusterId }) => clusterId !== undefined));
    await harness.waitForTimers(1);
    harness.clock.advance(60_000);
    expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
      'run TERMINATED/FAILED',
      'a INTERNAL_ERROR',
      'b INTERNAL_ERROR',
    ]);
    expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']);
  });
});
