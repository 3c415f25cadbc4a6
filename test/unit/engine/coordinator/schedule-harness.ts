/** Schedules on a database of their own, fired by engines whose clock the test moves. */
import { pino } from 'pino';
import { vi } from 'vitest';
import {
  startScheduler,
  type SchedulerPorts,
  type Scheduler,
} from '../../../../engine/coordinator/scheduler.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { defaultLimits, type Limits } from '../../../../engine/limits.ts';
import type { ScheduleStore } from '../../../../engine/ports/schedules.ts';
import { changeJob } from '../../../../storage/postgres/jobs/job-changes.ts';
import { isTransientError } from '../../../../storage/postgres/transient-errors.ts';
import { createScheduleStore } from '../../../../storage/postgres/schedules/schedules.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createManualClock, type ManualClock } from '../../../harness/manual-clock.ts';
import { singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';

export interface ScheduleHarness {
  readonly database: TestDatabase;
  readonly clock: ManualClock;
  readonly store: ScheduleStore;
  /** Ids of runs that an engine was told to drive. */
  readonly acceptedRunIds: number[];
  /** Starts an engine that fires; closed at the end. */
  startEngine(changes?: Partial<SchedulerPorts>, limits?: Partial<Limits>): Scheduler;
  /** Stores a job with a daily fire at six, or another one, and gives its id. */
  createJob(settings?: JobSettings): Promise<number>;
  changeJob(jobId: number, settings: JobSettings): Promise<void>;
  /** Moves the clock to an instant, and waits until nothing is due any more. */
  advanceTo(time: number): Promise<void>;
  /** Runs as `scheduled time STATE`, oldest first. */
  describeRuns(jobId: number): Promise<string[]>;
  close(): Promise<void>;
}

const log = pino({ level: 'silent' });

export const scheduledJob = (quartz_cron_expression: string, more: object = {}): JobSettings => ({
  ...singleTaskSettings,
  max_concurrent_runs: 1_000,
  schedule: { quartz_cron_expression, timezone_id: 'UTC', ...more },
});
export const dailyAtSix = scheduledJob('0 0 6 * * ?');

/** @param start where the clock begins */
export async function createScheduleHarness(start: number): Promise<ScheduleHarness> {
  const database = await createTestDatabase();
  const clock = createManualClock(start);
  const store = createScheduleStore(database.db);
  const accepted: number[] = [];
  const engines: Scheduler[] = [];
  return {
    database,
    clock,
    store,
    acceptedRunIds: accepted,
    startEngine(changes = {}, limits = {}) {
      const firing = startScheduler({
        schedules: store,
        clock,
        log,
        isTransientError: isTransientError,
        launchPorts: {
          clock,
          limits: { ...defaultLimits, ...limits },
          nodeId: `node-${engines.length}`,
          acceptRun: ({ run }) => {
            accepted.push(run.runId);
          },
        },
        ...changes,
      });
      engines.push(firing);
      return firing;
    },
    createJob: (settings = dailyAtSix) => createStoredJob(database.db, settings, clock.now()),
    async changeJob(jobId, settings) {
      await changeJob(database.db, jobId, () => settings, clock.now());
    },
    async advanceTo(time) {
      for (const engine of engines) engine.wake(clock.now());
      clock.advance(time - clock.now());
      await vi.waitFor(
        async () => {
          clock.advance(0);
          const due = await store.getNextDueTime();
          if (due !== undefined && due <= clock.now()) {
            for (const engine of engines) engine.wake(due);
            throw new Error(`A fire of ${new Date(due).toISOString()} is still due.`);
          }
        },
        { timeout: 30_000, interval: 5 },
      );
    },
    async describeRuns(jobId) {
      const rows = await database.db
        .selectFrom('runs')
        .select(['scheduled_time', 'state'])
        .where('job_id', '=', jobId)
        .orderBy('run_id')
        .execute();
      return rows.map(
        (row) => `${new Date(row.scheduled_time ?? 0).toISOString().slice(5, 16)} ${row.state}`,
      );
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.close()));
      await database.drop();
    },
  };
}
