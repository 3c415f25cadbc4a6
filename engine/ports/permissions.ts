/** Access control lists of jobs. Types only; storage/ implements them. */
import type { Grant, PermissionLevel } from '../job/permissions.ts';

/** Permission levels of one user on one job. */
export interface HeldPermissions {
  readonly jobId: number;
  readonly levels: readonly PermissionLevel[];
}

/** Reader of the permissions on jobs, hidden ones included. */
export interface PermissionReader {
  /**
   * Returns the levels granted to a user directly or through the group of all users; undefined when the job,
   * run or task run does not exist.
   */
  findLevels(on: 'job_id' | 'run_id', id: number, userName: string): Promise<HeldPermissions | undefined>;
  /** Tells whether a user is an administrator of the workspace. */
  isAdmin(userName: string): Promise<boolean>;
  /** Returns the user names of the owners by job id; jobs whose owner was removed are missing. */
  listOwners(jobIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** Store of the access control lists of jobs. */
export interface PermissionStore extends PermissionReader {
  /** Lists the grants of a job, the owner first, then by name; undefined when the job does not exist. */
  listGrants(jobId: number): Promise<Grant[] | undefined>;
  /**
   * Replaces the grants of a job by the result of `change` and returns them; undefined when the job does not
   * exist.
   * @throws ServiceError for an unknown user, and the errors of `change`
   */
  update(
    jobId: number,
    change: (current: readonly Grant[]) => readonly Grant[],
  ): Promise<Grant[] | undefined>;
}
