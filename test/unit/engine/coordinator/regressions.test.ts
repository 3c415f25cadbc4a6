/** Shortest stories of what the reference model (test/model) found and now keeps an eye on. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import {
  createRunEndListeners,
  type RunEndListeners,
} from '../../../../engine/coordinator/run-end-listeners.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';
import {
  createCoordinatorHarness,
  describeRun,
  waitOptions,
  type CoordinatorHarness,
} from './coordinator-harness.ts';

let database: TestDatabase;
let world: CoordinatorHarness;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createCoordinatorHarness(database);
});
afterEach(() => world.close());

const newCluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };

/** A graph in which every task has these settings. */
function each(settings: Partial<JobSettings> & object, ...tasks: string[]): JobSettings {
  return { tasks: (graphSettings(...tasks).tasks ?? []).map((task) => ({ ...task, ...settings })) };
}

async function cancel(coordinator: Coordinator, runId: number): Promise<void> {
  await world.runs.requestStop(runId, 'cancel');
  coordinator.stop(runId, 'cancel');
}

const runsOf = async (jobId: number): Promise<string[]> =>
  (
    await database.db.selectFrom('runs').selectAll().where('job_id', '=', jobId).orderBy('run_id').execute()
  ).map((row) => `${row.number_in_job} ${row.state}${row.result === null ? '' : `/${row.result}`}`);

test('a task that waits for its cluster longer than its health rule allows is told of meanwhile', async () => {
  const health = {
    rules: [
      {
        metric: 'RUN_DURATION_SECONDS' as const,
        op: 'GREATER_THAN',
        operator: 'GREATER_THAN' as const,
        value: 2,
      },
    ],
  };
  const told = {
    health,
    email_notifications: { on_duration_warning_threshold_exceeded: ['a@x'] },
    new_cluster: newCluster,
  };
  const runId = await world.launchRun(world.startCoordinator({ clusterStartMs: 60_000 }), each(told, 'a'));
  await world.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.startTime !== undefined);
  await vi.waitFor(() => expect(world.clock.pendingCount()).toBe(2), waitOptions);
  world.clock.advance(2_001);
  await vi.waitFor(
    async () =>
      expect(await world.describeNotifications()).toEqual(['a on_duration_warning_threshold_exceeded']),
    waitOptions,
  );
});

test('a shared cluster goes with the last task that uses it, also when that one is skipped while others run', async () => {
  const coordinator = world.startCoordinator();
  const { tasks = [] } = graphSettings('a', 'b', 'c b');
  const runId = await world.launchRun(coordinator, {
    job_clusters: [{ job_cluster_key: 'etl', new_cluster: newCluster }],
    tasks: tasks.map((task) => (task.task_key === 'b' ? task : { ...task, job_cluster_key: 'etl' })),
  });
  await world.waitForRunningTasks('a', 'b');
  world.pool.endTask('a');
  await world.waitForRun(runId, (run) => describeRun(run).includes('a TERMINATED/SUCCESS'));
  world.pool.ignoreStops = true;
  await cancel(coordinator, runId);
  await world.waitForRun(runId, (run) => describeRun(run).includes('c SKIPPED'));
  await vi.waitFor(
    async () => expect(await world.describeClusters(runId)).toEqual(['etl TERMINATED']),
    waitOptions,
  );
  world.pool.endTask('b', { kind: 'stopped' });
  await world.waitForRunEnd(runId);
});

test('a cancelled task whose time is over before it ends stays cancelled, also for the engine that adopts it', async () => {
  world.pool.ignoreStops = true;
  const first = world.startCoordinator({}, 'kill');
  const runId = await world.launchRun(first, each({ timeout_seconds: 10 }, 'a'));
  await world.waitForRunningTasks('a');
  await cancel(first, runId);
  world.clock.advance(10_000);
  await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2' }));
  await vi.waitFor(() => expect(world.pool.assignments).toHaveLength(2), waitOptions);
  world.pool.endTask('a', { kind: 'stopped' });
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'a TERMINATED/CANCELED',
  ]);
});

test('a timeout that strikes because it was shortened is known to the engine that adopts the task, though it was lengthened again', async () => {
  world.pool.ignoreStops = true;
  const first = world.startCoordinator({}, 'kill');
  const runId = await world.launchRun(first, each({ timeout_seconds: 100 }, 'a'));
  await world.waitForRunningTasks('a');
  world.clock.advance(50_000);
  const {
    run: { jobId },
  } = await world.waitForRun(runId, () => true);
  for (const seconds of [10, 100]) {
    for (const run of (await changeJob(
      database.db,
      jobId,
      () => each({ timeout_seconds: seconds }, 'a'),
      world.clock.now(),
    )) ?? [])
      first.updateTimeouts(run.runId, run.settings);
    await vi.waitFor(() => expect(world.pool.stopCount('a')).toBe(1), waitOptions);
  }
  await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2' }));
  await vi.waitFor(() => expect(world.pool.assignments).toHaveLength(2), waitOptions);
  world.pool.endTask('a', { kind: 'stopped' });
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/TIMEDOUT',
  ]);
});

test('an attempt whose cluster was given back when its engine died is ended without waiting for another cluster', async () => {
  let dead = false;
  const runs: RunStore = {
    ...world.runs,
    write: async (set) => (dead ? new Promise(() => undefined) : world.runs.write(set)),
  };
  const runId = await world.launchRun(
    world.startCoordinator({ runs }, 'kill'),
    each({ new_cluster: newCluster }, 'a'),
  );
  await world.waitForRunningTasks('a');
  dead = true;
  world.pool.endTask('a', { kind: 'lost', message: 'Gone' });
  await vi.waitFor(
    async () => expect(await world.describeClusters(runId)).toEqual(['own TERMINATED']),
    waitOptions,
  );
  await world.adoptRuns(world.startCoordinator({ nodeId: 'node-2', clusterStartMs: 60_000 }));
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a INTERNAL_ERROR/FAILED',
  ]);
});

test('nesting and cycles are seen through the retry of a run that a run_job_task started', async () => {
  const middle = await createStoredJob(database.db, singleTaskSettings, world.clock.now());
  const outer = await createStoredJob(
    database.db,
    { tasks: [{ task_key: 'outer', run_job_task: { job_id: middle } }] },
    world.clock.now(),
  );
  const back: JobSettings = { run_job_task: { job_id: outer }, max_retries: 2 };
  await database.db
    .updateTable('jobs')
    .set({ settings: JSON.stringify(back) })
    .where('job_id', '=', middle)
    .execute();
  await world.waitForRunEnd(
    await world.launchRun(world.startCoordinator(), {
      tasks: [{ task_key: 'first', run_job_task: { job_id: outer } }],
    }),
  );
  expect([await runsOf(outer), await runsOf(middle)]).toEqual([
    ['1 TERMINATED/FAILED'],
    ['1 TERMINATED/FAILED', '2 TERMINATED/FAILED', '3 TERMINATED/FAILED'],
  ]);
});

test('a run_job_task cancels the retry that took the place of its run just before it was to cancel that', async () => {
  const childId = await createStoredJob(
    database.db,
    { ...singleTaskSettings, max_retries: 1 },
    world.clock.now(),
  );
  let late: (() => Promise<void>) | undefined;
  const runs: RunStore = {
    ...world.runs,
    async requestStop(runId, reason) {
      await late?.();
      late = undefined;
      return world.runs.requestStop(runId, reason);
    },
  };
  const coordinator = world.startCoordinator({ runs });
  const runId = await world.launchRun(coordinator, {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  await world.waitForRunningTasks('main');
  world.pool.ignoreStops = true;
  late = async () => {
    world.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await vi.waitFor(
      () => expect(world.pool.assignments.filter(({ taskKey }) => taskKey === 'main')).toHaveLength(2),
      waitOptions,
    );
  };
  await cancel(coordinator, runId);
  const ticking = setInterval(() => world.clock.advance(5_000), 20);
  await vi.waitFor(() => expect(world.pool.stopCount('main')).toBe(1), waitOptions);
  world.pool.endTask('main', { kind: 'stopped' });
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'outer TERMINATED/CANCELED',
  ]);
  clearInterval(ticking);
  expect(await runsOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 TERMINATED/CANCELED']);
});

test('the end of a run is heard by its run_job_task also when it falls between a look at it and the wait for it', async () => {
  const childId = await createStoredJob(database.db, singleTaskSettings, world.clock.now());
  let looks = 0;
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const endings = createRunEndListeners();
  const noted: RunEndListeners = {
    ...endings,
    notify(runId) {
      endings.notify(runId);
      tell();
    },
  };
  const runs: RunStore = {
    ...world.runs,
    async findLatestAttempt(started) {
      const found = await world.runs.findLatestAttempt(started);
      looks += 1;
      if (looks > 1) return found;
      await world.waitForRunningTasks('main');
      world.pool.endTask('main');
      await told;
      return found;
    },
  };
  const runId = await world.launchRun(world.startCoordinator({ runs, runEndListeners: noted }), {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  // Time stands still: nobody looks again by himself.
  expect(describeRun(await world.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'outer TERMINATED/SUCCESS',
  ]);
});
