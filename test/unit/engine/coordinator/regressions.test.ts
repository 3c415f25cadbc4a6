/** Shortest stories of what the reference model (test/model) found and now keeps an eye on. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import {
  createRunEndListeners,
  type RunEndListeners,
} from '../../../../engine/coordinator/run-end-listeners.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { graphSettings, singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';
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

/** A graph in which every task has these settings. */
function each(settings: Partial<JobSettings> & object, ...tasks: string[]): JobSettings {
  return { tasks: (graphSettings(...tasks).tasks ?? []).map((task) => ({ ...task, ...settings })) };
}

async function cancel(coordinator: Coordinator, runId: number): Promise<void> {
  await harness.runs.requestStop(runId, 'cancel');
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
  const runId = await harness.launchRun(
    harness.startCoordinator({ clusterStartMs: 60_000 }),
    each(told, 'a'),
  );
  await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.startTime !== undefined);
  await eventually(() => expect(harness.clock.pendingCount()).toBe(2));
  harness.clock.advance(2_001);
  await eventually(async () =>
    expect(await harness.describeNotifications()).toEqual(['a on_duration_warning_threshold_exceeded']),
  );
});

test('a shared cluster goes with the last task that uses it, also when that one is skipped while others run', async () => {
  const coordinator = harness.startCoordinator();
  const { tasks = [] } = graphSettings('a', 'b', 'c b');
  const runId = await harness.launchRun(coordinator, {
    job_clusters: [{ job_cluster_key: 'etl', new_cluster: newCluster }],
    tasks: tasks.map((task) => (task.task_key === 'b' ? task : { ...task, job_cluster_key: 'etl' })),
  });
  await harness.waitForRunningTasks('a', 'b');
  harness.pool.endTask('a');
  await harness.waitForRun(runId, (run) => describeRun(run).includes('a TERMINATED/SUCCESS'));
  harness.pool.ignoreStops = true;
  await cancel(coordinator, runId);
  await harness.waitForRun(runId, (run) => describeRun(run).includes('c SKIPPED'));
  await eventually(async () => expect(await harness.describeClusters(runId)).toEqual(['etl TERMINATED']));
  harness.pool.endTask('b', { kind: 'stopped' });
  await harness.waitForRunEnd(runId);
});

test('a cancelled task whose time is over before it ends stays cancelled, also for the engine that adopts it', async () => {
  harness.pool.ignoreStops = true;
  const first = harness.startCoordinator({}, 'kill');
  const runId = await harness.launchRun(first, each({ timeout_seconds: 10 }, 'a'));
  await harness.waitForRunningTasks('a');
  await cancel(first, runId);
  harness.clock.advance(10_000);
  await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
  await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
  harness.pool.endTask('a', { kind: 'stopped' });
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'a TERMINATED/CANCELED',
  ]);
});

test('a timeout that strikes because it was shortened is known to the engine that adopts the task, though it was lengthened again', async () => {
  harness.pool.ignoreStops = true;
  const first = harness.startCoordinator({}, 'kill');
  const runId = await harness.launchRun(first, each({ timeout_seconds: 100 }, 'a'));
  await harness.waitForRunningTasks('a');
  harness.clock.advance(50_000);
  const {
    run: { jobId },
  } = await harness.waitForRun(runId, () => true);
  for (const seconds of [10, 100]) {
    for (const run of (await changeJob(
      database.db,
      jobId,
      () => each({ timeout_seconds: seconds }, 'a'),
      harness.clock.now(),
    )) ?? [])
      first.updateTimeouts(run.runId, run.settings);
    await eventually(() => expect(harness.pool.stopCount('a')).toBe(1));
  }
  await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2' }));
  await eventually(() => expect(harness.pool.assignments).toHaveLength(2));
  harness.pool.endTask('a', { kind: 'stopped' });
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a TERMINATED/TIMEDOUT',
  ]);
});

test('an attempt whose cluster was given back when its engine died is ended without waiting for another cluster', async () => {
  let dead = false;
  const runs: RunStore = {
    ...harness.runs,
    write: async (set) => (dead ? new Promise(() => undefined) : harness.runs.write(set)),
  };
  const runId = await harness.launchRun(
    harness.startCoordinator({ runs }, 'kill'),
    each({ new_cluster: newCluster }, 'a'),
  );
  await harness.waitForRunningTasks('a');
  dead = true;
  harness.pool.endTask('a', { kind: 'lost', message: 'Gone' });
  await eventually(async () => expect(await harness.describeClusters(runId)).toEqual(['own TERMINATED']));
  await harness.adoptRuns(harness.startCoordinator({ nodeId: 'node-2', clusterStartMs: 60_000 }));
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/FAILED',
    'a INTERNAL_ERROR/FAILED',
  ]);
});

test('nesting and cycles are seen through the retry of a run that a run_job_task started', async () => {
  const middle = await createStoredJob(database.db, singleTaskSettings, harness.clock.now());
  const outer = await createStoredJob(
    database.db,
    { tasks: [{ task_key: 'outer', run_job_task: { job_id: middle } }] },
    harness.clock.now(),
  );
  const back: JobSettings = { run_job_task: { job_id: outer }, max_retries: 2 };
  await database.db
    .updateTable('jobs')
    .set({ settings: JSON.stringify(back) })
    .where('job_id', '=', middle)
    .execute();
  await harness.waitForRunEnd(
    await harness.launchRun(harness.startCoordinator(), {
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
    harness.clock.now(),
  );
  let late: (() => Promise<void>) | undefined;
  const runs: RunStore = {
    ...harness.runs,
    async requestStop(runId, reason) {
      await late?.();
      late = undefined;
      return harness.runs.requestStop(runId, reason);
    },
  };
  const coordinator = harness.startCoordinator({ runs });
  const runId = await harness.launchRun(coordinator, {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  await harness.waitForRunningTasks('main');
  harness.pool.ignoreStops = true;
  late = async () => {
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(() =>
      expect(harness.pool.assignments.filter(({ taskKey }) => taskKey === 'main')).toHaveLength(2),
    );
  };
  await cancel(coordinator, runId);
  const ticking = setInterval(() => harness.clock.advance(5_000), 20);
  await eventually(() => expect(harness.pool.stopCount('main')).toBe(1));
  harness.pool.endTask('main', { kind: 'stopped' });
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'outer TERMINATED/CANCELED',
  ]);
  clearInterval(ticking);
  expect(await runsOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 TERMINATED/CANCELED']);
});

test('the end of a run is heard by its run_job_task also when it falls between a look at it and the wait for it', async () => {
  const childId = await createStoredJob(database.db, singleTaskSettings, harness.clock.now());
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
    ...harness.runs,
    async findLatestAttempt(started) {
      const found = await harness.runs.findLatestAttempt(started);
      looks += 1;
      if (looks > 1) return found;
      await harness.waitForRunningTasks('main');
      harness.pool.endTask('main');
      await told;
      return found;
    },
  };
  const runId = await harness.launchRun(harness.startCoordinator({ runs, runEndListeners: noted }), {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  // Time stands still: nobody looks again by himself.
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'outer TERMINATED/SUCCESS',
  ]);
});
