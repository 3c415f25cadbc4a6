/** Stored jobs. Types only; storage/ implements them. */
import type { ApiVersion } from '../job/job-format.ts';
import type { Grant } from '../job/permissions.ts';
import type { JobQuotas } from '../job/quotas.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunNotification } from '../run/notification.ts';

/** Row of a stored job. */
export interface Job {
  readonly jobId: number;
  readonly creatorUserName: string | undefined;
  readonly createdTime: number;
  readonly version: ApiVersion;
  readonly settings: JobSettings;
  /** Revision of the settings, under which runs share them; undefined where a store keeps none. */
  readonly settingsRevision?: number | undefined;
}

/** Input of `JobStore.create`. */
export interface NewJob {
  readonly settings: JobSettings;
  readonly version: ApiVersion;
  readonly creator: string;
  readonly now: number;
  /** Permissions of other principals. The creator becomes the owner unless a grant names another owner. */
  readonly grants?: readonly Grant[];
}

/** Filter of a job list. */
export interface JobFilter {
  /** User name; restricts the list to jobs on which this user has a permission. */
  readonly visibleTo?: string | undefined;
  /** Full name, compared without regard to case. */
  readonly name: string | undefined;
  /** Cursor: restricts the list to jobs with a smaller id. */
  readonly beforeJobId: number | undefined;
  readonly offset: number;
  /** Undefined: no limit. */
  readonly limit: number | undefined;
}

/** New timeouts of an active run, after the timeouts of its job changed. */
export interface RunTimeoutUpdate {
  readonly runId: number;
  /** Settings of the run, with the new timeouts. */
  readonly settings: JobSettings;
}

/** Store of jobs. The hidden jobs of one-time submissions are invisible to it. */
export interface JobStore {
  /**
   * Stores a job and returns its id. Concurrent calls are counted one after the other.
   * @throws ServiceError QUOTA_EXCEEDED when the job would exceed a quota
   */
  create(job: NewJob, quotas: JobQuotas): Promise<number>;
  /**
   * Replaces the settings of a job by the result of `settingsOf`, and updates the timeouts of its active runs
   * (spec 4.1 rules 2 and 3). Returns undefined when the job does not exist. An error of `settingsOf` leaves
   * the job unchanged.
   */
  update(
    jobId: number,
    settingsOf: (job: Job) => JobSettings,
    now: number,
  ): Promise<readonly RunTimeoutUpdate[] | undefined>;
  find(jobId: number): Promise<Job | undefined>;
  /** Lists jobs, newest first. */
  list(filter: JobFilter): Promise<Job[]>;
  /**
   * Removes a job from every view and returns the ids of its active runs; an empty list when the job was
   * already removed.
   */
  remove(jobId: number, now: number, notifications: (job: Job) => RunNotification[]): Promise<number[]>;
}
