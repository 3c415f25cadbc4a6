/** Stopping one task: on request, or when its time is over. */
import { timeoutAt } from '../run/timers.ts';
import { isTerminal, type StopReason } from '../run/states.ts';
import { atTime, type ActiveRun, type ActiveTask } from './active-run.ts';
import type { Coordination } from './coordination.ts';

/** Asks a task to stop, wherever it stands. The first reason stays. */
export function stopTask(task: ActiveTask, reason: StopReason): void {
  if (isTerminal(task.taskRun.progress.state)) return;
  task.stopReason ??= reason;
  task.interrupt?.();
  task.pooled?.stop();
}

/** Stops the task when its timeout strikes (spec 2.3 timeout_seconds, from its start time); at once when that is past. */
export function armTimeout(c: Coordination, active: ActiveRun, task: ActiveTask): void {
  const at = timeoutAt(task.taskRun.progress.startTime, task.settings.timeout_seconds);
  if (at === undefined) return;
  if (at <= c.clock.now()) stopTask(task, 'timeout');
  else atTime(active, c.clock, at, () => stopTask(task, 'timeout'));
}
