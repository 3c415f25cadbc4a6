/**
 * Schedules in a database of their own, and the schedulers that launch their runs on a clock that the test
 * moves.
 */
import { pino } from 'pino';
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
import { eventually } from '../../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';
import { createManualClock, type ManualClock } from '../../../harness/manual-clock.ts';
import { singleTaskSettings, createStoredJob } from '../../storage/run-fixtures.ts';

export interface ScheduleHarness {
  readonly database: TestDatabase;
  readonly clock: ManualClock;
  readonly store: ScheduleStore;
  /** Ids of the runs that a scheduler launched and a coordinator accepted. */
  readonly acceptedRunIds: number[];
  /** Starts a scheduler; `close` closes it. */
  startScheduler(changes?: Partial<SchedulerPorts>, limits?: Partial<Limits>): Scheduler;
  /** Stores a job, by default with a daily fire at six, and returns its id. */
  createJob(settings?: JobSettings): Promise<number>;
  changeJob(jobId: number, settings: JobSettings): Promise<void>;
  /** Moves the clock to an instant, and waits until no fire is due. */
  advanceTo(time: number): Promise<void>;
  /** Returns the runs of a job as `scheduled time STATE`, oldest first. */
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

/** Creates a harness with a database of its own. @param start epoch milliseconds of the clock */
export async function createScheduleHarness(start: number): Promise<ScheduleHarness> {
  const database = await createTestDatabase();
  const clock = createManualClock(start);
  const store = createScheduleStore(database.db);
  const acceptedRunIds: number[] = [];
  const schedulers: Scheduler[] = [];
  return {
    database,
    clock,
    store,
    acceptedRunIds,
    startScheduler(changes = {}, limits = {}) {
      const scheduler = startScheduler({
        schedules: store,
        clock,
        log,
        isTransientError,
        launchPorts: {
          clock,
          limits: { ...defaultLimits, ...limits },
          nodeId: `node-${schedulers.length}`,
          acceptRun: ({ run }) => {
            acceptedRunIds.push(run.runId);
          },
        },
        ...changes,
      });
      schedulers.push(scheduler);
      return scheduler;
    },
    createJob: (settings = dailyAtSix) => createStoredJob(database.db, settings, clock.now()),
    async changeJob(jobId, settings) {
      await changeJob(database.db, jobId, () => settings, clock.now());
    },
    async advanceTo(time) {
      for (const scheduler of schedulers) scheduler.wake(clock.now());
      clock.advance(time - clock.now());
      await eventually(
        async () => {
          clock.advance(0);
          const due = await store.getNextDueTime();
          if (due !== undefined && due <= clock.now()) {
            for (const scheduler of schedulers) scheduler.wake(due);
            throw new Error(`A fire of ${new Date(due).toISOString()} is still due.`);
          }
        },
        { every: 5 },
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
      await Promise.all(schedulers.map((scheduler) => scheduler.close()));
      await database.drop();
    },
  };
}
