/** What the engine asks of the world: types only. storage/ and runners/ implement them, cli/ wires them together. */
import type { Outcome, TaskAssignment } from './run/assignment.ts';
import type { ApiVersion } from './job/format.ts';
import type { ImportFormat, NotebookLanguage } from './job/notebook.ts';
import type { JobQuotas } from './job/quotas.ts';
import type { JobSettings } from './job/settings.ts';
import type { Cluster, NewClusterRow } from './cluster/cluster.ts';
import type { Notice } from './notification/notice.ts';
import type { StateChange } from './run/change.ts';
import type { NewRun } from './run/created.ts';
import type { Run, RunType, RunWithTasks, TaskRun } from './run/run.ts';
import type { StopReason } from './run/states.ts';

export type { StateChange } from './run/change.ts';
export type { NewRun } from './run/created.ts';

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
}

/** Which jobs a list shows. */
export interface JobFilter {
  /** Exact, but without regard to case. */
  readonly name: string | undefined;
  /** Only jobs with a smaller id: those after the end of the page before. */
  readonly before: number | undefined;
  readonly offset: number;
  /** Undefined: all of them. */
  readonly limit: number | undefined;
}

/** An active run whose timeouts changed with those of its job. */
export interface RetimedRun {
  readonly runId: number;
  /** The settings of the run as they are now. */
  readonly settings: JobSettings;
}

/** Stored jobs; those that carry one-time submissions are hidden from it. */
export interface JobStore {
  /** @throws ServiceError QUOTA_EXCEEDED when one more job would be too many; concurrent calls are counted one after the other */
  create(job: NewJob, quotas: JobQuotas): Promise<number>;
  /**
   * Replaces the settings of a job by what `settingsOf` makes of it, and the timeouts of its active runs with them (spec 4.1
   * rules 2 and 3). Undefined when there is no such job; what `settingsOf` throws leaves everything as it was.
   */
  change(jobId: number, settingsOf: (job: Job) => JobSettings): Promise<readonly RetimedRun[] | undefined>;
  find(jobId: number): Promise<Job | undefined>;
  /** Newest first. */
  list(filter: JobFilter): Promise<Job[]>;
  /** Removes a job from every view; returns the ids of its active runs, none when it was gone already. */
  remove(jobId: number, now: number, notices: (job: Job) => Notice[]): Promise<number[]>;
}

/** Which runs a list shows (spec 4.1 rule 6). */
export interface RunFilter {
  readonly jobId: number | undefined;
  /** True: active runs only; false: completed ones only; undefined: both. */
  readonly active: boolean | undefined;
  readonly type: RunType | undefined;
  /** Start times, epoch ms, both inclusive. */
  readonly startFrom: number | undefined;
  readonly startTo: number | undefined;
  /** Only runs with a smaller id: those after the end of the page before. */
  readonly before: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Runs for whoever looks at them. */
export interface RunReader {
  /** By the id of the run or of one of its task runs. */
  find(runId: number): Promise<RunWithTasks | undefined>;
  /** Newest first. */
  list(filter: RunFilter): Promise<Run[]>;
  /** The task runs of each of these runs, by run id; oldest attempt first within a task. */
  tasksOf(runIds: readonly number[]): Promise<ReadonlyMap<number, readonly TaskRun[]>>;
}

/** What a deleted run leaves in the file system. */
export interface DeletedRun {
  /** Ids of its task runs. */
  readonly attempts: readonly number[];
  /** Ids of the clusters that were made for it. */
  readonly clusters: readonly string[];
}

/** Removes runs for good. */
export interface RunRemover {
  /** By the id of a run, with its task runs, its clusters and the hidden job of a submission; its idempotency token stays taken. */
  delete(runId: number): Promise<DeletedRun | 'active' | 'gone'>;
}

/** The steps of one launch, all inside one transaction. */
export interface LaunchTransaction {
  /** The stored job, locked until the transaction ends; undefined when there is none. */
  lockJob(jobId: number): Promise<Job | undefined>;
  /** A hidden job that carries a one-time submission. */
  createHiddenJob(settings: JobSettings, version: ApiVersion, creator: string, now: number): Promise<number>;
  countActiveRuns(jobId: number): Promise<number>;
  /** Takes the next number_in_job of a locked job; numbers have no gaps. */
  nextNumberInJob(jobId: number): Promise<number>;
  /** Reserves `count` run ids. */
  takeRunIds(count: number): Promise<number[]>;
  /**
   * Binds an idempotency token to a run id, unless it is bound already: then the earlier run is returned (`deleted`
   * when that run is gone). Concurrent launches with one token wait for each other here.
   * @param jobId scope of the token; 0 for submissions.
   */
  claimIdempotencyToken(jobId: number, token: string, runId: number): Promise<'claimed' | EarlierRun>;
  /** Jobs created since then (epoch ms), submissions, deleted jobs and this one among them. Concurrent creations wait for each other here. */
  countJobsCreated(since: number): Promise<number>;
  /** Active task runs of all runs. Concurrent launches wait for each other here, so it comes late. */
  countActiveTaskRuns(): Promise<number>;
  insertRun(run: NewRun): Promise<void>;
}

export interface EarlierRun {
  readonly runId: number;
  readonly numberInJob: number;
  readonly deleted: boolean;
}

/** Changes that are written together or not at all, with the notices that they cause. */
export interface ChangeSet {
  readonly changes: readonly StateChange[];
  readonly notices: readonly Notice[];
}

export interface RunStore {
  launch<Result>(steps: (transaction: LaunchTransaction) => Promise<Result>): Promise<Result>;
  /** A run with all its attempts, by the id of the run or of one of its task runs. */
  find(runId: number): Promise<RunWithTasks | undefined>;
  /** Durable when resolved. `refused`: a row was no longer in the state and fence that the change names. */
  write(changeSet: ChangeSet): Promise<'written' | 'refused'>;
  /** Notes that a run is to be stopped, unless that was noted before or it is over. */
  requestStop(runId: number, reason: StopReason): Promise<Run | undefined>;
  /** The same for all active runs of a job, or of every job; returns the ids of those to which it was news. */
  requestStopOfAll(jobId: number | undefined, state: 'any' | 'QUEUED'): Promise<number[]>;
  /** Active runs of this node whose stop has been noted, by whichever node. */
  stopRequests(node: string): Promise<{ readonly runId: number; readonly reason: StopReason }[]>;
  /** Takes over the active runs of nodes that are gone, raising their fences. At most `limit` at a time. */
  adopt(node: string, now: number, limit: number): Promise<RunWithTasks[]>;
}

export interface ClusterStore {
  /** `running`: its context, when it runs at once; else it is PENDING. */
  create(cluster: NewClusterRow, running: string | undefined): Promise<void>;
  find(clusterId: string): Promise<Cluster | undefined>;
  /** Clusters made for a run that are not yet terminated. */
  ofRun(jobRunId: number): Promise<Cluster[]>;
  /** PENDING -> RUNNING. */
  started(clusterId: string, sparkContextId: string, now: number): Promise<void>;
  terminated(clusterIds: readonly string[], reason: string, now: number): Promise<void>;
  /** The all-purpose cluster with this id; allocated and running if it was unknown. */
  ensureAllPurpose(cluster: NewClusterRow, sparkContextId: string): Promise<Cluster>;
}

export interface NodeStore {
  /** Makes this node known, with a lease until then. */
  join(node: NodeIdentity, leaseUntil: number, now: number): Promise<void>;
  /** Extends the lease; false when it had ended before: another node may have adopted runs since. */
  renew(nodeId: string, leaseUntil: number, now: number): Promise<boolean>;
  /** Ends the lease at once, so that others may adopt without waiting. */
  leave(nodeId: string, now: number): Promise<void>;
  /** Nodes of a machine that hold a lease. */
  onHost(host: string, now: number): Promise<NodeIdentity[]>;
  /** Ends the leases of nodes whose process is known to be gone. */
  expire(nodeIds: readonly string[], now: number): Promise<void>;
}

export interface NodeIdentity {
  readonly nodeId: string;
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  /** Tells this process from a later one with the same pid. */
  readonly processStart: string;
}

/** A task handed to the pool. */
export interface PooledTask {
  /** How it ended. Never rejects: a crash of the pool's thread is `lost`, after its process was looked up. */
  readonly outcome: Promise<Outcome>;
  /** Asks it to stop; the outcome follows. Idempotent. */
  stop(): void;
}

export interface TaskPool {
  run(assignment: TaskAssignment): PooledTask;
}

/** Processes of attempts, as the machine sees them. */
export interface ProcessTable {
  /** Attempts that have living processes on this machine. */
  living(): Promise<readonly number[]>;
  /** Ends every process of an attempt, at once. */
  end(runId: number): Promise<void>;
}

/** Directories that the engine asks for. */
export interface Workplace {
  /** Creates the private directory of an attempt and returns its absolute path. Idempotent. */
  attemptDirectory(runId: number): Promise<string>;
  /** Creates the directory of a cluster and returns its absolute path. Idempotent. */
  clusterDirectory(clusterId: string): Promise<string>;
}

/** What stands under a path of the workspace. */
export interface WorkspaceObject {
  readonly type: 'NOTEBOOK' | 'FILE' | 'DIRECTORY';
  /** `/a/b`; a notebook goes without its extension, unless another object has that path. Leads back to the object. */
  readonly path: string;
  /** Of a notebook. */
  readonly language: NotebookLanguage | undefined;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** What is to stand under a path of the workspace. */
export interface WorkspaceImport {
  readonly path: string;
  readonly content: Uint8Array;
  /** SOURCE: a notebook in `language`; JUPYTER: an .ipynb notebook; AUTO: kept under its path as it is. */
  readonly format: ImportFormat;
  /** For SOURCE; the extension of the path says it too. */
  readonly language?: NotebookLanguage | undefined;
  readonly overwrite: boolean;
}

/**
 * All paths may be written with `/Workspace` in front, and those of notebooks with or without their extension. Paths
 * that lead outside are refused with INVALID_PARAMETER_VALUE, missing ones with RESOURCE_DOES_NOT_EXIST.
 */
export interface WorkspaceStore {
  /** Missing folders are made. RESOURCE_ALREADY_EXISTS when the path is taken and not to be overwritten. */
  import(request: WorkspaceImport): Promise<void>;
  getStatus(path: string): Promise<WorkspaceObject>;
  /** What stands directly in a directory, by path; a notebook or file is listed as itself. */
  list(path: string): Promise<WorkspaceObject[]>;
  export(path: string): Promise<{ readonly content: Buffer; /** Extension without its dot. */ readonly fileType: string }>;
  /** INVALID_STATE for a directory that is not empty, unless `recursive`. */
  delete(path: string, recursive: boolean): Promise<void>;
  /** With the folders above; one that is there already is as good. */
  mkdirs(path: string): Promise<void>;
}

/** A file or directory of managed_fs. */
export interface ManagedFile {
  /** Absolute path in managed_fs. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

/**
 * All paths may be written with their scheme in front. Paths that lead outside are refused with
 * INVALID_PARAMETER_VALUE, missing ones with RESOURCE_DOES_NOT_EXIST.
 */
export interface ManagedFileStore {
  /** Missing folders are made. RESOURCE_ALREADY_EXISTS when the path is taken and not to be overwritten. */
  put(path: string, contents: Uint8Array, overwrite: boolean): Promise<void>;
  /** Up to `length` bytes from `offset` on (neither is negative); none beyond the end. */
  read(path: string, offset: number, length: number): Promise<Buffer>;
  getStatus(path: string): Promise<ManagedFile>;
  /** What stands directly in a directory, by path; a file is listed as itself. */
  list(path: string): Promise<ManagedFile[]>;
  /** A path that is not there is as good as deleted. INVALID_STATE for a directory that is not empty, unless `recursive`. */
  delete(path: string, recursive: boolean): Promise<void>;
  /** With the folders above; one that is there already is as good. */
  mkdirs(path: string): Promise<void>;
}

/** The part of a logger that the engine uses. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
