/** Stores of a scenario, in memory or in PostgreSQL, with access to all rows. */
import { pino } from 'pino';
import { systemClock } from '../../engine/clock.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import { defaultLimits } from '../../engine/limits.ts';
import type { ClusterStore } from '../../engine/ports/clusters.ts';
import type { RunTimeoutUpdate } from '../../engine/ports/jobs.ts';
import type { RunStore } from '../../engine/ports/runs.ts';
import { createClusterStore } from '../../storage/postgres/clusters/clusters.ts';
import { changeJob } from '../../storage/postgres/jobs/job-changes.ts';
import { createJob } from '../../storage/postgres/jobs/jobs.ts';
import type { RunRow, TaskRunRow } from '../../storage/postgres/runs/run-rows.ts';
import { allRuns } from '../../storage/postgres/runs/runs.ts';
import { createRunStore } from '../../storage/postgres/stores.ts';
import type { TestDatabase } from '../harness/test-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** All rows, by their ids. */
export interface StoredRows {
  readonly runs: readonly RunRow[];
  readonly taskRuns: readonly TaskRunRow[];
  readonly notifications: readonly {
    readonly runId: number;
    readonly taskKey: string | undefined;
    readonly event: string;
  }[];
  /** Clusters made for runs that are not terminated. */
  readonly clusters: readonly { readonly jobRunId: number; readonly key: string }[];
}

export interface StoreBackend {
  readonly runs: RunStore;
  readonly clusters: ClusterStore;
  createJob(settings: JobSettings, now: number): Promise<number>;
  changeJob(jobId: number, settings: JobSettings): Promise<readonly RunTimeoutUpdate[]>;
  readRows(): Promise<StoredRows>;
}

export function createMemoryBackend(): StoreBackend {
  const {
    memory: { tables },
    ...stores
  } = createMemoryStores();
  const byId = <Row extends { readonly run_id: number }>(rows: ReadonlyMap<number, Row>): Row[] =>
    [...rows.values()].toSorted((one, other) => one.run_id - other.run_id);
  return {
    ...stores,
    readRows: async () => ({
      runs: byId(tables.runs),
      taskRuns: byId(tables.taskRuns),
      notifications: tables.notifications.map(({ runId = 0, taskKey, event }) => ({ runId, taskKey, event })),
      clusters: [...tables.clusters.values()]
        .filter(({ state }) => state !== 'TERMINATED')
        .flatMap(({ jobRunId, key = '' }) => (jobRunId === undefined ? [] : [{ jobRunId, key }])),
    }),
  };
}

/** Creates a backend on PostgreSQL and deletes the rows of earlier scenarios. */
export async function createPostgresBackend({ db }: Pick<TestDatabase, 'db'>): Promise<StoreBackend> {
  for (const table of ['runs', 'outbox', 'clusters', 'idempotency_tokens', 'jobs'] as const)
    await db.deleteFrom(table).execute();
  const log = pino({ level: 'silent' });
  return {
    runs: createRunStore(db, systemClock, log),
    clusters: createClusterStore(db, systemClock, log),
    createJob: (settings, now) =>
      createJob(db, { settings, version: '2.1', creator: 'ann', now }, defaultLimits),
    changeJob: async (jobId, settings) => (await changeJob(db, jobId, () => settings, 0)) ?? [],
    async readRows() {
      const notifications = await db
        .selectFrom('outbox')
        .select(['run_id', 'task_key', 'event'])
        .orderBy('outbox_event_id')
        .execute();
      const clusters = await db
        .selectFrom('clusters')
        .select(['job_run_id', 'cluster_key'])
        .where('state', '<>', 'TERMINATED')
        .orderBy('cluster_id')
        .execute();
      return {
        runs: await allRuns(db).orderBy('run_id').execute(),
        taskRuns: await db.selectFrom('task_runs').selectAll().orderBy('run_id').execute(),
        notifications: notifications.map((row) => ({
          runId: row.run_id ?? 0,
          taskKey: row.task_key ?? undefined,
          event: row.event,
        })),
        clusters: clusters.flatMap(({ job_run_id: jobRunId, cluster_key: key }) =>
          jobRunId === null ? [] : [{ jobRunId, key: key ?? '' }],
        ),
      };
    },
  };
}
