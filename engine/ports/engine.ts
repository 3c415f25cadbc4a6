/**
 * What the engine asks of the world: types only. storage/ and runners/ implement them, cli/ wires them
 * together.
 */
import type { TaskOutcome, TaskAssignment } from '../run/assignment.ts';
import type { ApiVersion } from '../job/job-format.ts';
import type { JobQuotas } from '../job/quotas.ts';
import type { Grant, PermissionLevel } from '../job/permissions.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunNotification } from '../run/notification.ts';
import type { ChildRunResult, ChildRunRequest } from '../run/child-run.ts';
import type { OwnershipLost } from '../run/ownership.ts';
import type { TaskValues } from '../run/dynamic-values.ts';
import type { TaskOutput } from '../run/task-output.ts';
import type { Mask } from '../run/masking.ts';
import type { Repair } from '../run/repair-rounds.ts';
import type { Run, RunType, RunWithTasks, TaskRun } from '../run/run.ts';

export type { ClusterStore } from './clusters.ts';
export type { WorkspaceInfo } from '../run/workspace-info.ts';

/** A stored job. */
export interface Job {
  readonly jobId: number;
  readonly creatorUserName: string | undefined;
  readonly createdTime: number;
  readonly version: ApiVersion;
  readonly settings: JobSettings;
}

/** A job to be stored. */
export interface NewJob {
  readonly settings: JobSettings;
  readonly version: ApiVersion;
  readonly creator: string;
  readonly now: number;
  /** Who else may do what with it; the creator is its owner unless another one is named. */
  readonly grants?: readonly Grant[];
}

/** Which jobs a list shows. */
export interface JobFilter {
  /** Only those on which this user has a permission. */
  readonly visibleTo?: string | undefined;
  /** Exact, but without regard to case. */
  readonly name: string | undefined;
  /** Only jobs with a smaller id: those after the end of the page before. */
  readonly beforeJobId: number | undefined;
  readonly offset: number;
  /** Undefined: all of them. */
  readonly limit: number | undefined;
}

/** An active run whose timeouts changed with those of its job. */
export interface RunTimeoutUpdate {
  readonly runId: number;
  /** The settings of the run as they are now. */
  readonly settings: JobSettings;
}

/** Stored jobs; those that carry one-time submissions are hidden from it. */
export interface JobStore {
  /**
   * @throws ServiceError QUOTA_EXCEEDED when one more job would be too many; concurrent calls are counted one
   * after the other
   */
  create(job: NewJob, quotas: JobQuotas): Promise<number>;
  /**
   * Replaces the settings of a job by what `settingsOf` makes of it, and the timeouts of its active runs with
   * them (spec 4.1 rules 2 and 3). Undefined when there is no such job; what `settingsOf` throws leaves
   * everything as it was.
   */
  update(
    jobId: number,
    settingsOf: (job: Job) => JobSettings,
    now: number,
  ): Promise<readonly RunTimeoutUpdate[] | undefined>;
  find(jobId: number): Promise<Job | undefined>;
  /** Newest first. */
  list(filter: JobFilter): Promise<Job[]>;
  /** Removes a job from every view; returns the ids of its active runs, none when it was gone already. */
  remove(jobId: number, now: number, notices: (job: Job) => RunNotification[]): Promise<number[]>;
}

/** What a user may do with a job. */
export interface HeldPermissions {
  readonly jobId: number;
  readonly levels: readonly PermissionLevel[];
}

/** Who may do what with jobs, hidden ones among them. */
export interface PermissionReader {
  /**
   * What a user holds, personally or as one of all users; undefined when there is no such job, run or task
   * run.
   */
  findLevels(on: 'job_id' | 'run_id', id: number, userName: string): Promise<HeldPermissions | undefined>;
  /** Whether a user administrates the workspace. */
  isAdmin(userName: string): Promise<boolean>;
  /** The user names of the owners, by job id; a job whose owner is gone has none. */
  listOwners(jobIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** The access control lists of jobs. */
export interface PermissionStore extends PermissionReader {
  /** The owner first, then by name; undefined when there is no such job. */
  listGrants(jobId: number): Promise<Grant[] | undefined>;
  /**
   * Replaces the list of a job by what `change` makes of it and returns that; undefined when there is no such
   * job.
   * @throws ServiceError for a user who is not known, and what `change` throws
   */
  update(
    jobId: number,
    change: (current: readonly Grant[]) => readonly Grant[],
  ): Promise<Grant[] | undefined>;
}

/** Which runs a list shows (spec 4.1 rule 6). */
export interface RunFilter {
  /** Only those of jobs on which this user has a permission. */
  readonly visibleTo?: string | undefined;
  readonly jobId: number | undefined;
  /** True: active runs only; false: completed ones only; undefined: both. */
  readonly active: boolean | undefined;
  readonly type: RunType | undefined;
  /** Start times, epoch ms, both inclusive. */
  readonly startFrom: number | undefined;
  readonly startTo: number | undefined;
  /** Only runs after this one in the list: those after the end of the page before. */
  readonly before: { readonly startTime: number; readonly runId: number } | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Runs for whoever looks at them. */
export interface RunReader {
  /** By the id of the run or of one of its task runs. */
  find(runId: number): Promise<RunWithTasks | undefined>;
  /** By start time, newest first. */
  list(filter: RunFilter): Promise<Run[]>;
  /** The task runs of each of these runs, by run id; oldest attempt first within a task. */
  listTaskRuns(runIds: readonly number[]): Promise<ReadonlyMap<number, readonly TaskRun[]>>;
  /** The run that an attempt of a run_job_task has started. */
  findLaunchedRun(taskRunId: number): Promise<{ readonly runId: number } | undefined>;
  /** What is not to be shown of a run: the secrets of its clusters, also of one that was lent to it. */
  getMask(run: Run): Promise<Mask>;
  /** The repairs of a run, oldest first. */
  listRepairs(run: Run): Promise<Repair[]>;
}

/** What a deleted run leaves in the file system. */
export interface DeletedRun {
  /** Ids of its task runs. */
  readonly taskRunIds: readonly number[];
  /** Ids of the clusters that were made for it. */
  readonly clusterIds: readonly string[];
}

/** Removes runs for good. */
export interface RunRemover {
  /**
   * By the id of a run that is over, with its task runs, its clusters and the hidden job of a submission; its
   * idempotency token stays taken.
   */
  delete(runId: number, now: number): Promise<DeletedRun | 'active' | 'gone'>;
}

export interface NodeStore {
  /** The time that all nodes share, epoch ms. */
  getTime(): Promise<number>;
  /** Makes this node known, with a lease until then; one that is known gets its lease anew. */
  join(node: NodeIdentity, leaseUntil: number, now: number): Promise<void>;
  /** Ends the lease at once, so that others may adopt without waiting. */
  leave(nodeId: string): Promise<void>;
  /** Nodes of a machine that hold a lease. */
  listOnHost(host: string, now: number): Promise<NodeIdentity[]>;
  /** Ends the leases of nodes whose process is known to be gone. */
  expire(nodeIds: readonly string[], now: number): Promise<void>;
}

/** Nodes for whoever looks at them. */
export interface NodeReader {
  /** All that are known, and for a day those that are gone without a word. */
  list(): Promise<NodeLoad[]>;
}

/** Keeps the lease of a node. */
export interface Heartbeat {
  /** A sign that the engine's own loop moves. Without one for a long time the lease is given up. */
  reportAlive(): void;
  /** Renews it no more. */
  close(): Promise<void>;
}

export interface NodeIdentity {
  readonly nodeId: string;
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  /** Tells this process from a later one with the same pid. */
  readonly processStart: string;
  /** Which data directory it uses: engines that share a database share that, too. */
  readonly directoryId: string;
}

/** A node, and what it drives. */
export interface NodeLoad extends NodeIdentity {
  /** Epoch ms. */
  readonly joinedTime: number;
  readonly leaseUntil: number;
  /** Whether its lease is kept. */
  readonly alive: boolean;
  readonly activeRuns: number;
  /** Task runs that have begun and are not over. */
  readonly runningTasks: number;
}

/** A task handed to the pool. */
export interface PooledTask {
  /** How it ended. Never rejects: a crash of the pool's thread is `lost`, after its process was looked up. */
  readonly outcome: Promise<TaskOutcome>;
  /** Asks it to stop; the outcome follows. Idempotent. */
  stop(): void;
}

/** What a task may ask of the engine that drives it. */
export interface ChildRunLauncher {
  /**
   * Starts another run, or finds the one that this task started with the same key, and waits for its end.
   * @param stop aborted when it is to be cancelled, or not to be started any more
   */
  launchChild(
    key: string,
    request: ChildRunRequest,
    stop: AbortSignal,
  ): Promise<ChildRunResult | OwnershipLost>;
}

export interface TaskPool {
  run(assignment: TaskAssignment, launcher: ChildRunLauncher): PooledTask;
}

/** Processes of attempts, as the machine sees them. */
export interface ProcessTable {
  /** Attempts that have living processes on this machine. */
  listAttempts(): Promise<readonly number[]>;
  /** Ends every process of an attempt, at once. */
  killAttempt(runId: number): Promise<void>;
}

/** Directories that the engine asks for, and what tasks have left in theirs for the tasks after them. */
export interface RunDirectories {
  /** Creates the private directory of an attempt and returns its absolute path. Idempotent. */
  ensureAttemptDirectory(runId: number): Promise<string>;
  /** Creates the directory of a cluster and returns its absolute path. Idempotent. */
  ensureClusterDirectory(clusterId: string): Promise<string>;
  /** The values that an attempt has set; none when it set none. */
  readTaskValues(runId: number): Promise<TaskValues>;
  /** The output that the attempt's runner kept; undefined when it kept none. */
  readOutput(runId: number): Promise<TaskOutput | undefined>;
}

/** The part of a logger that the engine uses. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
