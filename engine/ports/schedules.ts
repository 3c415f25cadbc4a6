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
export interface FiredSchedule {
  readonly jobId: number;
  /** The last fire that became a run, epoch ms; undefined when none did. */
  readonly lastFireAt: number | undefined;
  /** The next fire, epoch ms; undefined when there is none any more. */
  readonly nextFireAt: number | undefined;
  /** Why it cannot fire any more, if so. */
  readonly problem: string | undefined;
}

/** What is done about schedules that are due. */
export interface FirePlan {
  readonly fired: readonly FiredSchedule[];
  /** Starts the runs. Launches of others may wait for this one, so it comes last. */
  readonly launch: (transaction: LaunchTransaction) => Promise<void>;
}

/** Which schedules are claimed: those that are due at `now`, the earliest first. */
export interface Claim {
  readonly now: number;
  readonly limit: number;
  /** Only the schedule of this job. */
  readonly jobId?: number;
}

export interface ScheduleStore {
  /** When the first fire of all schedules is due, epoch ms. */
  firstDue(): Promise<number | undefined>;
  /**
   * Claims schedules that are due and stores what `decide` makes of them together with its runs, in one
   * transaction: all of it or nothing. What another engine, or a change of the job, holds at the moment is
   * left out. Steps of launches that are asked for at the same time are taken together.
   * @returns how many were claimed
   */
  fireDue(claim: Claim, decide: (due: readonly DueSchedule[]) => FirePlan): Promise<number>;
  /**
   * Passes over the fire of a schedule that cannot be launched. Nothing happens when it is not due any more.
   */
  giveUp(dueAt: number, fired: FiredSchedule): Promise<void>;
}
