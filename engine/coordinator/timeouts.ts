/** Timeouts of runs and tasks (spec 2.2, 2.3). They may change while a run is active. */
import { messageOf } from '../errors.ts';
import { tasksOf } from '../job/job-format.ts';
import type { JobSettings } from '../job/settings.ts';
import { timeoutAt } from '../run/deadlines.ts';
import { roundStartOf } from '../run/repair-rounds.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { isSingleTask, setRunSettings, setRunTimer, stopRun, type RunExecution } from './run-execution.ts';
import { replaceWatch, setTaskSettings, stopTask, type TaskExecution } from './task-execution.ts';

type TimeoutContext = Pick<CoordinatorContext, 'clock' | 'post'>;

/**
 * Stops the task at its timeout, counted from its start time; at once when that is past. Replaces the timer
 * of an earlier call.
 */
export function setTaskTimeout(c: TimeoutContext, execution: RunExecution, task: TaskExecution): void {
  replaceWatch(task, 'timeout');
  const { runId, progress } = task.taskRun;
  const at = timeoutAt(progress.startTime, task.settings.timeout_seconds);
  if (at === undefined) return;
  const reached = { kind: 'task timeout reached', task, runId } as const;
  if (at > c.clock.now())
    replaceWatch(
      task,
      'timeout',
      setRunTimer(execution, c.clock, at, () => c.post(execution, reached)),
    );
  // A process may run: the reason is stored before the process is stopped.
  else if (progress.state === 'RUNNING') c.post(execution, reached);
  else stopTask(task, 'timeout');
}

/**
 * Stores the timeout of a task before the task is stopped: an engine that adopts the attempt in between must
 * know why it ended.
 */
export async function recordTaskTimeout(
  c: Pick<CoordinatorContext, 'runs' | 'log' | 'post'>,
  execution: RunExecution,
  task: TaskExecution,
  runId: number,
): Promise<void> {
  // A task that is being cancelled ends as CANCELED, also when another engine adopts it.
  if (task.stopReason !== undefined) return;
  await c.runs.requestTaskStop(runId).catch((error: unknown) => {
    c.log.warn(
      { run_id: runId, error: messageOf(error) },
      'The timeout of this task could not be stored; the task is stopped anyway.',
    );
  });
  c.post(execution, { kind: 'task timeout stored', task, runId });
}

/**
 * Stops the whole run at its timeout, counted from its start time, for a repaired run from the start of the
 * repair. A single-task run has the timeout of its task. Replaces the timer of an earlier call.
 */
export function setRunTimeout(c: TimeoutContext, execution: RunExecution): void {
  replaceWatch(execution, 'timeout');
  const { run } = execution;
  const at = isSingleTask(execution) ? undefined : timeoutAt(roundStartOf(run), run.settings.timeout_seconds);
  if (at === undefined) return;
  // A timeout that is past stops the run even if it is not stored: an earlier engine may have stopped the
  // tasks without storing the reason.
  if (at <= c.clock.now() && stopRun(execution, 'timeout')) c.post(execution, { kind: 'decision needed' });
  replaceWatch(
    execution,
    'timeout',
    setRunTimer(execution, c.clock, at, () => c.post(execution, { kind: 'run timeout reached' })),
  );
}

/** Stores the timeout of a run, then stops it with the stored reason: a cancel may have come first. */
export async function recordRunTimeout(
  c: Pick<CoordinatorContext, 'runs' | 'log' | 'post'>,
  execution: RunExecution,
): Promise<void> {
  const { runId } = execution.run;
  const stored = await c.runs.requestStop(runId, 'timeout').catch((error: unknown) => {
    // An engine that adopts the run computes the timeout itself.
    c.log.warn(
      { run_id: runId, error: messageOf(error) },
      'The timeout of this run could not be stored; the run is stopped anyway.',
    );
    return undefined;
  });
  const { stopReason: reason = 'timeout', stopMessage: message } = stored ?? {};
  c.post(execution, { kind: 'stop requested', reason, message });
}

/**
 * Infers why a process was stopped that this node did not stop: another node stopped it, lost the run and
 * could not store the reason. A timeout of the task or run that is past is the reason.
 */
export function inferTimeout(
  { clock }: Pick<CoordinatorContext, 'clock'>,
  execution: RunExecution,
  task: TaskExecution,
): void {
  if (task.stopReason !== undefined) return;
  const isPast = (at: number | undefined): boolean => at !== undefined && at <= clock.now();
  const { run } = execution;
  if (isPast(timeoutAt(task.taskRun.progress.startTime, task.settings.timeout_seconds)))
    stopTask(task, 'timeout');
  else if (!isSingleTask(execution) && isPast(timeoutAt(roundStartOf(run), run.settings.timeout_seconds)))
    stopRun(execution, 'timeout');
}

/** Applies changed timeouts to the run and its tasks (spec 4.1 rules 2 and 3). A stop is never taken back. */
export function updateRunTimeouts(
  c: TimeoutContext,
  execution: RunExecution,
  settings: JobSettings,
  timeoutRevision = execution.run.timeoutRevision,
): void {
  setRunSettings(execution, settings, timeoutRevision);
  for (const taskSettings of tasksOf(settings)) {
    const task = execution.tasks.get(taskSettings.task_key);
    if (task === undefined) continue;
    setTaskSettings(task, taskSettings);
    setTaskTimeout(c, execution, task);
  }
  setRunTimeout(c, execution);
}
