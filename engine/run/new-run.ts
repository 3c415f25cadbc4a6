/** A new run as it is stored, and as the engine holds it without reading it back. */
import type { Explanation } from './explain/explanation.ts';
import type { RunNotification } from './notification.ts';
import type { ParallelTasks } from './parallel-tasks.ts';
import type { QueueCode } from './run-status.ts';
import { pendingProgress, type RunOrigin, type RunWithTasks } from './run.ts';

/** A run to be stored with its first task runs, in the state that admission gave it. */
export interface NewRun extends RunOrigin {
  readonly creator: string;
  /** Set when the settings are those of a stored revision of the job. */
  readonly settingsRevision?: number | undefined;
  readonly state: 'QUEUED' | 'PENDING' | 'SKIPPED';
  /** The limit that a QUEUED run waits for. */
  readonly queueCode: QueueCode | undefined;
  readonly message: string;
  /** Why it was skipped. */
  readonly explanation?: Explanation | undefined;
  readonly startTime: number;
  /** The node that drives the run; not stored for a QUEUED run. */
  readonly owner: string;
  /** The first attempt of a retry; otherwise the run itself. */
  readonly originalAttemptRunId: number;
  readonly attempt: number;
  readonly launchedBy: number | undefined;
  readonly parentTaskRun?: number | undefined;
  readonly parallelTasks: ParallelTasks;
  readonly tasks: readonly NewTaskRun[];
  readonly notifications: readonly RunNotification[];
}

interface NewTaskRun {
  readonly runId: number;
  readonly taskKey: string;
  readonly message: string;
  /** Set for a retry. */
  readonly dueTime?: number;
}

/** Converts a PENDING run to the form that the coordinator accepts. */
export function toRunWithTasks(run: NewRun): RunWithTasks {
  return {
    run: {
      runId: run.runId,
      jobId: run.jobId,
      numberInJob: run.numberInJob,
      format: run.format,
      version: run.version,
      name: run.name,
      type: run.type,
      trigger: run.trigger,
      scheduledTime: run.scheduledTime,
      creatorUserName: run.creator,
      settings: run.settings,
      overridingParameters: run.overridingParameters,
      originalAttemptRunId: run.originalAttemptRunId,
      attempt: run.attempt,
      stopReason: undefined,
      owner: run.owner,
      fence: 1,
      repair: undefined,
      admittedTime: undefined,
      launchedBy: run.launchedBy,
      parentTaskRun: run.parentTaskRun,
      parallelTasks: run.parallelTasks,
      timeoutRevision: 0,
      warned: false,
      progress: pendingProgress(run.startTime, run.message),
    },
    tasks: run.tasks.map((task) => ({
      runId: task.runId,
      jobRunId: run.runId,
      taskKey: task.taskKey,
      attempt: 0,
      fence: 1,
      clusterId: undefined,
      sparkContextId: undefined,
      dueTime: task.dueTime,
      stopReason: undefined,
      warned: false,
      progress: pendingProgress(undefined, task.message),
    })),
  };
}
