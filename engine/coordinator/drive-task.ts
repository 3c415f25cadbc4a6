/**
 * Driver of one attempt: prepares it, executes it and cleans up. It resumes from the stored state, so a
 * restarted engine calls it again; the runner then attaches to the process that is there.
 */
import { messageOf } from '../errors.ts';
import { decideAttemptEnd, stopEnd, type AttemptEnd } from '../run/attempt-end.ts';
import { ownershipLost, type OwnershipLost } from '../run/ownership.ts';
import type { StepFacts } from '../run/step.ts';
import { skipOfStop } from '../run/roll-up.ts';
import { endClusterUse } from './cluster-use.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { describeTaskStop } from './describe-stop.ts';
import { executeTask, type ExecuteContext } from './execute-task.ts';
import { explainAttempt, type ExplainPorts } from './failure-context.ts';
import { stopLibraryInstallers } from './prepare-libraries.ts';
import { prepareTask, type PrepareContext, type ReadyCluster } from './prepare-task.ts';
import { preparePipelineCluster, type PipelineClusterContext } from './pipeline-cluster.ts';
import { hasOwnCluster, releaseOwnCluster } from './release-clusters.ts';
import {
  isReleased,
  isSingleTask,
  setRunTimer,
  untilStopped,
  type ClusterUnavailable,
  type RunExecution,
} from './run-execution.ts';
import { replaceWatch, type TaskExecution } from './task-execution.ts';
import { transitionTask, type TransitionResult } from './transition-run.ts';

export type DriveContext = PrepareContext &
  ExecuteContext &
  ExplainPorts &
  PipelineClusterContext &
  Pick<CoordinatorContext, 'release'>;

type DriveResult = 'done' | OwnershipLost;

/** Drives the attempt to its end and requests a decision about the run. Never rejects. */
export async function driveTask(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<void> {
  try {
    if ((await driveAttempt(c, execution, task)) === ownershipLost) return c.release(execution);
  } catch (error) {
    if (isReleased(execution)) return;
    replaceWatch(task, 'cluster');
    c.log.error(
      { run_id: task.taskRun.runId, task_key: task.settings.task_key, error: messageOf(error) },
      'The engine failed this task; it ends as INTERNAL_ERROR.',
    );
    const message = `The engine failed this task: ${messageOf(error)}`;
    const end = { kind: 'break', failure: { kind: 'message', message, lost: true } } as const;
    if ((await breakTask(c, execution, task, end)) === ownershipLost) return c.release(execution);
  }
  c.post(execution, { kind: 'decision needed' });
}

async function driveAttempt(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<DriveResult> {
  const { runId } = task.taskRun;
  // The next attempt may begin, and even end, while this driver still cleans up after its own.
  const stateOf = (): string =>
    task.taskRun.runId === runId ? task.taskRun.progress.state : 'replaced by a retry';
  let cluster: ReadyCluster | undefined;
  if (stateOf() === 'PENDING') {
    const due = await waitUntilDue(c, execution, task);
    if (due !== 'due') return due;
    if ((await waitForSpace(c, execution, task)) === ownershipLost) return ownershipLost;
  }
  // Also for a task that only cleans up: an earlier engine may have left its cluster.
  if (stateOf() !== 'PENDING' || task.stopReason === undefined)
    await preparePipelineCluster(c, execution, task);
  if (stateOf() === 'PENDING' || stateOf() === 'RUNNING') {
    if (task.stopReason === undefined || stateOf() === 'RUNNING') {
      const prepared = await prepareTask(c, execution, task);
      if (prepared === ownershipLost) return ownershipLost;
      if (prepared.kind === 'unavailable') return endWithoutCluster(c, execution, task, prepared);
      cluster = prepared.cluster;
    }
    if (stateOf() === 'PENDING') {
      // No task begins while this node drains; another node starts it.
      if (task.stopReason === undefined) return 'done';
      if ((await endBeforeBegin(c, execution, task)) === ownershipLost) return ownershipLost;
    }
  }
  if (stateOf() === 'RUNNING' && (await runToEnd(c, execution, task, cluster)) === ownershipLost)
    return ownershipLost;
  return stateOf() === 'TERMINATING' ? cleanUpTask(c, execution, task) : 'done';
}

/** Waits for the time of a retry. A task that is stopped meanwhile never starts and ends as SKIPPED. */
async function waitUntilDue(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<'due' | DriveResult> {
  const { dueTime } = task.taskRun;
  if (dueTime === undefined || dueTime <= c.clock.now()) return 'due';
  if (task.stopReason === undefined) {
    const due = Promise.withResolvers<void>();
    setRunTimer(execution, c.clock, dueTime, due.resolve);
    if ((await untilStopped(execution, task, due.promise)) === ownershipLost) return ownershipLost;
  }
  if (task.stopReason === undefined || isSingleTask(execution)) return 'due';
  const { stop } = await describeTaskStop(c, execution, task, task.stopReason);
  const { event, message, explanation } = skipOfStop(stop, task.settings.task_key);
  return doneIfWritten(await transitionTask(c, execution, task, event, { message, explanation }));
}

/** Interval at which a task that waits for space on the disk looks again, ms. */
const spaceCheckMs = 1_000;

/** Waits while the disk of the data directory is full: the task could write nothing. */
async function waitForSpace(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<'space' | OwnershipLost> {
  for (let announced = false; task.stopReason === undefined; announced = true) {
    const directory = c.findFullDisk?.();
    if (directory === undefined) return 'space';
    const message = `Waiting for space: the disk of ${directory} is full`;
    if (!announced && (await transitionTask(c, execution, task, 'prepare', { message })) === ownershipLost)
      return ownershipLost;
    const pause = Promise.withResolvers<void>();
    setRunTimer(execution, c.clock, c.clock.now() + spaceCheckMs, pause.resolve);
    if ((await untilStopped(execution, task, pause.promise)) === ownershipLost) return ownershipLost;
  }
  return 'space';
}

/** Ends a task that was stopped before it began. */
async function endBeforeBegin(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<TransitionResult> {
  replaceWatch(task, 'cluster');
  await stopLibraryInstallers(c, task);
  return finishTask(c, execution, task, await endOfStopped(c, execution, task));
}

/** Ends a task that never began because it has no cluster. */
async function endWithoutCluster(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
  { outcome }: ClusterUnavailable,
): Promise<DriveResult> {
  replaceWatch(task, 'cluster');
  const end =
    task.stopReason === undefined ? endOfUnavailable(outcome) : await endOfStopped(c, execution, task);
  if ((await finishTask(c, execution, task, end)) === ownershipLost) return ownershipLost;
  return task.taskRun.progress.state === 'TERMINATING' ? cleanUpTask(c, execution, task) : 'done';
}

/** Executes the task and writes how it ended. */
async function runToEnd(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
  cluster: ReadyCluster | undefined,
): Promise<TransitionResult> {
  const end = await executeTask(c, execution, task, cluster);
  if (end === ownershipLost) return end;
  // Read before the end is written: after that the next attempt may have begun.
  replaceWatch(task, 'cluster');
  const useEnd = {
    lost: task.clusterLossMessage !== undefined,
    isShared: task.settings.new_cluster === undefined,
  };
  const application = await findApplication(c, task, cluster);
  if ((await finishTask(c, execution, task, end, application)) === ownershipLost) return ownershipLost;
  if (cluster !== undefined) await endClusterUse(c, execution, cluster, useEnd);
  return 'written';
}

/** Returns the Spark application that the task itself has started. */
async function findApplication(
  { directories }: Pick<DriveContext, 'directories'>,
  { taskRun }: TaskExecution,
  cluster: ReadyCluster | undefined,
): Promise<StepFacts> {
  if (cluster?.spark === undefined || cluster.spark.driver !== undefined) return {};
  const sparkContextId = await directories.findSparkApplication(taskRun.runId);
  return sparkContextId === undefined ? {} : { sparkContextId };
}

async function cleanUpTask(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<DriveResult> {
  await releaseOwnCluster(c, execution, task);
  return doneIfWritten(await transitionTask(c, execution, task, 'clean'));
}

function doneIfWritten(result: TransitionResult): DriveResult {
  return result === 'written' ? 'done' : result;
}

async function finishTask(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
  end: AttemptEnd,
  facts: StepFacts = {},
): Promise<TransitionResult> {
  if (end.kind === 'break') return breakTask(c, execution, task, end);
  // Without a cluster to terminate, the cleanup is over at once: both states are written together.
  const events = hasOwnCluster(execution, task) ? 'finish' : (['finish', 'clean'] as const);
  return transitionTask(c, execution, task, events, {
    ...facts,
    result: end.result,
    message: '',
    ...explainAttempt(c, execution, task, end),
  });
}

/** Returns the end of a task that was stopped before it began. */
async function endOfStopped(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<AttemptEnd> {
  return stopEnd(await describeTaskStop(c, execution, task, task.stopReason ?? 'cancel'));
}

/** Returns the end of a task without a cluster, by the fault of its settings or of the service. */
function endOfUnavailable({ kind, message, failure }: ClusterUnavailable['outcome']): AttemptEnd {
  return kind === 'failed'
    ? decideAttemptEnd({ kind, message, ...(failure && { failure }) }, undefined)
    : { kind: 'break', failure: failure ?? { kind: 'message', message, lost: true } };
}

/** Ends a task as INTERNAL_ERROR. A run whose end cannot be stored is released. */
async function breakTask(
  c: DriveContext,
  execution: RunExecution,
  task: TaskExecution,
  end: Extract<AttemptEnd, { kind: 'break' }>,
): Promise<TransitionResult> {
  try {
    await releaseOwnCluster(c, execution, task);
    // A task that was started has a result (spec 3.2).
    const started = task.taskRun.progress.state === 'RUNNING';
    return await transitionTask(c, execution, task, 'break', {
      ...explainAttempt(c, execution, task, end),
      ...(started && { result: 'FAILED' as const }),
    });
  } catch (error) {
    if (!isReleased(execution))
      c.log.error(
        { run_id: task.taskRun.runId, error: messageOf(error) },
        'The end of this task could not be stored. The run stays active until an engine adopts it; restart this engine.',
      );
    return ownershipLost;
  }
}
