/** Stopping tasks and runs: on request, or when their time is over, which may change meanwhile. */
import { messageOf } from '../errors.ts';
import { tasksOf } from '../job/job-format.ts';
import type { JobSettings } from '../job/settings.ts';
import { roundStartOf } from '../run/repair-rounds.ts';
import { timeoutAt } from '../run/deadlines.ts';
import { isTerminal, type StopReason } from '../run/states.ts';
import { setRunTimer, isSingleTask, type RunExecution, type TaskExecution } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/** Asks a task to stop, wherever it stands. The first reason stays. */
export function stopTask(task: TaskExecution, reason: StopReason): void {
  if (isTerminal(task.taskRun.progress.state)) return;
  task.stopReason ??= reason;
  task.interruptWait?.();
  task.pooledTask?.stop();
}

/** Asks a run and its started tasks to stop; false when that was asked before. */
export function stopRun(active: RunExecution, reason: StopReason): boolean {
  if (active.run.stopReason !== undefined) return false;
  active.run = { ...active.run, stopReason: reason };
  for (const task of active.tasks.values()) if (task.started) stopTask(task, reason);
  return true;
}

/**
 * Stops the task when its timeout strikes (spec 2.3 timeout_seconds, from its start time); at once when that
 * is past. What was armed before is taken back.
 */
export function setTaskTimeout(c: CoordinatorContext, active: RunExecution, task: TaskExecution): void {
  task.cancelTimeout?.();
  task.cancelTimeout = undefined;
  const at = timeoutAt(task.taskRun.progress.startTime, task.settings.timeout_seconds);
  if (at === undefined) return;
  if (at > c.clock.now())
    task.cancelTimeout = setRunTimer(active, c.clock, at, () => void stopTaskOnTimeout(c, task));
  // A process may run: why it ends is stored before it is told.
  else if (task.taskRun.progress.state === 'RUNNING') void stopTaskOnTimeout(c, task);
  else stopTask(task, 'timeout');
}

/** Stored first: whoever adopts the attempt between the signal and its end must know why it ended. */
async function stopTaskOnTimeout(c: CoordinatorContext, task: TaskExecution): Promise<void> {
  // One that is being cancelled ends as cancelled, also when another engine adopts it.
  if (task.stopReason !== undefined) return;
  const { runId } = task.taskRun;
  await c.runs.requestTaskStop(runId).catch((error: unknown) => {
    c.log.warn(
      { run_id: runId, error: messageOf(error) },
      'The timeout of this task could not be stored; it is stopped all the same.',
    );
  });
  // Its attempt may be over by now, and another one have begun.
  if (task.taskRun.runId === runId) stopTask(task, 'timeout');
}

/**
 * Stops the whole run when its timeout strikes, counted from its start time, for a repaired run from that of
 * the repair. The timeout of a single-task run is that of its task. What was armed before is taken back.
 */
export function setRunTimeout(c: CoordinatorContext, active: RunExecution): void {
  active.cancelTimeout?.();
  active.cancelTimeout = undefined;
  const { run } = active;
  const at = isSingleTask(active) ? undefined : timeoutAt(roundStartOf(run), run.settings.timeout_seconds);
  if (at === undefined) return;
  // Not only when it is stored: an engine before may have ended its tasks for it without being able to say
  // so.
  if (at <= c.clock.now() && stopRun(active, 'timeout')) c.advance(active);
  active.cancelTimeout = setRunTimer(active, c.clock, at, () => c.stopOnTimeout(active));
}

/**
 * A process that was ended, and not by this node, was ended by one that has lost the run since and could not
 * say why: when its time is over, or that of its run, this is the reason.
 */
export function inferTimeout(c: CoordinatorContext, active: RunExecution, task: TaskExecution): void {
  if (task.stopReason !== undefined) return;
  const isOver = (at: number | undefined): boolean => at !== undefined && at <= c.clock.now();
  const { run } = active;
  if (isOver(timeoutAt(task.taskRun.progress.startTime, task.settings.timeout_seconds)))
    stopTask(task, 'timeout');
  else if (!isSingleTask(active) && isOver(timeoutAt(roundStartOf(run), run.settings.timeout_seconds)))
    stopRun(active, 'timeout');
}

/**
 * Gives the run and its tasks other timeouts (spec 4.1 rules 2 and 3). What has timed out already stays so.
 */
export function updateRunTimeouts(
  c: CoordinatorContext,
  active: RunExecution,
  settings: JobSettings,
  revision = active.run.timeoutRevision,
): void {
  active.run = { ...active.run, settings, timeoutRevision: revision };
  for (const own of tasksOf(settings)) {
    const task = active.tasks.get(own.task_key);
    if (task === undefined) continue;
    task.settings = own;
    setTaskTimeout(c, active, task);
  }
  setRunTimeout(c, active);
}
