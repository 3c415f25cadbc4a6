/** What the engine asks of the world to fire schedules: types only. */
import type { Job } from './engine.ts';
import type { LaunchTransaction } from './runs.ts';

/** A schedule that has come due; it and its job are locked. */
export interface DueSchedule {
  readonly job: Job;
  /** The fire that has come, epoch ms. */
  readonly nextFireAt: number;
}

/** What has become of a schedule that was due. */
export interface ScheduleUpdate {
  readonly jobId: number;
  /** The last fire that became a run, epoch ms; undefined when none did. */
  readonly lastFireAt: number | undefined;
  /** The next fire, epoch ms; undefined when there is none any more. */
  readonly nextFireAt: number | undefined;
  /** Why it cannot fire any more, if so. */
  readonly problem: string | undefined;
}

/** What is done about schedules that are due. */
export interface DueSchedulesPlan {
  readonly updates: readonly ScheduleUpdate[];
  /** Starts the runs. Launches of others may wait for this one, so it comes last. */
  readonly launchRuns: (transaction: LaunchTransaction) => Promise<void>;
}

/** Which schedules are claimed: those that are due at `now`, the earliest first. */
export interface ScheduleClaim {
  readonly now: number;
  readonly limit: number;
  /** Only the schedule of this job. */
  readonly jobId?: number;
}

export interface ScheduleStore {
  /** When the first fire of all schedules is due, epoch ms. */
  getNextDueTime(): Promise<number | undefined>;
  /**
   * Claims schedules that are due and stores what `decide` makes of them together with its runs, in one
   * transaction: all of it or nothing. What another engine, or a change of the job, holds at the moment is
   * left out. Steps of launches that are asked for at the same time are taken together.
   * @returns how many were claimed
   */
  claimDue(claim: ScheduleClaim, decide: (due: readonly DueSchedule[]) => DueSchedulesPlan): Promise<number>;
  /**
   * Passes over the fire of a schedule that cannot be launched. Nothing happens when it is not due any more.
   */
  skipFire(dueAt: number, fired: ScheduleUpdate): Promise<void>;
}
