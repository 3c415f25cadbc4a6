/** Runs and task runs: immutable facts, and a progress that is a union on its state. */
import type { ApiVersion, JobFormat } from '../job/job-format.ts';
import type { JobSettings } from '../job/settings.ts';
import type { Explanation } from './explain/explanation.ts';
import type { StopRequest } from './explain/failure.ts';
import type { ParallelTasks } from './parallel-tasks.ts';
import type { RunParameters } from './parameters.ts';
import type { ResultState, StopReason } from './states.ts';

export type TriggerType = 'PERIODIC' | 'ONE_TIME' | 'RETRY';
export type RunType = 'JOB_RUN' | 'WORKFLOW_RUN' | 'SUBMIT_RUN';

interface ProgressTimes {
  /**
   * Epoch ms. A run starts when it is launched, also after repairs, and the retry of a run when its preparation
   * begins; a task run when its preparation begins.
   */
  readonly startTime: number | undefined;
  /** Time of the step to RUNNING. */
  readonly runningTime: number | undefined;
  /** Time of the step to TERMINATING. */
  readonly terminatingTime: number | undefined;
  readonly message: string;
  /** Why it did not succeed; undefined for a success, and before the end. */
  readonly explanation?: Explanation | undefined;
}

/** Progress of a run or task run. CHECK constraints in the database hold the same rules. */
export type Progress = ProgressTimes &
  (
    | {
        readonly state: 'QUEUED' | 'PENDING' | 'RUNNING';
        readonly result?: undefined;
        readonly endTime?: undefined;
      }
    | { readonly state: 'TERMINATING'; readonly result: ResultState; readonly endTime?: undefined }
    | { readonly state: 'TERMINATED'; readonly result: ResultState; readonly endTime: number }
    | { readonly state: 'SKIPPED'; readonly result?: undefined; readonly endTime: number }
    | { readonly state: 'INTERNAL_ERROR'; readonly result: ResultState | undefined; readonly endTime: number }
  );

/** Returns the progress of a new attempt or run that has not begun. @param state QUEUED before its admission */
export function pendingProgress(
  startTime: number | undefined,
  message: string,
  state: 'QUEUED' | 'PENDING' = 'PENDING',
): Progress {
  return { state, startTime, runningTime: undefined, terminatingTime: undefined, message };
}

/** The latest repair of a run (engine/run/repair.ts). */
export interface LatestRepair {
  readonly repairId: number;
  /** 1 for the first repair of the run. */
  readonly count: number;
  /** Epoch ms. */
  readonly startTime: number;
  /** Duration of the rounds before, in milliseconds, without the time between them. */
  readonly earlierDuration: number;
}

/** Immutable facts of a run. */
export interface RunOrigin {
  readonly runId: number;
  readonly jobId: number;
  readonly numberInJob: number;
  readonly format: JobFormat;
  readonly version: ApiVersion;
  readonly name: string;
  readonly type: RunType;
  readonly trigger: TriggerType;
  /** When the schedule was due, epoch ms; undefined for a run without a schedule. */
  readonly scheduledTime?: number | undefined;
  /** The settings of the job at the start of the run, or at a repair that took the current ones. */
  readonly settings: JobSettings;
  readonly overridingParameters: RunParameters | undefined;
}

/** One run of a job, or a one-time submission (which has a hidden job of its own). */
export interface Run extends RunOrigin {
  readonly creatorUserName: string | undefined;
  readonly originalAttemptRunId: number;
  readonly attempt: number;
  /** Set once the run is to be stopped; only a repair clears it. */
  readonly stopReason: StopReason | undefined;
  /** Who asked for the stop; undefined for a timeout, and for a stop that an earlier version stored. */
  readonly stopRequest?: StopRequest | undefined;
  /** State message of the stop; undefined for the usual one of its reason. */
  readonly stopMessage?: string | undefined;
  /** The node that drives the run, and the fence that its writes must name. */
  readonly owner: string | undefined;
  readonly fence: number;
  /** Tasks of the latest round that can run at the same time; undefined for a run of an earlier version. */
  readonly parallelTasks?: ParallelTasks | undefined;
  /** Undefined for a run that was never repaired. */
  readonly repair: LatestRepair | undefined;
  /** When the run left the queue (epoch ms); undefined for a run that never queued. */
  readonly admittedTime: number | undefined;
  /** The task run of the run_job_task that started the run. */
  readonly launchedBy: number | undefined;
  /** The task run whose program started the run, such as a notebook that runs another one. */
  readonly parentTaskRun?: number | undefined;
  /** Raised each time the timeouts of the active run change. */
  readonly timeoutRevision: number;
  /** True once the duration warning was sent. */
  readonly warned: boolean;
  readonly progress: Progress;
}

/** One attempt of one task within a run. In a single-task run it carries the run's own id. */
export interface TaskRun {
  readonly runId: number;
  readonly jobRunId: number;
  readonly taskKey: string;
  readonly attempt: number;
  readonly fence: number;
  readonly clusterId: string | undefined;
  readonly sparkContextId: string | undefined;
  /** A retry does not begin before this instant (epoch ms); undefined for every other attempt. */
  readonly dueTime: number | undefined;
  /** Set once this attempt alone is to be stopped: its own timeout was reached. */
  readonly stopReason: StopReason | undefined;
  /** As for a run. */
  readonly warned: boolean;
  readonly progress: Progress;
}

/** A run with all its attempts, oldest first within a task. */
export interface RunWithTasks {
  readonly run: Run;
  readonly tasks: readonly TaskRun[];
}

/**
 * Returns the three durations of spec 2.5 in milliseconds; 0 for phases that have not happened.
 * @param setupStart start of the setup of a run that waited in the queue
 */
export function durationsOf(
  progress: Progress,
  setupStart = progress.startTime,
): { setup: number; execution: number; cleanup: number } {
  const { runningTime, terminatingTime, endTime } = progress;
  const between = (from: number | undefined, to: number | undefined): number =>
    from === undefined || to === undefined ? 0 : Math.max(0, to - from);
  const setupEnd = runningTime ?? terminatingTime;
  return {
    setup: between(setupStart, setupEnd),
    execution: between(runningTime, terminatingTime ?? endTime),
    cleanup: between(terminatingTime, endTime),
  };
}
