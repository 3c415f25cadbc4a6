/** Schedules and their fires. Types only; storage/ implements them. */
import type { Job } from './jobs.ts';
import type { LaunchTransaction } from './runs.ts';

/** A due schedule. It and its job are locked. */
export interface DueSchedule {
  readonly job: Job;
  /** Time of the due fire, epoch ms. */
  readonly nextFireAt: number;
}

/** New state of a schedule after its due fire was handled. */
export interface ScheduleUpdate {
  readonly jobId: number;
  /** Last fire that became a run, epoch ms; undefined when none did. */
  readonly lastFireAt: number | undefined;
  /** Next fire, epoch ms; undefined when the schedule never fires again. */
  readonly nextFireAt: number | undefined;
  /** Reason why the schedule cannot fire any more; undefined when it can. */
  readonly problem: string | undefined;
}

/** Updates and launches for the claimed schedules. */
export interface DueSchedulesPlan {
  readonly updates: readonly ScheduleUpdate[];
  /** Starts the runs. It takes locks that other launches wait for, so it is the last step. */
  readonly launchRuns: (transaction: LaunchTransaction) => Promise<void>;
}

/** Selects the schedules to claim: those due at `now`, earliest first. */
export interface ScheduleClaim {
  readonly now: number;
  readonly limit: number;
  /** Restricts the claim to the schedule of this job. */
  readonly jobId?: number;
}

export interface ScheduleStore {
  /** Returns the earliest next fire of all schedules, epoch ms. */
  getNextDueTime(): Promise<number | undefined>;
  /**
   * Claims due schedules and stores the plan of `decide` together with its runs in one transaction. Schedules
   * locked by another engine or by an update of the job are skipped. Steps of concurrent launches share
   * statements.
   * @returns the number of claimed schedules
   */
  claimDue(claim: ScheduleClaim, decide: (due: readonly DueSchedule[]) => DueSchedulesPlan): Promise<number>;
  /** Skips a fire that cannot be launched. Does nothing when the schedule is no longer due. */
  skipFire(dueAt: number, fired: ScheduleUpdate): Promise<void>;
}
