/** A run that has just been stored, as the engine holds it: nothing is read back. */
import type { NewRun } from '../ports.ts';
import type { Progress, RunWithTasks } from './run.ts';

/** The run with the task runs of its first attempts. For runs in the state PENDING. */
export function createdRun(run: NewRun): RunWithTasks {
  const progress = (startTime: number | undefined, message: string): Progress =>
    ({ state: 'PENDING', startTime, message, runningTime: undefined, terminatingTime: undefined });
  return {
    run: {
      runId: run.runId, jobId: run.jobId, numberInJob: run.numberInJob, format: run.format, version: run.version,
      name: run.name, type: run.type, trigger: run.trigger, creatorUserName: run.creator, settings: run.settings,
      overridingParameters: run.overridingParameters, originalAttemptRunId: run.runId, attempt: 0,
      stopReason: undefined, owner: run.owner, fence: 1, progress: progress(run.startTime, run.message),
    },
    tasks: run.tasks.map((task) => ({
      runId: task.runId, jobRunId: run.runId, taskKey: task.taskKey, attempt: 0, fence: 1,
      clusterId: undefined, sparkContextId: undefined, progress: progress(undefined, task.message),
    })),
  };
}
