/**
 * Drives one attempt of one task from wherever it stands to its end: cluster, runner, cleanup. After a
 * restart it goes on from the stored state; asking the runner again attaches to the process that is there.
 */
import { messageOf } from '../errors.ts';
import type { TaskOutcome } from '../run/assignment.ts';
import { decideAttemptEnd, type AttemptEnd } from '../run/attempt-end.ts';
import { maskOfSettings, maskText, type Mask } from '../run/masking.ts';
import { stopMessage } from '../run/roll-up.ts';
import { setRunTimer, isSingleTask, type RunExecution, type TaskExecution } from './run-execution.ts';
import { buildAssignment } from './build-assignment.ts';
import { beginClusterUse, endClusterUse } from './cluster-use.ts';
import { acquireCluster, ClusterUnavailable, releaseOwnCluster } from './acquire-cluster.ts';
import { isBlockedByDrain, type CoordinatorContext } from './coordinator-context.ts';
import { launchChildAndWait } from './launch-child.ts';
import { stopLibraryInstallers, prepareLibraries, type PreparedCluster } from './library-manager.ts';
import { runJobTask } from './run-job-task.ts';
import { setTaskTimeout, inferTimeout } from './stop.ts';
import { setTaskWarning } from './duration-warnings.ts';
import { OwnershipLost, transitionTask } from './transition-run.ts';

type ReadyCluster = Exclude<PreparedCluster, { readonly failed: string }>;

/** Never rejects. The run is looked at again when the task is over. */
export async function driveTask(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
): Promise<void> {
  try {
    await driveAttempt(c, active, task);
  } catch (error) {
    if (error instanceof OwnershipLost || c.isClosing()) return c.release(active);
    task.unwatchCluster?.();
    c.log.error(
      { run_id: task.taskRun.runId, task_key: task.settings.task_key, error: messageOf(error) },
      'The engine failed this task; it ends as INTERNAL_ERROR.',
    );
    await failTaskInternally(c, active, task, `The engine failed this task: ${messageOf(error)}`);
  }
  c.advance(active);
}

async function driveAttempt(c: CoordinatorContext, active: RunExecution, task: TaskExecution): Promise<void> {
  const state = (): string => task.taskRun.progress.state;
  let cluster: ReadyCluster | undefined;
  if (state() === 'PENDING' && (await isStoppedBeforeDue(c, active, task))) return;
  if (state() === 'PENDING' || state() === 'RUNNING') {
    if (task.stopReason === undefined || state() === 'RUNNING') {
      const got = await prepareTask(c, active, task);
      if (got instanceof ClusterUnavailable) return endWithoutCluster(c, active, task, got);
      cluster = got;
    }
    // Nothing begins while this node drains: another one starts the task.
    if (state() === 'PENDING' && task.stopReason === undefined) return;
    if (state() === 'PENDING') {
      task.unwatchCluster?.();
      await stopLibraryInstallers(c, task);
      await finishTask(c, active, task, decideAttemptEnd({ kind: 'stopped' }, task.stopReason));
    }
  }
  if (state() === 'RUNNING') {
    const decision = await executeTask(c, active, task, cluster);
    // Before the end is written: after that the task may have begun its next attempt.
    task.unwatchCluster?.();
    const ending = {
      lost: task.clusterLossMessage !== undefined,
      livesOn: task.settings.new_cluster === undefined,
    };
    await finishTask(c, active, task, decision);
    if (cluster !== undefined) await endClusterUse(c, cluster, ending);
  }
  if (state() === 'TERMINATING') await cleanUpTask(c, active, task);
}

async function cleanUpTask(c: CoordinatorContext, active: RunExecution, task: TaskExecution): Promise<void> {
  await releaseOwnCluster(c, active, task);
  await transitionTask(c, active, task, 'clean');
}

/** A task whose cluster cannot be had: it never began. */
async function endWithoutCluster(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  { outcome }: ClusterUnavailable,
): Promise<void> {
  task.unwatchCluster?.();
  await finishTask(
    c,
    active,
    task,
    decideAttemptEnd(task.stopReason === undefined ? outcome : { kind: 'stopped' }, task.stopReason),
  );
  if (task.taskRun.progress.state === 'TERMINATING') await cleanUpTask(c, active, task);
}

/**
 * Waits for the time of a retry. True when a task was stopped meanwhile: it never started, and ends as
 * SKIPPED.
 */
async function isStoppedBeforeDue(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
): Promise<boolean> {
  const { dueTime } = task.taskRun;
  if (dueTime === undefined || dueTime <= c.clock.now()) return false;
  if (task.stopReason === undefined) {
    await new Promise<void>((resolve) => {
      task.interruptWait = resolve;
      setRunTimer(active, c.clock, dueTime, resolve);
    });
    task.interruptWait = undefined;
  }
  if (task.stopReason === undefined || isSingleTask(active)) return false;
  await transitionTask(c, active, task, 'skip', { message: stopMessage[task.stopReason] });
  return true;
}

/**
 * Gets the cluster with its libraries and moves the task to RUNNING, unless it is to stop by then, or cannot
 * start.
 */
async function prepareTask(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
): Promise<ReadyCluster | ClusterUnavailable | undefined> {
  setTaskTimeout(c, active, task);
  setTaskWarning(c, active, task);
  const acquired = await acquireCluster(c, active, task).catch((error: unknown) => {
    if (error instanceof ClusterUnavailable) return error;
    throw error;
  });
  if (acquired instanceof ClusterUnavailable) return acquired;
  const cluster = acquired && (await prepareLibraries(c, active, task, acquired));
  if (c.isClosing()) throw new OwnershipLost();
  if (cluster !== undefined && 'failed' in cluster)
    return new ClusterUnavailable({ kind: 'failed', message: cluster.failed });
  if (cluster?.deliversLogs === true)
    await c.compute.provider.attachLogs(cluster.clusterId, task.taskRun.runId);
  if (
    task.taskRun.progress.state === 'PENDING' &&
    task.stopReason === undefined &&
    !isBlockedByDrain(c, active)
  ) {
    await transitionTask(c, active, task, 'begin', {
      message: '',
      ...(cluster && { clusterId: cluster.clusterId, sparkContextId: cluster.sparkContextId }),
    });
    setTaskTimeout(c, active, task);
    setTaskWarning(c, active, task);
  }
  return cluster;
}

async function executeTask(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  cluster: ReadyCluster | undefined,
): Promise<AttemptEnd> {
  const assignment = await buildAssignment(c, active, task, cluster);
  if ('error' in assignment)
    return decideAttemptEnd({ kind: 'failed', message: assignment.error }, undefined);
  if (cluster !== undefined) await beginClusterUse(c, active, task, cluster);
  if (c.isClosing()) throw new OwnershipLost();
  if (assignment.kind === 'run_job_task') return runJobTask(c, active, task, assignment.task);
  if (assignment.kind === 'pipeline_task') await c.updatePlanner?.prepareUpdate(assignment);
  if (c.isClosing()) throw new OwnershipLost();
  task.pooledTask = c.pool.run(assignment, {
    launchChild: (key, request, stop) => launchChildAndWait(c, active, task, key, request, stop),
  });
  if (task.stopReason !== undefined || task.clusterLossMessage !== undefined) task.pooledTask.stop();
  const outcome = maskOutcome(
    await task.pooledTask.outcome,
    maskOfSettings(active.run.settings, cluster === undefined ? [] : [cluster.environment]),
  );
  if (c.isClosing()) throw new OwnershipLost();
  task.pooledTask = undefined;
  if (outcome.kind === 'stopped') inferTimeout(c, active, task);
  if (outcome.kind === 'stopped' && task.stopReason === undefined && task.clusterLossMessage !== undefined)
    return { kind: 'break', message: task.clusterLossMessage };
  return decideAttemptEnd(outcome, task.stopReason);
}

/**
 * A runner may tell what a task has written: from here on its message is shown to whoever may see the run,
 * and sent to others.
 */
function maskOutcome(outcome: TaskOutcome, mask: Mask): TaskOutcome {
  return 'message' in outcome ? { ...outcome, message: maskText(mask, outcome.message) } : outcome;
}

async function finishTask(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  decision: AttemptEnd,
): Promise<void> {
  if (decision.kind === 'break') await failTaskInternally(c, active, task, decision.message);
  else
    await transitionTask(c, active, task, 'finish', { result: decision.result, message: decision.message });
}

async function failTaskInternally(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  message: string,
): Promise<void> {
  try {
    await releaseOwnCluster(c, active, task);
    // A result is there as soon as the task was started (spec 3.2).
    const started = task.taskRun.progress.state === 'RUNNING';
    await transitionTask(c, active, task, 'break', {
      message,
      ...(started && { result: 'FAILED' as const }),
    });
  } catch (error) {
    c.release(active);
    if (error instanceof OwnershipLost || c.isClosing()) return;
    c.log.error(
      { run_id: task.taskRun.runId, error: messageOf(error) },
      'The end of this task could not be stored. The run stays active until an engine adopts it: restart this one.',
    );
  }
}
