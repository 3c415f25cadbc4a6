/** Tells once that a run or task lasts longer than its health rule allows (spec 2.9). */
import { messageOf } from '../errors.ts';
import type { RunNotification } from '../run/notification.ts';
import { notificationsForDuration, type NotificationSubject } from '../notification/routing.ts';
import { roundStartOf } from '../run/repair-rounds.ts';
import { warningAt } from '../run/deadlines.ts';
import { setRunTimer, isSingleTask, type RunExecution, type TaskExecution } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';

/** Arms the warning of the run itself; one whose moment has passed while nobody looked is told at once. */
export function setRunWarning(c: CoordinatorContext, active: RunExecution): void {
  active.cancelWarning?.();
  const at = active.run.warned ? undefined : warningAt(roundStartOf(active.run), active.run.settings.health);
  active.cancelWarning =
    at === undefined
      ? undefined
      : setRunTimer(active, c.clock, at, () => void recordWarning(c, active, undefined));
}

/**
 * Arms the warning of a task of a multi-task run. Call it when the start time of the task is known, which is
 * before its cluster is there.
 */
export function setTaskWarning(c: CoordinatorContext, active: RunExecution, task: TaskExecution): void {
  // A single-task run warns as the run that it is.
  if (isSingleTask(active)) return;
  task.cancelWarning?.();
  const at = task.taskRun.warned
    ? undefined
    : warningAt(task.taskRun.progress.startTime, task.settings.health);
  task.cancelWarning =
    at === undefined
      ? undefined
      : setRunTimer(active, c.clock, at, () => void recordWarning(c, active, task));
}

async function recordWarning(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution | undefined,
): Promise<void> {
  const { runId, fence } = task?.taskRun ?? active.run;
  const at = c.clock.now();
  const subject: NotificationSubject = {
    jobId: active.run.jobId,
    runId,
    now: at,
    ...(task && { taskKey: task.settings.task_key }),
  };
  markWarned(active, task);
  const storing = c.runs
    .recordDurationWarning({
      kind: task === undefined ? 'run' : 'task',
      runId,
      fence,
      at,
      notifications: notificationsForDuration(task?.settings ?? active.run.settings, subject),
    })
    .catch((error: unknown) => {
      c.log.error(
        { run_id: runId, error: messageOf(error) },
        'The warning that this run lasts too long could not be stored.',
      );
    });
  active.pendingWarnings.add(storing);
  await storing;
  active.pendingWarnings.delete(storing);
}

function markWarned(active: RunExecution, task: TaskExecution | undefined): void {
  if (task === undefined) active.run = { ...active.run, warned: true };
  else task.taskRun = { ...task.taskRun, warned: true };
}

/**
 * The warning that goes together with the end of a run or task that has lasted too long, if nobody was told
 * before; else undefined.
 */
export function lateWarningNotifications(
  active: RunExecution,
  task: TaskExecution | undefined,
  endTime: number,
  subject: NotificationSubject,
): RunNotification[] | undefined {
  const { warned } = task?.taskRun ?? active.run;
  const start = task === undefined ? roundStartOf(active.run) : task.taskRun.progress.startTime;
  const holder = task?.settings ?? active.run.settings;
  const at = warned ? undefined : warningAt(start, holder.health);
  return at === undefined || endTime < at ? undefined : notificationsForDuration(holder, subject);
}
