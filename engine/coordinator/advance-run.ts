/** Looks at a run and does what follows: starts tasks, skips tasks, ends the run. */
import { rollUp } from '../run/roll-up.ts';
import { isOfLatestRound } from '../run/repair-rounds.ts';
import { isTerminal } from '../run/states.ts';
import {
  isSingleTask,
  isExecuting,
  taskStatesOf,
  type RunExecution,
  type TaskExecution,
} from './run-execution.ts';
import { releaseSharedClusters } from './acquire-cluster.ts';
import { isBlockedByDrain, type CoordinatorContext } from './coordinator-context.ts';
import { driveTask } from './drive-task.ts';
import { stopTask } from './stop.ts';
import { transitionRun, transitionTask } from './transition-run.ts';

/**
 * One decision about a run; called again whenever something has happened to it.
 * @returns true when the run is over
 */
export async function advanceRun(c: CoordinatorContext, active: RunExecution): Promise<boolean> {
  resumeStartedTasks(c, active);
  if (isSingleTask(active)) return isTerminal(active.run.progress.state);
  if (active.run.progress.state === 'TERMINATING') return cleanUpRun(c, active);
  await ensureRunBegun(c, active);
  for (;;) {
    // Looked at again when tasks were skipped: one of them may have been the last to use a cluster.
    await releaseSharedClusters(c, active, false);
    const { start, skip, end } = rollUp(taskStatesOf(active), active.run.stopReason);
    for (const key of start) startTask(c, active, active.tasks.get(key));
    if (end !== undefined) {
      await transitionRun(c, active, 'finish', end);
      return cleanUpRun(c, active);
    }
    if (skip.length === 0) return false;
    await Promise.all(
      skip.map(async ({ key, message }) => {
        const task = active.tasks.get(key);
        if (task !== undefined) await transitionTask(c, active, task, 'skip', { message });
      }),
    );
  }
}

/** Goes on with tasks that an earlier engine had started; a single-task run waits for nothing. */
function resumeStartedTasks(c: CoordinatorContext, active: RunExecution): void {
  for (const task of active.tasks.values()) {
    const { state, startTime } = task.taskRun.progress;
    const underWay = state === 'RUNNING' || state === 'TERMINATING' || startTime !== undefined;
    if (!isTerminal(state) && (underWay || isSingleTask(active))) startTask(c, active, task);
  }
}

/**
 * A kill may fall between the first begin of a task and that of its run, which stand in two writes: it begins
 * now.
 */
async function ensureRunBegun(c: CoordinatorContext, active: RunExecution): Promise<void> {
  const hasBegun = [...active.tasks.values()].some(
    ({ taskRun }) => taskRun.progress.runningTime !== undefined && isOfLatestRound(active.run, taskRun),
  );
  if (active.begun || !hasBegun) return;
  active.begun = true;
  await transitionRun(c, active, 'begin', { message: '' });
}

function startTask(c: CoordinatorContext, active: RunExecution, task: TaskExecution | undefined): void {
  if (task === undefined || task.started) return;
  if (isBlockedByDrain(c, active) && !isExecuting(task)) return;
  task.started = true;
  if (active.run.stopReason !== undefined) stopTask(task, active.run.stopReason);
  task.driverDone = driveTask(c, active, task);
}

async function cleanUpRun(c: CoordinatorContext, active: RunExecution): Promise<boolean> {
  await releaseSharedClusters(c, active, true);
  await transitionRun(c, active, 'clean');
  return true;
}
