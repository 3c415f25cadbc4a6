/** Duration warnings: sent once when a run or task exceeds its health rule (spec 2.9). */
import { messageOf } from '../errors.ts';
import { notificationsForDuration } from '../notification/routing.ts';
import { warningAt } from '../run/deadlines.ts';
import { roundStartOf } from '../run/repair-rounds.ts';
import { isPlannedRetry } from '../run/retry.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { isSingleTask, markRunWarned, setRunTimer, type RunExecution } from './run-execution.ts';
import { markTaskWarned, replaceWatch, type TaskExecution } from './task-execution.ts';

type WarningContext = Pick<CoordinatorContext, 'clock' | 'post'>;

/**
 * Sets the timer of the run's own warning; a warning that is overdue is sent at once. A retry that waits for its
 * time has none yet.
 */
export function setRunWarning(c: WarningContext, execution: RunExecution): void {
  const { run, tasks } = execution;
  const waits =
    isPlannedRetry(run) && [...tasks.values()].every((task) => task.taskRun.progress.startTime === undefined);
  const at = run.warned || waits ? undefined : warningAt(roundStartOf(run), run.settings.health);
  setWarning(c, execution, undefined, at);
}

/** Sets the timer of a task's warning, as soon as the start time of the task is known. */
export function setTaskWarning(c: WarningContext, execution: RunExecution, task: TaskExecution): void {
  // A single-task run has one warning: that of the run.
  if (isSingleTask(execution)) return;
  const { warned, progress } = task.taskRun;
  setWarning(c, execution, task, warned ? undefined : warningAt(progress.startTime, task.settings.health));
}

function setWarning(
  c: WarningContext,
  execution: RunExecution,
  task: TaskExecution | undefined,
  at: number | undefined,
): void {
  const holder = task ?? execution;
  replaceWatch(holder, 'warning');
  if (at === undefined) return;
  const exceeded = { kind: 'duration exceeded', task } as const;
  replaceWatch(
    holder,
    'warning',
    setRunTimer(execution, c.clock, at, () => c.post(execution, exceeded)),
  );
}

/** Stores the warning of a run or task with its notifications. */
export async function recordWarning(
  c: Pick<CoordinatorContext, 'runs' | 'clock' | 'log'>,
  execution: RunExecution,
  task: TaskExecution | undefined,
): Promise<void> {
  const { run } = execution;
  const { runId, fence } = task?.taskRun ?? run;
  const at = c.clock.now();
  if (task === undefined) markRunWarned(execution);
  else markTaskWarned(task);
  const storing = c.runs
    .recordDurationWarning({
      kind: task === undefined ? 'run' : 'task',
      runId,
      fence,
      at,
      notifications: notificationsForDuration(task?.settings ?? run.settings, {
        jobId: run.jobId,
        runId,
        now: at,
        ...(task && { taskKey: task.settings.task_key }),
      }),
    })
    .catch((error: unknown) => {
      c.log.error(
        { run_id: runId, error: messageOf(error) },
        'The duration warning of this run could not be stored.',
      );
    });
  execution.pendingWarnings.add(storing);
  await storing;
  execution.pendingWarnings.delete(storing);
}
