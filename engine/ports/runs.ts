/** Launches and state of runs, for the engine. Types only; storage/ implements them. */
import type { ApiVersion } from '../job/job-format.ts';
import type { Grant } from '../job/permissions.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunNotification } from '../run/notification.ts';
import type { NewUpdate, StoredUpdate } from './pipelines.ts';
import type { Job } from './jobs.ts';
import type { StopRequest } from '../run/explain/failure.ts';
import type { StateChange } from '../run/step.ts';
import type { NewRun } from '../run/new-run.ts';
import type { ParallelTasks } from '../run/parallel-tasks.ts';
import type { RunParameters } from '../run/parameters.ts';
import type { NewRepair } from '../run/repair.ts';
import type { Run, RunWithTasks, TaskRun } from '../run/run.ts';
import type { LifeCycleState, StopReason } from '../run/states.ts';
import type { QueueCode } from '../run/run-status.ts';

/** Steps of one launch, all inside one transaction. */
export interface LaunchTransaction {
  /** Locks a job until the transaction ends; undefined when it does not exist. */
  lockJob(jobId: number): Promise<Job | undefined>;
  /**
   * Creates the hidden job of a one-time submission, owned by its creator.
   * @param grants of other principals
   */
  createHiddenJob(
    settings: JobSettings,
    version: ApiVersion,
    creator: string,
    now: number,
    grants?: readonly Grant[],
  ): Promise<number>;
  /** Counts the runs of a job that use its max_concurrent_runs, and those that wait in the queue. */
  countRuns(jobId: number): Promise<JobRunCounts>;
  /** Lists the oldest active runs of a job, for the message of a run that is skipped because of them. */
  listActiveRuns(jobId: number, limit: number): Promise<number[]>;
  /** Reserves the next number_in_job of a locked job; numbers have no gaps. */
  reserveNumberInJob(jobId: number): Promise<number>;
  /** Reserves `count` run ids. */
  reserveRunIds(count: number): Promise<number[]>;
  /**
   * Binds an idempotency token to a run id. Returns the earlier run when the token is bound already.
   * Concurrent launches with the same token wait here.
   * @param jobId scope of the token; 0 for submissions
   */
  claimIdempotencyToken(jobId: number, token: string, runId: number): Promise<'claimed' | EarlierRun>;
  /**
   * Counts the jobs created since a time in epoch ms, hidden and deleted ones included. Concurrent creations
   * wait here.
   */
  countJobsCreated(since: number): Promise<number>;
  /**
   * Counts the task runs of the workspace that can be active at the same time, without those of queued runs:
   * precisely enough to decide
   * whether `added` more stay within `maximum`, also under concurrent launches. Those may wait here, so it is
   * called late.
   * @param runJobTasks also counts the run_job_tasks
   */
  countActiveTaskRuns(added: number, maximum: number, runJobTasks: boolean): Promise<WorkspaceLoad>;
  insertRun(run: NewRun): Promise<void>;
  /**
   * Locks a run and its attempts until the transaction ends; undefined when it does not exist. The job is
   * locked first.
   */
  lockRun(runId: number): Promise<RunWithTasks | undefined>;
  /** Reopens a locked run with new attempts. */
  insertRepair(repair: NewRepair): Promise<void>;
  /** Locks the oldest queued runs of a job that have no stop request, until the transaction ends; oldest first. */
  lockOldestQueuedRuns(jobId: number, limit: number): Promise<Run[]>;
  /** Takes locked runs and their tasks out of the queue and assigns the runs to their owner. */
  admitRuns(admissions: readonly QueueAdmission[]): Promise<RunWithTasks[]>;
  /** A run that waits in the queue waits for another limit now. */
  updateQueueReason(runId: number, code: QueueCode, message: string): Promise<void>;
  /**
   * Finds the run started by an attempt of a run_job_task; undefined when there is none or it was deleted.
   */
  findLaunchedRun(taskRunId: number): Promise<LaunchedRun | undefined>;
  /** Finds the active update of a pipeline. Later calls for the pipeline wait until the transaction ends. */
  lockActiveUpdate(pipelineId: string): Promise<StoredUpdate | undefined>;
  /** Stores the update that a run of this transaction executes, and returns its id. */
  insertUpdate(update: NewUpdate): Promise<string>;
  /** Writes state changes in this transaction; `refused` as for RunStore.write. */
  write(changeSet: ChangeSet): Promise<'written' | 'refused'>;
}

/** Participant of a launch transaction: its writes are committed together with the run. */
export interface LaunchHook {
  /** Runs before admission. @throws ServiceError that refuses the run */
  beforeAdmission(transaction: LaunchTransaction): Promise<void>;
  /** Runs after the run was inserted. @param runId id of the run */
  afterInsert(transaction: LaunchTransaction, runId: number): Promise<void>;
}

/** Ids of a launched run. */
export interface LaunchedRun {
  readonly runId: number;
  readonly numberInJob: number;
}

export interface JobRunCounts {
  /** Active runs, without those in the queue. */
  readonly active: number;
  readonly queued: number;
}

export interface WorkspaceLoad {
  readonly taskRuns: number;
  /** run_job_tasks among them; 0 when they were not counted. */
  readonly runJobTasks: number;
  /** True when a queued run waits for a limit of the workspace. */
  readonly hasWaitingRuns: boolean;
}

/** Run that an idempotency token is bound to. */
export interface EarlierRun {
  readonly runId: number;
  readonly numberInJob: number;
  /** True when the run was deleted. */
  readonly deleted: boolean;
}

/** Admission of a run that waited in the queue. */
export interface QueueAdmission {
  readonly runId: number;
  readonly from: LifeCycleState;
  readonly to: LifeCycleState;
  /** The node that drives the run from now on. */
  readonly owner: string;
  /** Epoch ms. */
  readonly admittedTime: number;
}

/** A job with runs in the queue. */
export interface QueuedJob {
  readonly jobId: number;
  readonly activeRuns: number;
  /** Undefined for the hidden job of a submission. */
  readonly maxConcurrentRuns: number | undefined;
  /** When its oldest queued run entered the queue, epoch ms. */
  readonly since: number;
}

/** State changes that are written atomically, together with the notifications that they cause. */
export interface ChangeSet {
  readonly changes: readonly StateChange[];
  readonly notifications: readonly RunNotification[];
  /** New attempts: retries of task runs that the changes end. */
  readonly attempts?: readonly TaskRun[];
}

/** Warning about a run or task run that exceeds the duration of its health rule. */
export interface DurationWarning {
  readonly kind: 'run' | 'task';
  readonly runId: number;
  readonly fence: number;
  readonly at: number;
  readonly notifications: readonly RunNotification[];
}

/** The fields of a run that other nodes may change. */
export interface OwnedRun {
  readonly runId: number;
  readonly stopReason: StopReason | undefined;
  readonly stopMessage?: string | undefined;
  /** Incremented by each change of the timeouts. */
  readonly timeoutRevision: number;
}

/** Selects the active runs to stop. */
export interface StopFilter {
  /** Undefined: runs of all jobs. */
  readonly jobId: number | undefined;
  /** True: only queued runs. */
  readonly queuedOnly: boolean;
  /** Who asks. */
  readonly by?: StopRequest | undefined;
}

/** Behaviour of an operation while the database is away: it fails, or with `retry` waits. */
export interface OutageOptions {
  readonly onOutage?: 'retry';
}

/** A stored job as an engine knows it, and the revision of its settings. */
export interface KnownJob {
  readonly job: Job;
  readonly revision: number;
}

/** A run that starts if its job and the workspace certainly have capacity. */
export interface PendingLaunch {
  readonly known: KnownJob;
  readonly maxConcurrentRuns: number;
  readonly name: string;
  readonly parallelTasks: ParallelTasks;
  /** First attempts, with their state messages. The run begins with the first task that begins. */
  readonly tasks: readonly PendingTask[];
  readonly creator: string;
  readonly parameters: RunParameters | undefined;
}

export interface PendingTask {
  readonly taskKey: string;
  readonly message: string;
  /** True when the task begins with the launch: it needs nothing that has to be prepared. */
  readonly begins: boolean;
}

/** A run that was stored as PENDING, or as RUNNING when one of its tasks begins with it. */
export interface PendingRun extends LaunchedRun {
  readonly startTime: number;
  /** Ids of the first attempts, in the order of the tasks. */
  readonly taskRunIds: readonly number[];
}

/**
 * Launches in one round trip: those that come at the same time share a commit. It decides nothing that needs a rule:
 * each launch that is not certain to start is left to a launch transaction.
 */
export interface PendingLauncher {
  /** Finds a job, perhaps in an earlier revision; `launch` stores no run of an earlier one. */
  findJob(jobId: number): Promise<KnownJob | undefined>;
  /** Stores a run of this node; undefined when it is not certain to start. */
  launch(launch: PendingLaunch): Promise<PendingRun | undefined>;
}

export interface StopOptions extends OutageOptions {
  /** State message of the run, when no user requested the stop. */
  readonly message?: string;
  /** The user who requested the stop. */
  readonly by?: StopRequest | undefined;
}

/** Store of runs. The engine retries during an outage where no client would repeat its request. */
export interface RunStore {
  /**
   * Runs `steps` in one transaction. With `onOutage: 'retry'` an earlier attempt may have been committed.
   */
  launchTransaction<Result>(
    steps: (transaction: LaunchTransaction) => Promise<Result>,
    options?: OutageOptions,
  ): Promise<Result>;
  /** A run with all its attempts, by the id of the run or of one of its task runs. */
  find(runId: number, options?: OutageOptions): Promise<RunWithTasks | undefined>;
  /** Returns whether this attempt is stored and not over; also one of a deleted job. */
  isAttemptActive(runId: number): Promise<boolean>;
  /**
   * Writes state changes durably. `refused`: a row no longer has the state and fence that its change names.
   */
  write(changeSet: ChangeSet): Promise<'written' | 'refused'>;
  /** Reserves ids for new attempts. */
  reserveRunIds(count: number): Promise<number[]>;
  /**
   * Records a warning once. Does nothing when it was recorded before, or when the run is over or driven by
   * another node.
   */
  recordDurationWarning(warning: DurationWarning): Promise<void>;
  /** Records that an attempt reached its timeout. A node that adopts the attempt reads this reason. */
  requestTaskStop(taskRunId: number): Promise<void>;
  /** Lists jobs with queued runs. */
  listQueuedJobs(): Promise<QueuedJob[]>;
  /**
   * Lists at most `limit` queued runs that have a stop request, were queued before `since` (epoch ms), or
   * belong to one of the `closedJobs`, oldest first.
   */
  listRunsLeavingQueue(since: number, limit: number, closedJobs?: readonly number[]): Promise<RunWithTasks[]>;
  /** Finds the run started by an attempt of a run_job_task. */
  findLaunchedRun(taskRunId: number): Promise<LaunchedRun | undefined>;
  /** Finds the latest attempt of a run by its first attempt; undefined when it was deleted. */
  findLatestAttempt(runId: number): Promise<Run | undefined>;
  /** Notes that a run is to be stopped, unless that was noted before or it is over. */
  requestStop(runId: number, reason: StopReason, options?: StopOptions): Promise<Run | undefined>;
  /** Finds who asked for the stop of a run; undefined when that is not known. Waits for the database. */
  findStopRequest(runId: number): Promise<StopRequest | undefined>;
  /** Notes for many runs that they are cancelled; returns the ids of those to which it was news. */
  requestStopAll(filter: StopFilter): Promise<number[]>;
  /** Lists the active runs of a node, with the fields that other nodes may have changed. */
  listOwnedRuns(node: string): Promise<OwnedRun[]>;
  /** Adopts at most `limit` active runs of nodes without a lease, and raises their fences. */
  adopt(node: string, now: number, limit: number): Promise<RunWithTasks[]>;
  /** Adopts active runs that this node owns but no longer drives, and raises their fences. */
  adoptOwn(node: string, runIds: readonly number[]): Promise<RunWithTasks[]>;
}

/** Directories to delete after their run was deleted. */
export interface DeletedRun {
  /** Ids of its task runs. */
  readonly taskRunIds: readonly number[];
  /** Ids of the clusters created for it. */
  readonly clusterIds: readonly string[];
}

export interface RunRemover {
  /**
   * Deletes a completed run with its task runs, its clusters and the hidden job of a submission. Its
   * idempotency token stays bound.
   */
  delete(runId: number, now: number): Promise<DeletedRun | 'active' | 'gone'>;
}
