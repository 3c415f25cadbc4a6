/** Shortest stories of what the reference model (test/model) found and now keeps an eye on. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import { createRunEndListeners, type RunEndListeners } from '../../../../engine/coordinator/endings.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/database.ts';
import { graph, singleTask, storedJob } from '../../storage/stored-runs.ts';
import { createWorld, describeRun, patience, type World } from './world.ts';

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createWorld(database);
});
afterEach(() => world.close());

const newCluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };

/** A graph in which every task has these settings. */
function each(settings: Partial<JobSettings> & object, ...tasks: string[]): JobSettings {
  return { tasks: (graph(...tasks).tasks ?? []).map((task) => ({ ...task, ...settings })) };
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
  const runId = await world.launch(world.coordinator({ clusterStartMs: 60_000 }), each(told, 'a'));
  await world.when(runId, ({ tasks }) => tasks[0]?.progress.startTime !== undefined);
  await vi.waitFor(() => expect(world.clock.waiting()).toBe(2), patience);
  world.clock.advance(2_001);
  await vi.waitFor(
    async () => expect(await world.notices()).toEqual(['a on_duration_warning_threshold_exceeded']),
    patience,
  );
});

test('a shared cluster goes with the last task that uses it, also when that one is skipped while others run', async () => {
  const coordinator = world.coordinator();
  const { tasks = [] } = graph('a', 'b', 'c b');
  const runId = await world.launch(coordinator, {
    job_clusters: [{ job_cluster_key: 'etl', new_cluster: newCluster }],
    tasks: tasks.map((task) => (task.task_key === 'b' ? task : { ...task, job_cluster_key: 'etl' })),
  });
  await world.running('a', 'b');
  world.pool.end('a');
  await world.when(runId, (run) => describeRun(run).includes('a TERMINATED/SUCCESS'));
  world.pool.stubborn = true;
  await cancel(coordinator, runId);
  await world.when(runId, (run) => describeRun(run).includes('c SKIPPED'));
  await vi.waitFor(async () => expect(await world.clusters(runId)).toEqual(['etl TERMINATED']), patience);
  world.pool.end('b', { kind: 'stopped' });
  await world.ended(runId);
});

test('a cancelled task whose time is over before it ends stays cancelled, also for the engine that adopts it', async () => {
  world.pool.stubborn = true;
  const first = world.coordinator({}, 'kill');
  const runId = await world.launch(first, each({ timeout_seconds: 10 }, 'a'));
  await world.running('a');
  await cancel(first, runId);
  world.clock.advance(10_000);
  await world.adopt(world.coordinator({ nodeId: 'node-2' }));
  await vi.waitFor(() => expect(world.pool.handed).toHaveLength(2), patience);
  world.pool.end('a', { kind: 'stopped' });
  expect(describeRun(await world.ended(runId))).toEqual(['run TERMINATED/CANCELED', 'a TERMINATED/CANCELED']);
});

test('a timeout that strikes because it was shortened is known to the engine that adopts the task, though it was lengthened again', async () => {
  world.pool.stubborn = true;
  const first = world.coordinator({}, 'kill');
  const runId = await world.launch(first, each({ timeout_seconds: 100 }, 'a'));
  await world.running('a');
  world.clock.advance(50_000);
  const {
    run: { jobId },
  } = await world.when(runId, () => true);
  for (const seconds of [10, 100]) {
    for (const run of (await changeJob(
      database.db,
      jobId,
      () => each({ timeout_seconds: seconds }, 'a'),
      world.clock.now(),
    )) ?? [])
      first.updateTimeouts(run.runId, run.settings);
    await vi.waitFor(() => expect(world.pool.stops('a')).toBe(1), patience);
  }
  await world.adopt(world.coordinator({ nodeId: 'node-2' }));
  await vi.waitFor(() => expect(world.pool.handed).toHaveLength(2), patience);
  world.pool.end('a', { kind: 'stopped' });
  expect(describeRun(await world.ended(runId))).toEqual(['run TERMINATED/FAILED', 'a TERMINATED/TIMEDOUT']);
});

test('an attempt whose cluster was given back when its engine died is ended without waiting for another cluster', async () => {
  let dead = false;
  const runs: RunStore = {
    ...world.runs,
    write: async (set) => (dead ? new Promise(() => undefined) : world.runs.write(set)),
  };
  const runId = await world.launch(
    world.coordinator({ runs }, 'kill'),
    each({ new_cluster: newCluster }, 'a'),
  );
  await world.running('a');
  dead = true;
  world.pool.end('a', { kind: 'lost', message: 'Gone' });
  await vi.waitFor(async () => expect(await world.clusters(runId)).toEqual(['own TERMINATED']), patience);
  await world.adopt(world.coordinator({ nodeId: 'node-2', clusterStartMs: 60_000 }));
  expect(describeRun(await world.ended(runId))).toEqual(['run TERMINATED/FAILED', 'a INTERNAL_ERROR/FAILED']);
});

test('nesting and cycles are seen through the retry of a run that a run_job_task started', async () => {
  const middle = await storedJob(database.db, singleTask, world.clock.now());
  const outer = await storedJob(
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
  await world.ended(
    await world.launch(world.coordinator(), {
      tasks: [{ task_key: 'first', run_job_task: { job_id: outer } }],
    }),
  );
  expect([await runsOf(outer), await runsOf(middle)]).toEqual([
    ['1 TERMINATED/FAILED'],
    ['1 TERMINATED/FAILED', '2 TERMINATED/FAILED', '3 TERMINATED/FAILED'],
  ]);
});

test('a run_job_task cancels the retry that took the place of its run just before it was to cancel that', async () => {
  const childId = await storedJob(database.db, { ...singleTask, max_retries: 1 }, world.clock.now());
  let late: (() => Promise<void>) | undefined;
  const runs: RunStore = {
    ...world.runs,
    async requestStop(runId, reason) {
      await late?.();
      late = undefined;
      return world.runs.requestStop(runId, reason);
    },
  };
  const coordinator = world.coordinator({ runs });
  const runId = await world.launch(coordinator, {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  await world.running('main');
  world.pool.stubborn = true;
  late = async () => {
    world.pool.end('main', { kind: 'failed', message: 'Broken' });
    await vi.waitFor(
      () => expect(world.pool.handed.filter(({ taskKey }) => taskKey === 'main')).toHaveLength(2),
      patience,
    );
  };
  await cancel(coordinator, runId);
  const ticking = setInterval(() => world.clock.advance(5_000), 20);
  await vi.waitFor(() => expect(world.pool.stops('main')).toBe(1), patience);
  world.pool.end('main', { kind: 'stopped' });
  expect(describeRun(await world.ended(runId))).toEqual([
    'run TERMINATED/CANCELED',
    'outer TERMINATED/CANCELED',
  ]);
  clearInterval(ticking);
  expect(await runsOf(childId)).toEqual(['1 TERMINATED/FAILED', '2 TERMINATED/CANCELED']);
});

test('the end of a run is heard by its run_job_task also when it falls between a look at it and the wait for it', async () => {
  const childId = await storedJob(database.db, singleTask, world.clock.now());
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
      await world.running('main');
      world.pool.end('main');
      await told;
      return found;
    },
  };
  const runId = await world.launch(world.coordinator({ runs, runEndListeners: noted }), {
    tasks: [{ task_key: 'outer', run_job_task: { job_id: childId } }],
  });
  // Time stands still: nobody looks again by himself.
  expect(describeRun(await world.ended(runId))).toEqual([
    'run TERMINATED/SUCCESS',
    'outer TERMINATED/SUCCESS',
  ]);
});
