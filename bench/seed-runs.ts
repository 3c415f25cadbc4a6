/** Seeds a history of runs through the launch transaction, many runs per transaction. */
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../engine/clock.ts';
import { defaultLimits } from '../engine/limits.ts';
import type { NewRun } from '../engine/run/new-run.ts';
import { migrate } from '../storage/migrations/migrate.ts';
import { openDatabase, type OpenDatabase } from '../storage/postgres/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts';
import { createBatchedLaunchTransaction } from '../storage/postgres/runs/batched-launches.ts';
import { createLaunchTransaction } from '../storage/postgres/runs/launch-transaction.ts';
import { createJobStore } from '../storage/postgres/stores.ts';

const creator = 'admin';
const settings = {
  name: 'nightly',
  format: 'SINGLE_TASK',
  existing_cluster_id: 'bench',
  notebook_task: { notebook_path: '/nothing' },
} as const;

/** Milliseconds between the starts of two runs. */
export const seededIntervalMs = 60_000;

export interface SeededHistory {
  readonly jobs: readonly number[];
  /** Start of the first run, epoch ms; the others follow at equal intervals. */
  readonly firstStart: number;
}

/** Stores the runs `first` to `end` (exclusive) in one transaction. */
type StoreBatch = (
  db: OpenDatabase['db'],
  seeded: SeededHistory,
  first: number,
  end: number,
) => Promise<unknown>;

/**
 * Fills the database of an unused data directory with terminal runs of `jobs` jobs in turn; every hundredth
 * is a one-time run.
 */
export function seedRuns(dataDirectory: string, count: number, jobs: number): Promise<SeededHistory> {
  return seedWith(storeOneByOne, dataDirectory, count, jobs);
}

/** As `seedRuns`, without one-time runs and with few statements: for a million runs. */
export function seedManyRuns(dataDirectory: string, count: number, jobs: number): Promise<SeededHistory> {
  return seedWith(storeTogether, dataDirectory, count, jobs);
}

async function seedWith(
  store: StoreBatch,
  dataDirectory: string,
  count: number,
  jobs: number,
): Promise<SeededHistory> {
  const log = pino({ level: 'silent' });
  const server = await startEmbeddedPostgres({
    directory: join(dataDirectory, 'postgres'),
    log,
    clock: systemClock,
    volatile: true,
  });
  const { db, close } = openDatabase(server.connection, log);
  await migrate(db, log);
  const firstStart = systemClock.now() - (count + 1) * seededIntervalMs;
  const jobStore = createJobStore(db);
  const jobIds: number[] = [];
  while (jobIds.length < jobs)
    jobIds.push(
      await jobStore.create(
        { settings, version: '2.0', creator, now: firstStart, grants: [] },
        defaultLimits,
      ),
    );
  const seeded = { jobs: jobIds, firstStart };
  const batch = 1_000;
  for (let first = 0; first < count; first += batch)
    await store(db, seeded, first, Math.min(first + batch, count));
  await close();
  await server.stop();
  return seeded;
}

const storeOneByOne: StoreBatch = (db, { jobs, firstStart }, first, end) =>
  db.transaction().execute(async (database) => {
    const transaction = createLaunchTransaction(database);
    for (let index = first; index < end; index += 1) {
      const ofJob = jobs[index % jobs.length] ?? 0;
      const startTime = firstStart + index * seededIntervalMs;
      const isOneTime = index % 100 === 50;
      const jobId = isOneTime
        ? await transaction.createHiddenJob(settings, '2.0', creator, startTime)
        : ofJob;
      const [runId = 0] = await transaction.reserveRunIds(1);
      const numberInJob = await transaction.reserveNumberInJob(jobId);
      await transaction.insertRun(createSeededRun({ runId, jobId, numberInJob, startTime, isOneTime }));
    }
  });

const storeTogether: StoreBatch = (db, { jobs, firstStart }, first, end) =>
  db.transaction().execute(async (database) => {
    const transaction = createBatchedLaunchTransaction(database);
    const ids = await transaction.reserveRunIds(end - first);
    await Promise.all(
      ids.map((runId, offset) => {
        const index = first + offset;
        const numberInJob = Math.floor(index / jobs.length) + 1;
        const jobId = jobs[index % jobs.length] ?? 0;
        const startTime = firstStart + index * seededIntervalMs;
        return transaction.insertRun(
          createSeededRun({ runId, jobId, numberInJob, startTime, isOneTime: false }),
        );
      }),
    );
  });

interface SeededRun extends Pick<NewRun, 'runId' | 'jobId' | 'numberInJob' | 'startTime'> {
  readonly isOneTime: boolean;
}

function createSeededRun({ runId, jobId, numberInJob, startTime, isOneTime }: SeededRun): NewRun {
  return {
    runId,
    jobId,
    numberInJob,
    startTime,
    settings,
    parallelTasks: { taskRuns: 1, runJobTasks: 0 },
    creator,
    version: '2.0',
    format: 'SINGLE_TASK',
    name: settings.name,
    type: isOneTime ? 'SUBMIT_RUN' : 'JOB_RUN',
    trigger: 'ONE_TIME',
    scheduledTime: undefined,
    overridingParameters: undefined,
    state: 'SKIPPED',
    message: 'Seeded.',
    owner: 'nobody',
    notifications: [],
    queueCode: undefined,
    originalAttemptRunId: runId,
    attempt: 0,
    launchedBy: undefined,
    tasks: [{ runId, taskKey: 'main', message: 'Seeded.' }],
  };
}
