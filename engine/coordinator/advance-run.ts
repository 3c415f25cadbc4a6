/** Decisions about a run: which tasks start, which are skipped, and how the run ends. */
import type { OwnershipLost } from '../run/ownership.ts';
import { ownershipLost } from '../run/ownership.ts';
import { isOfLatestRound } from '../run/repair-rounds.ts';
import { rollUp, type SkippedTask } from '../run/roll-up.ts';
import { isTerminal } from '../run/states.ts';
import { isBlockedByDrain } from './coordinator-context.ts';
import { describeRunStop } from './describe-stop.ts';
import { driveTask, type DriveContext } from './drive-task.ts';
import { mayHaveClusters, releaseSharedClusters } from './release-clusters.ts';
import { isSingleTask, setBegun, taskStatesOf, type RunExecution } from './run-execution.ts';
import { isDriven, isExecuting, startDriver, stopTask, type TaskExecution } from './task-execution.ts';
import { transitionRun, transitionTask, type TransitionResult } from './transition-run.ts';

export type AdvanceResult = 'active' | 'ended' | OwnershipLost;

/** Takes one decision about a run. Safe to repeat whenever something has happened to the run. */
export async function advanceRun(c: DriveContext, execution: RunExecution): Promise<AdvanceResult> {
  resumeStartedTasks(c, execution);
  const { state } = execution.run.progress;
  if (isSingleTask(execution)) return isTerminal(state) ? 'ended' : 'active';
  if (state === 'TERMINATING') return cleanUpRun(c, execution);
  if ((await ensureRunBegun(c, execution)) === ownershipLost) return ownershipLost;
  for (;;) {
    // Repeated after tasks were skipped: one of them may have been the last to use a cluster.
    await releaseSharedClusters(c, execution, false);
    const stop = await describeRunStop(c, execution);
    const { start, skip, end } = rollUp(taskStatesOf(execution), stop);
    for (const key of start) startTask(c, execution, execution.tasks.get(key));
    if (end !== undefined) {
      const needsCleanup = mayHaveClusters(execution);
      // Without clusters to terminate, the cleanup is over at once: both states are written together.
      const events = needsCleanup ? 'finish' : (['finish', 'clean'] as const);
      if ((await transitionRun(c, execution, events, end)) === ownershipLost) return ownershipLost;
      return needsCleanup ? cleanUpRun(c, execution) : 'ended';
    }
    if (skip.length === 0) return 'active';
    const results = await Promise.all(
      skip.map((skipped) => skipTask(c, execution, execution.tasks.get(skipped.key), skipped)),
    );
    if (results.includes(ownershipLost)) return ownershipLost;
  }
}

/** Resumes tasks that an earlier engine had started; the task of a single-task run starts at once. */
function resumeStartedTasks(c: DriveContext, execution: RunExecution): void {
  for (const task of execution.tasks.values()) {
    const { state, startTime } = task.taskRun.progress;
    const wasStarted = state === 'RUNNING' || state === 'TERMINATING' || startTime !== undefined;
    if (!isTerminal(state) && (wasStarted || isSingleTask(execution))) startTask(c, execution, task);
  }
}

/** An engine may be killed between the begin of the first task and that of the run: the run begins now. */
async function ensureRunBegun(c: DriveContext, execution: RunExecution): Promise<TransitionResult> {
  const { run, phase, tasks } = execution;
  const hasBegun = [...tasks.values()].some(
    ({ taskRun }) => taskRun.progress.runningTime !== undefined && isOfLatestRound(run, taskRun),
  );
  if (phase !== 'pending' || !hasBegun) return 'written';
  setBegun(execution, true);
  return transitionRun(c, execution, 'begin', { message: '' });
}

function startTask(c: DriveContext, execution: RunExecution, task: TaskExecution | undefined): void {
  if (task === undefined || isDriven(task)) return;
  if (isBlockedByDrain(c, execution) && !isExecuting(task)) return;
  if (execution.run.stopReason !== undefined) stopTask(task, execution.run.stopReason);
  startDriver(task, () => driveTask(c, execution, task));
}

async function skipTask(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution | undefined,
  { event, message, explanation }: SkippedTask,
): Promise<TransitionResult> {
  return task === undefined ? 'written' : transitionTask(c, execution, task, event, { message, explanation });
}

async function cleanUpRun(c: DriveContext, execution: RunExecution): Promise<AdvanceResult> {
  await releaseSharedClusters(c, execution, true);
  return (await transitionRun(c, execution, 'clean')) === 'written' ? 'ended' : ownershipLost;
}
