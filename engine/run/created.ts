/** A run that has just been stored, as the engine holds it: nothing is read back. */
import type { Notice } from '../notification/notice.ts';
import type { Progress, RunOrigin, RunWithTasks } from './run.ts';

/** A run to be stored with its first task runs, in the state that admission gave it. */
export interface NewRun extends RunOrigin {
  readonly creator: string;
  readonly state: 'PENDING' | 'SKIPPED';
  readonly message: string;
  readonly startTime: number;
  readonly owner: string;
  readonly tasks: readonly { readonly runId: number; readonly taskKey: string; readonly message: string }[];
  readonly notices: readonly Notice[];
}

/** The run with the task runs of its first attempts. For runs in the state PENDING. */
export function createdRun(run: NewRun): RunWithTasks {
  const progress = (startTime: number | undefined, message: string): Progress =>
    ({ state: 'PENDING', startTime, message, runningTime: undefined, terminatingTime: undefined });
  return {
    run: {
      runId: run.runId, jobId: run.jobId, numberInJob: run.numberInJob, format: run.format, version: run.version,
      name: run.name, type: run.type, trigger: run.trigger, scheduledTime: run.scheduledTime, creatorUserName: run.creator, settings: run.settings,
      overridingParameters: run.overridingParameters, originalAttemptRunId: run.runId, attempt: 0,
      stopReason: undefined, owner: run.owner, fence: 1, repair: undefined, progress: progress(run.startTime, run.message),
    },
    tasks: run.tasks.map((task) => ({
      runId: task.runId, jobRunId: run.runId, taskKey: task.taskKey, attempt: 0, fence: 1,
      clusterId: undefined, sparkContextId: undefined, progress: progress(undefined, task.message),
    })),
  };
}
