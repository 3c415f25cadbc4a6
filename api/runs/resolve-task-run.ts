/** Resolution of a run_id to one task run. */
import { invalid, runNotFound } from '../../engine/errors.ts';
import type { RunWithTasks, TaskRun } from '../../engine/run/run.ts';

/**
 * Returns the task run of an id: the task run itself, or the one of a single-task run.
 * @throws ServiceError for an unknown run, and for a multi-task run; the message lists its task runs
 */
export function resolveTaskRun(
  found: RunWithTasks | undefined,
  runId: number,
): { readonly found: RunWithTasks; readonly taskRun: TaskRun } {
  if (found === undefined) throw runNotFound(runId);
  const { run, tasks } = found;
  if (run.runId === runId && run.format === 'MULTI_TASK') {
    const ids = tasks
      .slice(0, 10)
      .map((task) => `${task.runId} (${task.taskKey})`)
      .join(', ');
    throw invalid(
      `Run ${runId} has several tasks, each with its own logs: use one of the task runs ${ids}${tasks.length > 10 ? ', …' : ''}.`,
    );
  }
  const taskRun = tasks.find((task) => task.runId === runId);
  if (taskRun === undefined) throw runNotFound(runId);
  return { found, taskRun };
}
