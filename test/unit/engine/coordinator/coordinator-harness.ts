/** What a coordinator needs in a test: the real stores, a scripted pool, and a clock that the test moves. */
import { pino } from 'pino';
import { expect, vi } from 'vitest';
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
  /** The store as it is, for looking at it. */
  readonly runs: RunStore;
  /** A coordinator; closed by `close`, unless its engine is to be killed: what is dead cannot be closed. */
  startCoordinator(changes?: Partial<CoordinatorPorts>, ending?: 'close' | 'kill'): Coordinator;
  /** Launches a run of a new job with these settings, accepted by the coordinator. */
  launchRun(coordinator: Coordinator, settings: JobSettings): Promise<number>;
  /** Gives a coordinator what other nodes left behind. */
  adoptRuns(coordinator: Coordinator, node?: string): Promise<void>;
  /** Waits until `holds` is true of the run, and gives it. */
  waitForRun(runId: number, holds: (run: RunWithTasks) => boolean): Promise<RunWithTasks>;
  /** Waits until the run is over, and gives it. */
  waitForRunEnd(runId: number): Promise<RunWithTasks>;
  /** Waits until exactly these tasks are with the pool. */
  waitForRunningTasks(...taskKeys: string[]): Promise<void>;
  /** Clusters of a run as `key state`, by key. */
  describeClusters(runId: number): Promise<string[]>;
  /** Notices as `run event`, or `<task> event`, in the order of storing. */
  describeNotifications(): Promise<string[]>;
  /** Closes what was made and empties the database. */
  close(): Promise<void>;
}

const log = pino({ level: 'silent' });
export const waitOptions = { timeout: 20_000, interval: 5 };

let contexts = 0;

/** A world on an empty database. */
export function createCoordinatorHarness(database: TestDatabase): CoordinatorHarness {
  const clock = createManualClock();
  const pool = createScriptedPool();
  const runs = createRunStore(database.db, systemClock, log);
  const coordinators: Coordinator[] = [];
  const find = async (runId: number): Promise<RunWithTasks> => {
    const found = await runs.find(runId);
    if (found === undefined) throw new Error(`There is no run ${runId}.`);
    return found;
  };
  const when: CoordinatorHarness['waitForRun'] = (runId, holds) =>
    vi.waitFor(async () => {
      const found = await find(runId);
      if (!holds(found)) throw new Error(`Not yet: ${describeRun(found).join(', ')}`);
      return found;
    }, waitOptions);
  return {
    database,
    clock,
    pool,
    runs,
    waitForRun: when,
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
    waitForRunEnd: (runId) => when(runId, ({ run }) => run.progress.endTime !== undefined),
    waitForRunningTasks: (...taskKeys) =>
      vi.waitFor(() => expect(pool.runningTasks()).toEqual(taskKeys), waitOptions),
    async describeClusters(runId) {
      const rows = await database.db
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
      const rows = await database.db
        .selectFrom('outbox')
        .select(['task_key', 'event'])
        .orderBy('outbox_event_id')
        .execute();
      return rows.map(({ task_key: key, event }) => `${key ?? 'run'} ${event}`);
    },
    async close() {
      await Promise.all(coordinators.map((coordinator) => coordinator.close()));
      for (const table of ['runs', 'outbox', 'clusters'] as const)
        await database.db.deleteFrom(table).execute();
    },
  };
}

/** `run STATE[/RESULT]` and the same for every task, e.g. `a TERMINATED/FAILED`. */
export function describeRun({ run, tasks }: RunWithTasks): string[] {
  return [
    { key: 'run', progress: run.progress },
    ...tasks.map(({ taskKey: key, progress }) => ({ key, progress })),
  ].map(
    ({ key, progress: { state, result } }) => `${key} ${state}${result === undefined ? '' : `/${result}`}`,
  );
}
