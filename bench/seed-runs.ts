/** Seeds a history of runs through the launch transaction, many runs per transaction. */
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../engine/clock.ts';
import { defaultLimits } from '../engine/limits.ts';
import type { LaunchTransaction } from '../engine/ports/runs.ts';
import type { NewRun } from '../engine/run/new-run.ts';
import { migrate } from '../storage/migrations/migrate.ts';
import { openDatabase } from '../storage/postgres/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts';
import { createJobStore, createRunStore } from '../storage/postgres/stores.ts';

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

/**
 * Fills the database of an unused data directory with terminal runs of `jobs` jobs in turn; every hundredth
 * is a one-time run.
 */
export async function seedRuns(dataDirectory: string, count: number, jobs: number): Promise<SeededHistory> {
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
  const runs = createRunStore(db, systemClock, log);
  const batch = 1_000;
  for (let first = 0; first < count; first += batch) {
    await runs.launchTransaction(async (transaction) => {
      for (let index = first; index < Math.min(first + batch, count); index += 1) {
        await insertSeededRun(
          transaction,
          jobIds[index % jobs] ?? 0,
          index % 100 === 50,
          firstStart + index * seededIntervalMs,
        );
      }
    });
  }
  await close();
  await server.stop();
  return { jobs: jobIds, firstStart };
}

async function insertSeededRun(
  transaction: LaunchTransaction,
  ofJob: number,
  once: boolean,
  startTime: number,
): Promise<void> {
  const jobId = once ? await transaction.createHiddenJob(settings, '2.0', creator, startTime) : ofJob;
  const [runId = 0] = await transaction.reserveRunIds(1);
  const run: NewRun = {
    runId,
    jobId,
    settings,
    parallelTasks: { taskRuns: 1, runJobTasks: 0 },
    creator,
    startTime,
    version: '2.0',
    format: 'SINGLE_TASK',
    name: settings.name,
    numberInJob: await transaction.reserveNumberInJob(jobId),
    type: once ? 'SUBMIT_RUN' : 'JOB_RUN',
    trigger: 'ONE_TIME',
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
  await transaction.insertRun(run);
}
