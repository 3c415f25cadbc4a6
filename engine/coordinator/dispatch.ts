/**
 * Drives one attempt of one task from wherever it stands to its end: cluster, runner, cleanup. After a
 * restart it goes on from the stored state; asking the runner again attaches to the process that is there.
 */
import { messageOf } from '../errors.ts';
import type { Outcome } from '../run/assignment.ts';
import { decideAfterAttempt, type AfterAttempt } from '../run/attempt.ts';
import { maskOf, maskText, type Mask } from '../run/masking.ts';
import { stopMessage } from '../run/roll-up.ts';
import { atTime, isSingle, type ActiveRun, type ActiveTask } from './active-run.ts';
import { assignmentOf } from './assign.ts';
import { beginUse, endUse } from './cluster-use.ts';
import { acquireCluster, NoCluster, releaseOwnCluster } from './compute.ts';
import { isHeldBack, type Coordination } from './coordination.ts';
import { launchChild } from './launch-child.ts';
import { abandonLibraries, withLibraries, type EquippedCluster } from './libraries.ts';
import { runJobTask } from './run-job.ts';
import { armTimeout, supposeTimeout } from './stop.ts';
import { armTaskWarning } from './warn.ts';
import { LetGo, moveTask } from './write.ts';

type Equipped = Exclude<EquippedCluster, { readonly failed: string }>;

/** Never rejects. The run is looked at again when the task is over. */
export async function driveTask(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<void> {
  try {
    await drive(c, active, task);
  } catch (error) {
    if (error instanceof LetGo || c.closing()) return c.letGo(active);
    task.leaveCluster?.();
    c.log.error(
      { run_id: task.taskRun.runId, task_key: task.settings.task_key, error: messageOf(error) },
      'The engine failed this task; it ends as INTERNAL_ERROR.',
    );
    await breakTask(c, active, task, `The engine failed this task: ${messageOf(error)}`);
  }
  c.advance(active);
}

async function drive(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<void> {
  const state = (): string => task.taskRun.progress.state;
  let cluster: Equipped | undefined;
  if (state() === 'PENDING' && (await stoppedBeforeDue(c, active, task))) return;
  if (state() === 'PENDING' || state() === 'RUNNING') {
    if (task.stopReason === undefined || state() === 'RUNNING') {
      const got = await prepare(c, active, task);
      if (got instanceof NoCluster) return endWithout(c, active, task, got);
      cluster = got;
    }
    // Nothing begins while this node drains: another one starts the task.
    if (state() === 'PENDING' && task.stopReason === undefined) return;
    if (state() === 'PENDING') {
      task.leaveCluster?.();
      await abandonLibraries(c, task);
      await finish(c, active, task, decideAfterAttempt({ kind: 'stopped' }, task.stopReason));
    }
  }
  if (state() === 'RUNNING') {
    const decision = await execute(c, active, task, cluster);
    // Before the end is written: after that the task may have begun its next attempt.
    task.leaveCluster?.();
    const ending = { lost: task.lostCluster !== undefined, livesOn: task.settings.new_cluster === undefined };
    await finish(c, active, task, decision);
    if (cluster !== undefined) await endUse(c, cluster, ending);
  }
  if (state() === 'TERMINATING') await cleanTask(c, active, task);
}

async function cleanTask(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<void> {
  await releaseOwnCluster(c, active, task);
  await moveTask(c, active, task, 'clean');
}

/** A task whose cluster cannot be had: it never began. */
async function endWithout(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  { outcome }: NoCluster,
): Promise<void> {
  task.leaveCluster?.();
  await finish(
    c,
    active,
    task,
    decideAfterAttempt(task.stopReason === undefined ? outcome : { kind: 'stopped' }, task.stopReason),
  );
  if (task.taskRun.progress.state === 'TERMINATING') await cleanTask(c, active, task);
}

/**
 * Waits for the time of a retry. True when a task was stopped meanwhile: it never started, and ends as
 * SKIPPED.
 */
async function stoppedBeforeDue(c: Coordination, active: ActiveRun, task: ActiveTask): Promise<boolean> {
  const { dueTime } = task.taskRun;
  if (dueTime === undefined || dueTime <= c.clock.now()) return false;
  if (task.stopReason === undefined) {
    await new Promise<void>((resolve) => {
      task.interrupt = resolve;
      atTime(active, c.clock, dueTime, resolve);
    });
    task.interrupt = undefined;
  }
  if (task.stopReason === undefined || isSingle(active)) return false;
  await moveTask(c, active, task, 'skip', { message: stopMessage[task.stopReason] });
  return true;
}

/**
 * Gets the cluster with its libraries and moves the task to RUNNING, unless it is to stop by then, or cannot
 * start.
 */
async function prepare(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
): Promise<Equipped | NoCluster | undefined> {
  armTimeout(c, active, task);
  armTaskWarning(c, active, task);
  const acquired = await acquireCluster(c, active, task).catch((error: unknown) => {
    if (error instanceof NoCluster) return error;
    throw error;
  });
  if (acquired instanceof NoCluster) return acquired;
  const cluster = acquired && (await withLibraries(c, active, task, acquired));
  if (c.closing()) throw new LetGo();
  if (cluster !== undefined && 'failed' in cluster)
    return new NoCluster({ kind: 'failed', message: cluster.failed });
  if (cluster?.deliversLogs === true) await c.compute.provider.logsOf(cluster.clusterId, task.taskRun.runId);
  if (task.taskRun.progress.state === 'PENDING' && task.stopReason === undefined && !isHeldBack(c, active)) {
    await moveTask(c, active, task, 'begin', {
      message: '',
      ...(cluster && { clusterId: cluster.clusterId, sparkContextId: cluster.sparkContextId }),
    });
    armTimeout(c, active, task);
    armTaskWarning(c, active, task);
  }
  return cluster;
}

async function execute(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  cluster: Equipped | undefined,
): Promise<AfterAttempt> {
  const assignment = await assignmentOf(c, active, task, cluster);
  if ('error' in assignment)
    return decideAfterAttempt({ kind: 'failed', message: assignment.error }, undefined);
  if (cluster !== undefined) await beginUse(c, active, task, cluster);
  if (c.closing()) throw new LetGo();
  if (assignment.kind === 'run_job_task') return runJobTask(c, active, task, assignment.task);
  if (assignment.kind === 'pipeline_task') await c.updates?.settle(assignment);
  if (c.closing()) throw new LetGo();
  task.pooled = c.pool.run(assignment, {
    launch: (key, request, stop) => launchChild(c, active, task, key, request, stop),
  });
  if (task.stopReason !== undefined || task.lostCluster !== undefined) task.pooled.stop();
  const outcome = shownOutcome(
    await task.pooled.outcome,
    maskOf(active.run.settings, cluster === undefined ? [] : [cluster.environment]),
  );
  if (c.closing()) throw new LetGo();
  task.pooled = undefined;
  if (outcome.kind === 'stopped') supposeTimeout(c, active, task);
  if (outcome.kind === 'stopped' && task.stopReason === undefined && task.lostCluster !== undefined)
    return { kind: 'break', message: task.lostCluster };
  return decideAfterAttempt(outcome, task.stopReason);
}

/**
 * A runner may tell what a task has written: from here on its message is shown to whoever may see the run,
 * and sent to others.
 */
function shownOutcome(outcome: Outcome, mask: Mask): Outcome {
  return 'message' in outcome ? { ...outcome, message: maskText(mask, outcome.message) } : outcome;
}

async function finish(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  decision: AfterAttempt,
): Promise<void> {
  if (decision.kind === 'break') await breakTask(c, active, task, decision.message);
  else await moveTask(c, active, task, 'finish', { result: decision.result, message: decision.message });
}

async function breakTask(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  message: string,
): Promise<void> {
  try {
    await releaseOwnCluster(c, active, task);
    // A result is there as soon as the task was started (spec 3.2).
    const started = task.taskRun.progress.state === 'RUNNING';
    await moveTask(c, active, task, 'break', { message, ...(started && { result: 'FAILED' as const }) });
  } catch (error) {
    c.letGo(active);
    if (error instanceof LetGo || c.closing()) return;
    c.log.error(
      { run_id: task.taskRun.runId, error: messageOf(error) },
      'The end of this task could not be stored. The run stays active until an engine adopts it: restart this one.',
    );
  }
}
