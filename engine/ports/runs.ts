/**
 * Runs as the engine keeps them: the steps of a launch, and everything that is written about a run. Types
 * only; storage/ implements them.
 */
import type { ApiVersion } from '../job/job-format.ts';
import type { Grant } from '../job/permissions.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunNotification } from '../run/notification.ts';
import type { NewUpdate, StoredUpdate } from './pipelines.ts';
import type { Job } from './engine.ts';
import type { StateChange } from '../run/step.ts';
import type { NewRun } from '../run/new-run.ts';
import type { NewRepair } from '../run/repair.ts';
import type { Run, RunWithTasks, TaskRun } from '../run/run.ts';
import type { LifeCycleState, StopReason } from '../run/states.ts';
import type { QueueCode } from '../run/run-status.ts';

/** The steps of one launch, all inside one transaction. */
export interface LaunchTransaction {
  /** The stored job, locked until the transaction ends; undefined when there is none. */
  lockJob(jobId: number): Promise<Job | undefined>;
  /**
   * A hidden job that carries a one-time submission. Its creator owns it; `grants` say who else may do what.
   */
  createHiddenJob(
    settings: JobSettings,
    version: ApiVersion,
    creator: string,
    now: number,
    grants?: readonly Grant[],
  ): Promise<number>;
  /** Runs of a job that take up its max_concurrent_runs, and those that wait in the queue. */
  countRuns(jobId: number): Promise<JobRunCounts>;
  /** Takes the next number_in_job of a locked job; numbers have no gaps. */
  reserveNumberInJob(jobId: number): Promise<number>;
  /** Reserves `count` run ids. */
  reserveRunIds(count: number): Promise<number[]>;
  /**
   * Binds an idempotency token to a run id, unless it is bound already: then the earlier run is returned
   * (`deleted` when that run is gone). Concurrent launches with one token wait for each other here.
   * @param jobId scope of the token; 0 for submissions.
   */
  claimIdempotencyToken(jobId: number, token: string, runId: number): Promise<'claimed' | EarlierRun>;
  /**
   * Jobs created since then (epoch ms), hidden and deleted ones among them. Concurrent creations wait for
   * each other here.
   */
  countJobsCreated(since: number): Promise<number>;
  /**
   * How full the workspace is, queued runs left out: exact enough to decide whether `added` more task runs
   * stay within
   * `most`, whatever launches go on at the same time. Those may wait for each other here, so call it late.
   * @param runJobTasks whether the run_job_tasks among them are counted too
   */
  countActiveTaskRuns(added: number, most: number, runJobTasks: boolean): Promise<WorkspaceLoad>;
  insertRun(run: NewRun): Promise<void>;
  /**
   * A run with all its attempts, locked until the transaction ends; undefined when there is none. Lock its
   * job before.
   */
  lockRun(runId: number): Promise<RunWithTasks | undefined>;
  /** Opens a locked run again, with new attempts. */
  insertRepair(repair: NewRepair): Promise<void>;
  /**
   * The oldest run of a job that waits in the queue and is not to be stopped, locked until the transaction
   * ends.
   */
  lockOldestQueuedRun(jobId: number): Promise<Run | undefined>;
  /** Takes a locked run and its tasks out of the queue and assigns the run to its owner. */
  admitRun(admission: QueueAdmission): Promise<RunWithTasks>;
  /** A run that waits in the queue waits for another limit now. */
  updateQueueReason(runId: number, code: QueueCode, message: string): Promise<void>;
  /**
   * The run that an attempt of a run_job_task has started, unless it was deleted; undefined when it has not.
   */
  findLaunchedRun(taskRunId: number): Promise<LaunchedRun | undefined>;
  /**
   * The update of a pipeline that is not over. Whoever asks for this pipeline after it waits until the
   * transaction ends.
   */
  lockActiveUpdate(pipelineId: string): Promise<StoredUpdate | undefined>;
  /** The update that a run of this transaction is. @returns its id */
  insertUpdate(update: NewUpdate): Promise<string>;
  /** Writes states in this transaction; `refused` as for RunStore.write. */
  write(changeSet: ChangeSet): Promise<'written' | 'refused'>;
}

/** What is stored together with a run, or not at all. */
export interface LaunchHook {
  /** Comes before everything else. @throws ServiceError which refuses the run */
  beforeAdmission(transaction: LaunchTransaction): Promise<void>;
  /** @param runId of the run, which is stored by then */
  afterInsert(transaction: LaunchTransaction, runId: number): Promise<void>;
}

/** A run as its number tells it. */
export interface LaunchedRun {
  readonly runId: number;
  readonly numberInJob: number;
}

export interface JobRunCounts {
  /** Runs that are active and do not wait in the queue. */
  readonly active: number;
  readonly queued: number;
}

export interface WorkspaceLoad {
  readonly taskRuns: number;
  /** run_job_tasks among them; 0 when they were not asked for. */
  readonly runJobTasks: number;
  /** Whether a run waits in the queue for room in the workspace. */
  readonly hasWaitingRuns: boolean;
}

export interface EarlierRun {
  readonly runId: number;
  readonly numberInJob: number;
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
  /** Start time of its run that waits longest, epoch ms. */
  readonly since: number;
}

/** Changes that are written together or not at all, with the notices that they cause. */
export interface ChangeSet {
  readonly changes: readonly StateChange[];
  readonly notifications: readonly RunNotification[];
  /** New attempts of tasks: retries of those that the changes end. */
  readonly attempts?: readonly TaskRun[];
}

/** A run or task run that lasts longer than its health rule allows. */
export interface DurationWarning {
  readonly kind: 'run' | 'task';
  readonly runId: number;
  readonly fence: number;
  readonly at: number;
  readonly notifications: readonly RunNotification[];
}

/** What of a run may be changed by a node that does not drive it. */
export interface OwnedRun {
  readonly runId: number;
  readonly stopReason: StopReason | undefined;
  /** Raised with each change of its timeouts. */
  readonly timeoutRevision: number;
}

/** Which active runs are to be stopped together. */
export interface StopFilter {
  /** Undefined: of all jobs. */
  readonly jobId: number | undefined;
  /** Only those that wait in the queue. */
  readonly queuedOnly: boolean;
}

/** What an operation does while the database is away: it fails, or with `retry` waits for the database. */
export interface OutageOptions {
  readonly onOutage?: 'retry';
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
  /** Whether this attempt is stored and not over; also one of a deleted job. */
  isAttemptActive(runId: number): Promise<boolean>;
  /** Durable when resolved. `refused`: a row was no longer in the state and fence that the change names. */
  write(changeSet: ChangeSet): Promise<'written' | 'refused'>;
  /** Ids for new attempts. */
  reserveRunIds(count: number): Promise<number[]>;
  /**
   * Stores a warning once: nothing happens when it was stored before, or when what it is about is over or not
   * ours any more.
   */
  recordDurationWarning(warning: DurationWarning): Promise<void>;
  /**
   * Notes that an attempt is to be stopped because its own time is over, so that whoever adopts it knows why
   * it ends.
   */
  requestTaskStop(taskRunId: number): Promise<void>;
  /** Jobs with runs in the queue. */
  listQueuedJobs(): Promise<QueuedJob[]>;
  /**
   * Runs in the queue that are to be stopped, or started to wait before then (epoch ms); oldest first,
   * `limit` at the most.
   */
  listRunsLeavingQueue(since: number, limit: number): Promise<RunWithTasks[]>;
  /** The run that an attempt of a run_job_task has started. */
  findLaunchedRun(taskRunId: number): Promise<LaunchedRun | undefined>;
  /** The latest attempt of a run of which this is the first one, by any node; undefined when it is gone. */
  findLatestAttempt(runId: number): Promise<Run | undefined>;
  /** Notes that a run is to be stopped, unless that was noted before or it is over. */
  requestStop(runId: number, reason: StopReason, options?: OutageOptions): Promise<Run | undefined>;
  /** Notes for many runs that they are cancelled; returns the ids of those to which it was news. */
  requestStopAll(filter: StopFilter): Promise<number[]>;
  /** Active runs of this node, with what other nodes may have noted about them. */
  listOwnedRuns(node: string): Promise<OwnedRun[]>;
  /** Takes over the active runs of nodes that are gone, raising their fences. At most `limit` at a time. */
  adopt(node: string, now: number, limit: number): Promise<RunWithTasks[]>;
  /** Takes up active runs that this node owns but no longer drives, raising their fences. */
  adoptOwn(node: string, runIds: readonly number[]): Promise<RunWithTasks[]>;
}
