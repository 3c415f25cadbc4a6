/** The task run that an operation on one task run means. */
import { invalid, runNotFound } from '../../engine/errors.ts';
import type { RunWithTasks, TaskRun } from '../../engine/run/run.ts';

/**
 * @throws ServiceError for a run that is not there, and for one whose tasks have runs of their own, which it
 * names
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
      `Run ${runId} has tasks with runs of their own, and logs for each of them: ask for one of ${ids}${tasks.length > 10 ? ', …' : ''}.`,
    );
  }
  const taskRun = tasks.find((task) => task.runId === runId);
  if (taskRun === undefined) throw runNotFound(runId);
  return { found, taskRun };
}
