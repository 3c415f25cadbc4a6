/**
 * Runs and task runs as the engine holds them: facts that never change, and a progress that is a union on its
 * state.
 */
import type { ApiVersion, JobFormat } from '../job/job-format.ts';
import type { JobSettings } from '../job/settings.ts';
import type { RunParameters } from './parameters.ts';
import type { ResultState, StopReason } from './states.ts';

export type TriggerType = 'PERIODIC' | 'ONE_TIME' | 'RETRY';
export type RunType = 'JOB_RUN' | 'WORKFLOW_RUN' | 'SUBMIT_RUN';

interface ProgressTimes {
  /**
   * Epoch ms. A run starts when it is accepted, and keeps that through repairs; a task run when its
   * preparation begins.
   */
  readonly startTime: number | undefined;
  /** When it became RUNNING. */
  readonly runningTime: number | undefined;
  /** When it became TERMINATING. */
  readonly terminatingTime: number | undefined;
  readonly message: string;
}

/** Where a run or task run stands. The same rules stand as CHECK constraints in the database. */
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

/** Returns the progress of a new attempt or run that has not begun. */
export function pendingProgress(startTime: number | undefined, message: string): Progress {
  return { state: 'PENDING', startTime, runningTime: undefined, terminatingTime: undefined, message };
}

/** The latest repair of a run (engine/run/repair.ts), and what came before it. */
export interface LatestRepair {
  readonly repairId: number;
  /** 1 for the first repair of the run. */
  readonly count: number;
  /** Epoch ms. */
  readonly startTime: number;
  /** How long the run took before, in milliseconds: each time until it was over, without the time between. */
  readonly earlierDuration: number;
}

/** What a run is made with, and never changes. */
export interface RunOrigin {
  readonly runId: number;
  readonly jobId: number;
  readonly numberInJob: number;
  readonly format: JobFormat;
  readonly version: ApiVersion;
  readonly name: string;
  readonly type: RunType;
  readonly trigger: TriggerType;
  /** For which a schedule started it, epoch ms; undefined for a run that none did. */
  readonly scheduledTime?: number | undefined;
  /** The settings as they were when the run was created. */
  readonly settings: JobSettings;
  readonly overridingParameters: RunParameters | undefined;
}

/** One run of a job, or a one-time submission (which has a hidden job of its own). */
export interface Run extends RunOrigin {
  readonly creatorUserName: string | undefined;
  readonly originalAttemptRunId: number;
  readonly attempt: number;
  /** Set once the run is to be stopped; taken back by a repair alone. */
  readonly stopReason: StopReason | undefined;
  /** The node that drives it, and the fence that its writes must name. */
  readonly owner: string | undefined;
  readonly fence: number;
  /** Undefined for a run that was never repaired. */
  readonly repair: LatestRepair | undefined;
  /** When it left the queue (epoch ms); undefined for a run that never waited there. */
  readonly admittedTime: number | undefined;
  /** The task run of a run_job_task that started it. */
  readonly launchedBy: number | undefined;
  /** The task run whose program started it, such as a notebook that runs another one. */
  readonly parentTaskRun?: number | undefined;
  /** Raised each time that timeouts of an active run were changed. */
  readonly timeoutRevision: number;
  /** True once somebody was told that it lasts longer than its health rule allows. */
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
  /** Set once this attempt alone is to be stopped: its own time was over. */
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
 * The three durations of spec 2.5 in milliseconds, from the stamps; 0 for what has not happened.
 * @param setupStart when the setup began, where that is not the start time: a run that waited in the queue
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
