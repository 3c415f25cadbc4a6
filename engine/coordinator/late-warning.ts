/** Duration warnings that are stored together with an end (spec 2.9). */
import { notificationsForDuration, type NotificationSubject } from '../notification/routing.ts';
import { warningAt } from '../run/deadlines.ts';
import type { RunNotification } from '../run/notification.ts';
import { roundStartOf } from '../run/repair-rounds.ts';
import type { RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';

/**
 * Returns the warning of a run or task that ends after its health rule's limit; undefined when it ends in
 * time or the warning was sent before.
 */
export function lateWarningNotifications(
  { run }: Pick<RunExecution, 'run'>,
  task: Pick<TaskExecution, 'settings' | 'taskRun'> | undefined,
  endTime: number,
  subject: NotificationSubject,
): RunNotification[] | undefined {
  const { warned } = task?.taskRun ?? run;
  const start = task === undefined ? roundStartOf(run) : task.taskRun.progress.startTime;
  const holder = task?.settings ?? run.settings;
  const at = warned ? undefined : warningAt(start, holder.health);
  return at === undefined || endTime < at ? undefined : notificationsForDuration(holder, subject);
}
