/** Defects that the reference model (test/model) found, each reduced to its shortest sequence. */
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
import { graphWithTaskSettings, newCluster } from './run-settings.ts';

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

async function cancel(coordinator: Coordinator, runId: number): Promise<void> {
  await harness.runs.requestStop(runId, 'cancel');
  coordinator.stop(runId, 'cancel');
}

test('a health rule warns about a task that still waits for its cluster', async () => {
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
  const warnedSettings = {
    health,
    email_notifications: { on_duration_warning_threshold_exceeded: ['a@x'] },
    new_cluster: newCluster,
  };
  const runId = await harness.launchRun(
    harness.startCoordinator({ clusterStartMs: 60_000 }),
    graphWithTaskSettings(warnedSettings, 'a'),
  );
  await harness.waitForRun(runId, ({ tasks }) => tasks[0]?.progress.startTime !== undefined);
  await harness.waitForTimers(2);
  harness.clock.advance(2_001);
  await eventually(async () =>
    expect(await harness.describeNotifications()).toEqual(['a on_duration_warning_threshold_exceeded']),
  );
});

test('a shared cluster is terminated when its last task is skipped while tasks without it still run', async () => {
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

test('a cancelled task that exceeds its timeout before it ends stays CANCELED after an adoption', async () => {
  harness.pool.ignoreStops = true;
  const first = harness.startCoordinator({}, 'kill');
  const runId = await harness.launchRun(first, graphWithTaskSettings({ timeout_seconds: 10 }, 'a'));
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

test('a task that a shortened timeout stopped ends as TIMEDOUT after an adoption, although the timeout was lengthened again', async () => {
  harness.pool.ignoreStops = true;
  const first = harness.startCoordinator({}, 'kill');
  const runId = await harness.launchRun(first, graphWithTaskSettings({ timeout_seconds: 100 }, 'a'));
  await harness.waitForRunningTasks('a');
  harness.clock.advance(50_000);
  const {
    run: { jobId },
  } = await harness.getRun(runId);
  for (const seconds of [10, 100]) {
    for (const run of (await changeJob(
      database.db,
      jobId,
      () => graphWithTaskSettings({ timeout_seconds: seconds }, 'a'),
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

test('an attempt whose cluster was terminated before its engine died ends without another cluster', async () => {
  let dead = false;
  const runs: RunStore = {
    ...harness.runs,
    write: async (set) => (dead ? new Promise(() => undefined) : harness.runs.write(set)),
  };
  const runId = await harness.launchRun(
    harness.startCoordinator({ runs }, 'kill'),
    graphWithTaskSettings({ new_cluster: newCluster }, 'a'),
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

test('the retry of a run that a run_job_task started counts for nesting and cycles', async () => {
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
  expect([await harness.describeRunsOfJob(outer), await harness.describeRunsOfJob(middle)]).toEqual([
    ['1 TERMINATED/FAILED'],
    ['1 TERMINATED/FAILED', '2 TERMINATED/FAILED', '3 TERMINATED/FAILED'],
  ]);
});

test('a cancelled run_job_task cancels a retry that replaced its run right before the cancellation', async () => {
  const childId = await createStoredJob(
    database.db,
    { ...singleTaskSettings, max_retries: 1 },
    harness.clock.now(),
  );
  let beforeStop: (() => Promise<void>) | undefined;
  const runs: RunStore = {
    ...harness.runs,
    async requestStop(runId, reason) {
      await beforeStop?.();
      beforeStop = undefined;
      return harness.runs.requestStop(runId, reason);
    },
  };
  const coordinator = harness.startCoordinator({ runs });
  const runId = await harness.launchRun(coordinator, {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  await harness.waitForRunningTasks('main');
  harness.pool.ignoreStops = true;
  beforeStop = async () => {
    harness.pool.endTask('main', { kind: 'failed', message: 'Broken' });
    await eventually(() =>
      expect(harness.pool.assignments.filter(({ taskKey }) => taskKey === 'main')).toHaveLength(2),
    );
  };
  await cancel(coordinator, runId);
  await harness.advanceUntil(() => harness.pool.stopCount('main') === 1);
  harness.pool.endTask('main', { kind: 'stopped' });
  expect(describeRun(await harness.advanceUntilRunEnd(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'outer TERMINATED/CANCELED',
  ]);
  expect(await harness.describeRunsOfJob(childId)).toEqual(['1 TERMINATED/FAILED', '2 TERMINATED/CANCELED']);
});

test('a run_job_task sees the end of its run between its query and its wait', async () => {
  const childId = await createStoredJob(database.db, singleTaskSettings, harness.clock.now());
  let queries = 0;
  const notified = Promise.withResolvers<void>();
  const listeners = createRunEndListeners();
  const runEndListeners: RunEndListeners = {
    ...listeners,
    notify(runId) {
      listeners.notify(runId);
      notified.resolve();
    },
  };
  const runs: RunStore = {
    ...harness.runs,
    async findLatestAttempt(started) {
      const found = await harness.runs.findLatestAttempt(started);
      queries += 1;
      if (queries > 1) return found;
      await harness.waitForRunningTasks('main');
      harness.pool.endTask('main');
      await notified.promise;
      return found;
    },
  };
  const runId = await harness.launchRun(harness.startCoordinator({ runs, runEndListeners }), {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  // The clock stands still, so the engine does not poll.
  expect(describeRun(await harness.waitForRunEnd(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'outer TERMINATED/SUCCESS',
  ]);
});
