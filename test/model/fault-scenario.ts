/**
 * Scenario of several jobs on the real engine with its ownership loop, its queue and PostgreSQL. It runs to
 * its end with injected faults.
 */
import { emptyLibraryManager } from '../unit/engine/coordinator/empty-libraries.ts';
import { pino } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { cancelRun } from '../../engine/cancel.ts';
import { createRunQueue } from '../../engine/coordinator/run-queue.ts';
import { createCoordinator } from '../../engine/coordinator/coordinator.ts';
import { createRunEndListeners } from '../../engine/coordinator/run-end-listeners.ts';
import { startOwnershipLoop } from '../../engine/coordinator/ownership-loop.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import { launchRun, type LaunchPorts } from '../../engine/launch.ts';
import { defaultLimits as limits } from '../../engine/limits.ts';
import type { TaskOutcome } from '../../engine/run/assignment.ts';
import { createClusterStore } from '../../storage/postgres/clusters/clusters.ts';
import { isTransientError } from '../../storage/postgres/transient-errors.ts';
import { createNodeStore, createRunStore } from '../../storage/postgres/stores.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import type { TestDatabase } from '../harness/test-database.ts';
import { createFakeCompute } from '../harness/fake-compute.ts';
import { createPostgresBackend } from './store-backend.ts';
import { createCrashInjector } from './crash-injector.ts';
import type { FaultyDatabase, FaultMode } from './faulty-database.ts';
import { observeEngine } from './observation.ts';
import { createFakeProcessTable } from './fake-process-table.ts';

const notificationSettings = {
  email_notifications: { on_start: ['a@x'], on_success: ['a@x'], on_failure: ['a@x'] },
};
const cluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };
const notebookTask = { notebook_task: { notebook_path: '/n' } };

const childJob: JobSettings = { ...notificationSettings, ...notebookTask, new_cluster: cluster };
const middleJob = (childId: number): JobSettings => ({
  ...notificationSettings,
  run_job_task: { job_id: childId },
});
/** Task whose first attempt exceeds its timeout and its health rule. */
const singleTaskJob: JobSettings = {
  ...notebookTask,
  existing_cluster_id: 'all-purpose',
  max_retries: 1,
  timeout_seconds: 60,
  retry_on_timeout: true,
  email_notifications: {
    ...notificationSettings.email_notifications,
    on_duration_warning_threshold_exceeded: ['a@x'],
  },
  health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 30 }] },
};
const graphJob = (middleId: number): JobSettings => ({
  ...notificationSettings,
  max_concurrent_runs: 1,
  queue: { enabled: true },
  job_clusters: [{ job_cluster_key: 'shared', new_cluster: cluster }],
  tasks: [
    { task_key: 'a', ...notificationSettings, ...notebookTask, job_cluster_key: 'shared' },
    {
      task_key: 'b',
      ...notificationSettings,
      ...notebookTask,
      new_cluster: cluster,
      max_retries: 1,
      depends_on: [{ task_key: 'a' }],
    },
    {
      task_key: 'c',
      ...notificationSettings,
      run_job_task: { job_id: middleId },
      depends_on: [{ task_key: 'a' }],
    },
    {
      task_key: 'd',
      ...notificationSettings,
      ...notebookTask,
      job_cluster_key: 'shared',
      depends_on: [{ task_key: 'b' }, { task_key: 'c' }],
    },
  ],
});

/** Clock whose retry delays pass at once. */
const immediateClock: Clock = {
  now: () => 0,
  runAt(_at, action) {
    const soon = setImmediate(action);
    return () => clearImmediate(soon);
  },
};

const startTime = 1_770_000_000_000;
const leaseMs = 3_000;
/** Maximum rounds of the ownership loop until the state is restored. */
const maxHeartbeats = 8;

/** Returns the final observable state without times. */
export async function runFaultScenario(
  database: TestDatabase,
  faulty: FaultyDatabase,
  statement: number,
  mode: FaultMode,
): Promise<string[]> {
  const log = pino({ level: 'silent' });
  await database.db.deleteFrom('nodes').execute();
  const backend = await createPostgresBackend(database);
  const clock = createManualClock(startTime);
  const jobIds = [await backend.createJob(childJob, startTime)];
  jobIds.push(await backend.createJob(middleJob(jobIds[0] ?? 0), startTime));
  jobIds.push(
    await backend.createJob(graphJob(jobIds[1] ?? 0), startTime),
    await backend.createJob(singleTaskJob, startTime),
  );
  const [, , graphId = 0, soloId = 0] = jobIds;
  const life = createCrashInjector();
  const runs = life.wrapStore(createRunStore(faulty.db, immediateClock, log));
  const processes = createFakeProcessTable();
  const endings = createRunEndListeners();
  let ids = 0;
  const coordinator = createCoordinator({
    runs,
    clusters: life.wrapStore(createClusterStore(faulty.db, immediateClock, log)),
    compute: createFakeCompute(),
    pool: processes.createPool(life.isCrashed),
    clock,
    log,
    nodeId: 'node-1',
    limits,
    runEndListeners: endings,
    libraryManager: emptyLibraryManager,
    directories: {
      ensureAttemptDirectory: async (runId) => `/runs/${runId}`,
      ensureClusterDirectory: async (id) => `/clusters/${id}`,
      readTaskValues: async () => ({}),
      findSparkApplication: async () => undefined,
      readOutput: async () => undefined,
    },
    workspace: { publicUrl: () => 'http://runyard.test', workspaceId: '1' },
    clusterStartMs: 0,
    randomString: (length) => String((ids += 1)).padStart(length, '0'),
    onCapacityFreed: () => queue.wake(),
  });
  const queue = createRunQueue({
    runs,
    clock,
    log,
    limits,
    nodeId: 'node-1',
    acceptRun: coordinator.accept,
    runEndListeners: endings,
  });
  const launching: LaunchPorts = { runs, clock, limits, nodeId: 'node-1', acceptRun: coordinator.accept };
  const watch = await startOwnershipLoop({
    nodes: life.wrapStore(createNodeStore(faulty.db, async () => clock.now())),
    runs,
    coordinator,
    queue,
    clock,
    log,
    leaseMs,
    node: {
      nodeId: 'node-1',
      host: 'here',
      bootId: 'b',
      directoryId: 'd',
      pid: process.pid,
      processStart: '1',
    },
    heartbeat: () => ({ reportAlive: () => undefined, close: async () => undefined }),
    sweepOrphans: async () => undefined,
  });
  await life.waitUntilIdle();

  const seen = (): Promise<string[]> => observeEngine(backend, processes, jobIds, startTime);
  /** Waits until a line with this beginning exists, or no longer exists. */
  const until = async (beginning: string, there = true): Promise<void> => {
    for (let beat = 0; ; beat += 1) {
      await life.waitUntilIdle();
      const lines = await seen();
      if (lines.some((line) => line.startsWith(beginning)) === there) return;
      if (beat === maxHeartbeats)
        throw new Error(`${there ? 'Missing' : 'Still there'}: ${beginning}\n${lines.join('\n')}`);
      clock.advance(leaseMs / 3);
    }
  };
  /** Repeats a request while the service answers that it is unavailable. */
  const client = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isTransientError(error)) throw error;
      }
    }
  };
  const start = (jobId: number, idempotencyToken: string) =>
    client(() => launchRun(launching, { jobId, parameters: {}, idempotencyToken, creator: 'ann' }));
  const cancel = (runId: number) =>
    client(() =>
      cancelRun(
        {
          runs,
          stopRun: (id, reason) => {
            coordinator.stop(id, reason);
            queue.wake();
          },
        },
        runId,
      ),
    );
  const end = async (label: string, outcome: TaskOutcome = { kind: 'succeeded' }): Promise<void> => {
    await until(`executing ${label}`);
    const [, job, number, key, attempt] = /^job(\d)#(\d)\/(\w+):(\d)/.exec(label) ?? [];
    const { runs: rows } = await backend.readRows();
    const run = rows.find(
      (row) => row.job_id === jobIds[Number(job)] && row.number_in_job === Number(number),
    );
    [...processes.processes.values()]
      .find(
        ({ assignment: own }) =>
          own.jobRunId === run?.run_id && own.taskKey === key && own.attempt === Number(attempt),
      )
      ?.end(outcome);
    await until(`executing ${label}`, false);
    // The rounds of the ownership loop are part of the scenario.
    clock.advance(leaseMs / 3);
    await life.waitUntilIdle();
  };

  faulty.failAt(statement, mode);
  await start(graphId, 'first');
  const second = await start(graphId, 'second');
  const third = await start(graphId, 'third');
  await start(soloId, 'solo');
  await cancel(third.runId);
  await until('job2#3 ONE_TIME 0 TERMINATED/CANCELED');
  await until('executing job3#1/main:0');
  clock.advance(60_000);
  await until('executing job3#1/main:0 stopping');
  await end('job3#1/main:0', { kind: 'stopped' });
  await end('job3#2/main:0');
  await end('job2#1/a:0');
  await end('job2#1/b:0', { kind: 'failed', message: 'Broken' });
  await end('job0#1/main:0');
  await end('job2#1/b:1');
  await end('job2#1/d:0');
  await end('job2#2/a:0');
  await until('executing job0#2/main:0');
  await until('executing job2#2/b:0');
  await cancel(second.runId);
  for (const label of ['job0#2/main:0', 'job2#2/b:0']) {
    await until(`executing ${label} stopping`);
    await end(label, { kind: 'stopped' });
  }
  await until('job2#2 ONE_TIME 0 TERMINATED/CANCELED');
  await until('job3#2 RETRY 1 of job3#1 TERMINATED/SUCCESS');
  await life.waitUntilIdle();
  await queue.close();
  await coordinator.close();
  await watch.close();
  return (await seen()).map((line) =>
    line.replaceAll(/ (admitted|due|end|running|start|terminating) \d+/g, ''),
  );
}
