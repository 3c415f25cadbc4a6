/** Launches in one round trip: what they store, and which ones they leave to a launch transaction. */
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { launchRun, type LaunchPorts } from '../../../engine/launch.ts';
import type { PendingLauncher, RunStore } from '../../../engine/ports/runs.ts';
import type { RunWithTasks } from '../../../engine/run/run.ts';
import { createPendingLauncher } from '../../../storage/postgres/runs/pending-launches.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import {
  createLaunchPorts,
  createStoredJob,
  createTestRunStore,
  graphSettings,
  launchRunOfJob,
  listRunsOfJob,
  singleTaskSettings,
} from './run-fixtures.ts';

let database: TestDatabase;
let runs: RunStore;
beforeAll(async () => {
  database = await createTestDatabase();
  runs = createTestRunStore(database.db);
});
afterAll(() => database.drop());

const many = { max_concurrent_runs: 1000 };

/** Creates launch ports whose launcher counts the runs that it started. */
function createPorts(accepted: RunWithTasks[] = [], maxTaskRuns: number = defaultLimits.concurrentTaskRuns) {
  const launcher = createPendingLauncher(database.db, {
    clock: systemClock,
    log: pino({ level: 'silent' }),
    nodeId: 'node-1',
    maxTaskRuns,
  });
  const started = { count: 0 };
  const counting: PendingLauncher = {
    ...launcher,
    async launch(launch) {
      const stored = await launcher.launch(launch);
      if (stored !== undefined) started.count += 1;
      return stored;
    },
  };
  const ports: LaunchPorts = { ...createLaunchPorts(runs, accepted), pendingLauncher: counting };
  return { ports, started };
}

/** Returns a graph whose tasks need a cluster, so that none begins with its launch. */
function onCluster({ tasks = [], ...settings }: JobSettings): JobSettings {
  return { ...settings, tasks: tasks.map((task) => ({ ...task, existing_cluster_id: 'shared' })) };
}

/** Returns the columns that tell where the settings of a run are. */
function settingsColumnsOf(runId: number) {
  return database.db
    .selectFrom('runs')
    .select(['settings', 'settings_revision'])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
}

async function endRunsOf(jobId: number): Promise<void> {
  const end = { state: 'SKIPPED', active: false, end_time: 9e12, queue_code: null } as const;
  const ended = database.db.updateTable('runs').set(end).where('job_id', '=', jobId).returning('run_id');
  for (const { run_id: runId } of await ended.execute())
    await database.db
      .updateTable('task_runs')
      .set({ state: 'SKIPPED', active: false, end_time: 9e12 })
      .where('job_run_id', '=', runId)
      .execute();
}

describe('a launch in one round trip', () => {
  test.each<[string, JobSettings]>([
    ['a single-task job', singleTaskSettings],
    ['a graph', { ...onCluster(graphSettings('a', 'b a', 'c a b')), name: 'graph', timeout_seconds: 60 }],
  ])('of %s stores what the launch transaction stores', async (_name, settings) => {
    const jobId = await createStoredJob(database.db, { ...settings, ...many });
    const accepted: RunWithTasks[] = [];
    const { ports, started } = createPorts(accepted);
    const parameters = { notebook_params: { day: 'a "1"' } };
    const request = { jobId, parameters, idempotencyToken: undefined, creator: 'ann' };
    const [first, second] = [
      await launchRun(ports, request),
      await launchRun({ ...ports, pendingLauncher: undefined }, request),
    ];
    expect(started.count).toBe(1);
    expect([first.numberInJob, second.numberInJob]).toEqual([1, 2]);
    // What the engine drives is what is stored.
    expect(await runs.find(first.runId)).toEqual(accepted[0]);
    const comparable = async (runId: number): Promise<unknown> => {
      const row = await database.db
        .selectFrom('runs')
        .selectAll()
        .where('run_id', '=', runId)
        .executeTakeFirstOrThrow();
      const tasks = await database.db
        .selectFrom('task_runs')
        .selectAll()
        .where('job_run_id', '=', runId)
        .orderBy('task_key')
        .execute();
      const { run_id, original_attempt_run_id, number_in_job: _number, start_time, ...rest } = row;
      expect([original_attempt_run_id, typeof start_time]).toEqual([run_id, 'number']);
      return {
        ...rest,
        tasks: tasks.map((task) => ({ ...task, run_id: 0, job_run_id: 0 })),
        number_in_job: 0,
      };
    };
    expect(await comparable(first.runId)).toEqual(await comparable(second.runId));
    await endRunsOf(jobId);
  });

  test('begins the first tasks that need nothing but their run', async () => {
    const jobId = await createStoredJob(database.db, { ...graphSettings('a', 'b a', 'c'), ...many });
    const accepted: RunWithTasks[] = [];
    const { ports } = createPorts(accepted);
    const { runId } = await launchRunOfJob(ports, jobId);
    const stored = await runs.find(runId);
    expect(stored).toEqual(accepted[0]);
    const states = stored?.tasks.map(({ taskKey, progress: { state, startTime, runningTime } }) => [
      taskKey,
      state,
      startTime === runningTime,
    ]);
    expect(states).toEqual([
      ['a', 'RUNNING', true],
      ['b', 'PENDING', true],
      ['c', 'RUNNING', true],
    ]);
    const { state, startTime, runningTime } = stored?.run.progress ?? {};
    expect([state, runningTime]).toEqual(['RUNNING', startTime]);
    await endRunsOf(jobId);
  });

  test.each<[string, JobSettings, Partial<LaunchPorts>]>([
    ['whose start is announced', { email_notifications: { on_start: ['a@x'] } }, {}],
    ['while the disk is full', {}, { findFullDisk: () => '/data' }],
  ])('begins no task %s', async (_name, settings, more) => {
    const jobId = await createStoredJob(database.db, { ...graphSettings('a'), ...settings, ...many });
    const { ports } = createPorts();
    const { runId } = await launchRunOfJob({ ...ports, ...more }, jobId);
    const stored = await runs.find(runId);
    expect([stored?.run, ...(stored?.tasks ?? [])].map((row) => row?.progress.state)).toEqual([
      'PENDING',
      'PENDING',
    ]);
    await endRunsOf(jobId);
  });

  test.each(['function', 'transaction'])(
    'by the %s leaves the settings to their revision, but not while a node of an earlier version is known',
    async (launcher) => {
      const settings = { ...singleTaskSettings, ...many };
      const jobId = await createStoredJob(database.db, settings);
      const { ports } = createPorts();
      const launch = () =>
        launchRunOfJob(launcher === 'function' ? ports : { ...ports, pendingLauncher: undefined }, jobId);
      const shared = await launch();
      expect(await settingsColumnsOf(shared.runId)).toEqual({ settings: null, settings_revision: 1 });
      await sql`insert into nodes (node_id, host, boot_id, pid, process_start, directory_id, joined_time, lease_until)
        values ('earlier', '', '', 1, '', '', 1, 2)`.execute(database.db);
      const own = await launch();
      await database.db.deleteFrom('nodes').execute();
      expect(await settingsColumnsOf(own.runId)).toEqual({ settings, settings_revision: null });
      expect((await listRunsOfJob(database.db, jobId)).map((run) => run.settings)).toEqual([
        settings,
        settings,
      ]);
      await endRunsOf(jobId);
    },
  );

  test('shares statements: 200 concurrent launches of one job need fewer than 40', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, ...many });
    const { ports, started } = createPorts();
    await launchRunOfJob(ports, jobId);
    const before = database.queryCount();
    await Promise.all(Array.from({ length: 200 }, () => launchRunOfJob(ports, jobId)));
    expect(database.queryCount() - before).toBeLessThan(40);
    expect(started.count).toBe(201);
    const numbers = (await listRunsOfJob(database.db, jobId)).map(({ numberInJob }) => numberInJob);
    expect(numbers).toEqual(Array.from({ length: 201 }, (_, index) => index + 1));
    await endRunsOf(jobId);
  });

  test('takes the settings that another engine has changed', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, ...many, name: 'before' });
    const { ports, started } = createPorts();
    await launchRunOfJob(ports, jobId);
    const changed = { ...singleTaskSettings, ...many, name: 'after' };
    await database.db
      .updateTable('jobs')
      .set({ settings: JSON.stringify(changed) })
      .where('job_id', '=', jobId)
      .execute();
    await launchRunOfJob(ports, jobId);
    // The changed job is decided by a transaction once, and known afterwards.
    expect(started.count).toBe(1);
    await launchRunOfJob(ports, jobId);
    expect(started.count).toBe(2);
    const names = (await listRunsOfJob(database.db, jobId)).map(({ name, settings }) => [
      name,
      settings.name,
    ]);
    expect(names).toEqual([
      ['before', 'before'],
      ['after', 'after'],
      ['after', 'after'],
    ]);
    await endRunsOf(jobId);
  });
});

describe('a launch is left to a transaction', () => {
  test.each<[string, JobSettings, number]>([
    ['at the limit of its job', { ...singleTaskSettings, max_concurrent_runs: 1 }, 1],
    ['with a limit of 0', { ...singleTaskSettings, max_concurrent_runs: 0 }, 0],
    ['behind queued runs', { ...singleTaskSettings, max_concurrent_runs: 2, queue: { enabled: true } }, 2],
    ['with a run_job_task', { tasks: [{ task_key: 'a', run_job_task: { job_id: 1 } }], ...many }, 0],
  ])('%s', async (_name, settings, startedRuns) => {
    const jobId = await createStoredJob(database.db, settings);
    const { ports, started } = createPorts();
    for (let count = 0; count < 4; count += 1) await launchRunOfJob(ports, jobId);
    expect(started.count).toBe(startedRuns);
    expect(await listRunsOfJob(database.db, jobId)).toHaveLength(4);
    await endRunsOf(jobId);
  });

  test('with an idempotency token, which starts one run only', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, ...many });
    const { ports, started } = createPorts();
    await Promise.all(Array.from({ length: 5 }, () => launchRunOfJob(ports, jobId, 'token')));
    expect(started.count).toBe(0);
    expect(await listRunsOfJob(database.db, jobId)).toHaveLength(1);
    await endRunsOf(jobId);
  });

  test('near the limit of the workspace', async () => {
    const graph = onCluster(graphSettings('a', 'b', 'c'));
    const jobId = await createStoredJob(database.db, { ...graph, ...many });
    const { ports, started } = createPorts([], 190);
    for (let count = 0; count < 15; count += 1) await launchRunOfJob(ports, jobId);
    // Other launches may add 160 task runs at the same time, which leaves 30 for this one.
    expect(started.count).toBe(10);
    await endRunsOf(jobId);
  });

  test('of a deleted job, which does not exist', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, ...many });
    const { ports } = createPorts();
    await launchRunOfJob(ports, jobId);
    await database.db.updateTable('jobs').set({ deleted_time: 5 }).where('job_id', '=', jobId).execute();
    await expect(launchRunOfJob(ports, jobId)).rejects.toThrow(`Job ${jobId} does not exist.`);
    await endRunsOf(jobId);
  });

  test('while another transaction holds the lock of the job', async () => {
    const jobId = await createStoredJob(database.db, { ...singleTaskSettings, ...many });
    const { ports, started } = createPorts();
    const launched = await runs.launchTransaction(async (transaction) => {
      await transaction.lockJob(jobId);
      const known = await ports.pendingLauncher?.findJob(jobId);
      return (
        known &&
        ports.pendingLauncher?.launch({
          known,
          maxConcurrentRuns: 1000,
          name: 'x',
          parallelTasks: { taskRuns: 1, runJobTasks: 0 },
          tasks: [{ taskKey: 'main', message: '', begins: false }],
          creator: 'ann',
          parameters: undefined,
        })
      );
    });
    expect([launched, started.count]).toEqual([undefined, 0]);
  });
});
