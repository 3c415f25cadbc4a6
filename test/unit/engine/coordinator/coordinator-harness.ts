/** Coordinators under test: real stores, a scripted task pool, and a clock that the test moves. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { systemClock } from '../../../../engine/clock.ts';
import { createCoordinator, type Coordinator } from '../../../../engine/coordinator/coordinator.ts';
import { createRunEndListeners } from '../../../../engine/coordinator/run-end-listeners.ts';
import type { CoordinatorPorts } from '../../../../engine/coordinator/coordinator-context.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import type { RunStore } from '../../../../engine/ports/runs.ts';
import type { RunWithTasks } from '../../../../engine/run/run.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import { createRunStore } from '../../../../storage/postgres/stores.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeCompute } from '../../../harness/fake-compute.ts';
import type { TestDatabase } from '../../../harness/test-database.ts';
import { createManualClock, type ManualClock } from '../../../harness/manual-clock.ts';
import { createLaunchPorts, launchRunOfJob, createStoredJob } from '../../storage/run-fixtures.ts';
import { emptyLibraryManager } from './empty-libraries.ts';
import { createScriptedPool, type ScriptedPool } from './scripted-pool.ts';

export interface CoordinatorHarness {
  readonly database: TestDatabase;
  readonly clock: ManualClock;
  readonly pool: ScriptedPool;
  /** The run store, without the changes that a test makes to the store of a coordinator. */
  readonly runs: RunStore;
  /** Starts a coordinator. `close` closes it, unless `ending` is 'kill': a killed engine cannot close. */
  startCoordinator(changes?: Partial<CoordinatorPorts>, ending?: 'close' | 'kill'): Coordinator;
  /** Launches a run of a new job with these settings; the coordinator accepts it. */
  launchRun(coordinator: Coordinator, settings: JobSettings): Promise<number>;
  /** Adopts the runs of other nodes and lets the coordinator accept them. */
  adoptRuns(coordinator: Coordinator, node?: string): Promise<void>;
  /** Returns the stored run. @throws Error when there is none */
  getRun(runId: number): Promise<RunWithTasks>;
  /** Waits until `holds` is true of the run, and returns it. */
  waitForRun(runId: number, holds: (run: RunWithTasks) => boolean): Promise<RunWithTasks>;
  /** Waits until the run has ended, and returns it. */
  waitForRunEnd(runId: number): Promise<RunWithTasks>;
  /** Waits until the pool runs exactly these tasks. */
  waitForRunningTasks(...taskKeys: string[]): Promise<void>;
  /** Waits until each of these tasks waits for its cluster. */
  waitForPendingClusters(runId: number, ...taskKeys: string[]): Promise<RunWithTasks>;
  /** Waits until the clock has this number of pending timers. */
  waitForTimers(count: number): Promise<void>;
  /** Advances the clock by `step` milliseconds, again and again, until `isDone` returns true. */
  advanceUntil(isDone: () => boolean | Promise<boolean>, step?: number): Promise<void>;
  /** Advances the clock until the run has ended, and returns the run. */
  advanceUntilRunEnd(runId: number): Promise<RunWithTasks>;
  /** Returns the runs of a job as `number STATE[/RESULT]`, oldest first. */
  describeRunsOfJob(jobId: number): Promise<string[]>;
  /** Returns the clusters of a run as `key state`, sorted; `own` is the key of a task's own cluster. */
  describeClusters(runId: number): Promise<string[]>;
  /** Returns the stored notifications as `run event` or `<task> event`, oldest first. */
  describeNotifications(): Promise<string[]>;
  /** Closes the coordinators and empties the database. */
  close(): Promise<void>;
}

const log = pino({ level: 'silent' });
/** Pause between two checks; short, because tests that kill engines wait hundreds of times. */
const every = 5;

let contexts = 0;

/** Creates a harness on an empty database. */
export function createCoordinatorHarness(database: TestDatabase): CoordinatorHarness {
  const clock = createManualClock();
  const pool = createScriptedPool();
  const runs = createRunStore(database.db, systemClock, log);
  const coordinators: Coordinator[] = [];
  return {
    database,
    clock,
    pool,
    runs,
    ...createRunWaits({ clock, pool, runs }),
    ...createRowReaders(database),
    startCoordinator(changes = {}, ending = 'close') {
      const coordinator = createCoordinator({
        runs,
        clusters: createClusterStore(database.db, systemClock, log),
        compute: createFakeCompute(),
        pool,
        clock,
        log,
        libraryManager: emptyLibraryManager,
        directories: {
          ensureAttemptDirectory: async (runId) => `/runs/${runId}`,
          ensureClusterDirectory: async (id) => `/clusters/${id}`,
          readTaskValues: async () => ({}),
          findSparkApplication: async () => undefined,
          readOutput: async () => undefined,
        },
        workspace: { publicUrl: () => 'http://runyard.test', workspaceId: '1' },
        nodeId: 'node-1',
        clusterStartMs: 0,
        randomString: (length) => String((contexts += 1)).padStart(length, '0'),
        limits: defaultLimits,
        onCapacityFreed: () => undefined,
        runEndListeners: createRunEndListeners(),
        ...changes,
      });
      if (ending === 'close') coordinators.push(coordinator);
      return coordinator;
    },
    async launchRun(coordinator, settings) {
      const jobId = await createStoredJob(database.db, settings, clock.now());
      const { runId } = await launchRunOfJob(
        { ...createLaunchPorts(runs, [], 'node-1', clock), acceptRun: coordinator.accept },
        jobId,
      );
      return runId;
    },
    async adoptRuns(coordinator, node = 'node-2') {
      for (const run of await runs.adopt(node, clock.now(), 100)) coordinator.accept(run);
    },
    async close() {
      await Promise.all(coordinators.map((coordinator) => coordinator.close()));
      for (const table of ['runs', 'outbox', 'clusters'] as const)
        await database.db.deleteFrom(table).execute();
    },
  };
}

type RunWaits = Pick<
  CoordinatorHarness,
  | 'getRun'
  | 'waitForRun'
  | 'waitForRunEnd'
  | 'waitForRunningTasks'
  | 'waitForPendingClusters'
  | 'waitForTimers'
  | 'advanceUntil'
  | 'advanceUntilRunEnd'
>;

function createRunWaits({
  clock,
  pool,
  runs,
}: Pick<CoordinatorHarness, 'clock' | 'pool' | 'runs'>): RunWaits {
  const waits: RunWaits = {
    async getRun(runId) {
      const found = await runs.find(runId);
      if (found === undefined) throw new Error(`Run ${runId} does not exist.`);
      return found;
    },
    waitForRun: (runId, holds) =>
      eventually(
        async () => {
          const found = await waits.getRun(runId);
          if (!holds(found)) throw new Error(`The run is in the state ${describeRun(found).join(', ')}.`);
          return found;
        },
        { every },
      ),
    waitForRunEnd: (runId) => waits.waitForRun(runId, hasEnded),
    waitForRunningTasks: (...taskKeys) =>
      eventually(() => expect(pool.runningTasks()).toEqual(taskKeys), { every }),
    waitForPendingClusters: (runId, ...taskKeys) =>
      waits.waitForRun(runId, ({ tasks }) =>
        taskKeys.every((key) =>
          tasks.some(
            ({ taskKey, progress }) => taskKey === key && progress.message.startsWith('Waiting for cluster'),
          ),
        ),
      ),
    waitForTimers: (count) => eventually(() => expect(clock.pendingCount()).toBe(count), { every }),
    async advanceUntil(isDone, step = 5_000) {
      await eventually(
        () => {
          if (clock.pendingCount() > 0) clock.advance(step);
          return isDone();
        },
        { every, until: (done) => done },
      );
    },
    async advanceUntilRunEnd(runId) {
      await waits.advanceUntil(async () => hasEnded(await waits.getRun(runId)));
      return waits.getRun(runId);
    },
  };
  return waits;
}

function createRowReaders({
  db,
}: TestDatabase): Pick<
  CoordinatorHarness,
  'describeClusters' | 'describeNotifications' | 'describeRunsOfJob'
> {
  return {
    async describeRunsOfJob(jobId) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where('job_id', '=', jobId)
        .orderBy('run_id')
        .execute();
      return rows.map(
        (row) => `${row.number_in_job} ${row.state}${row.result === null ? '' : `/${row.result}`}`,
      );
    },
    async describeClusters(runId) {
      const rows = await db
        .selectFrom('clusters')
        .select(['cluster_key', 'state'])
        .where('job_run_id', '=', runId)
        .orderBy('cluster_id')
        .execute();
      return rows
        .map(({ cluster_key: key, state }) => `${key?.startsWith('task:') === true ? 'own' : key} ${state}`)
        .toSorted();
    },
    async describeNotifications() {
      const rows = await db
        .selectFrom('outbox')
        .select(['task_key', 'event'])
        .orderBy('outbox_event_id')
        .execute();
      return rows.map(({ task_key: key, event }) => `${key ?? 'run'} ${event}`);
    },
  };
}

/** Returns whether the run has ended. */
export const hasEnded = ({ run }: RunWithTasks): boolean => run.progress.endTime !== undefined;

/** Returns `run STATE[/RESULT]` and the same for every task, e.g. `a TERMINATED/FAILED`. */
export function describeRun({ run, tasks }: RunWithTasks): string[] {
  return [
    { key: 'run', progress: run.progress },
    ...tasks.map(({ taskKey: key, progress }) => ({ key, progress })),
  ].map(
    ({ key, progress: { state, result } }) => `${key} ${state}${result === undefined ? '' : `/${result}`}`,
  );
}
