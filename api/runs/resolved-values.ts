/** Parameters of tasks with all dynamic value references resolved. */
import { tasksOf } from '../../engine/job/job-format.ts';
import type { TaskValues } from '../../engine/run/dynamic-values.ts';
import { resolveTask, upstreamTaskRuns } from '../../engine/run/resolve-task.ts';
import { runAsOfAttempt, type Repair } from '../../engine/run/repair-rounds.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import type { OutputReader, WorkspaceInfo } from '../http/ports.ts';

/**
 * Returns `resolved_values` by id of the task run, for task runs that started and whose references all have
 * values.
 */
export async function collectResolvedValues(
  stored: RunWithTasks,
  repairs: readonly Repair[],
  outputs: Pick<OutputReader, 'readTaskValues'>,
  workspaceInfo: WorkspaceInfo,
): Promise<Map<number, object>> {
  const read = new Map<number, Promise<TaskValues>>();
  const found = new Map<number, object>();
  for (const taskRun of stored.tasks) {
    if (taskRun.progress.runningTime === undefined) continue;
    // A repair may have changed settings, run parameters and the attempts of upstream tasks.
    const { run, tasks } = runAsOfAttempt(taskRun.runId, stored, repairs);
    const task = tasksOf(run.settings).find((one) => one.task_key === taskRun.taskKey);
    if (task === undefined) continue;
    // Attempts are ordered oldest first, so the map keeps the latest one of each task.
    const latestAttempts = new Map(tasks.map((one) => [one.taskKey, one]));
    const scope = { run, task, taskRun, latestAttempts };
    const values = new Map<string, TaskValues>();
    for (const { taskKey, runId } of upstreamTaskRuns(scope)) {
      const own = read.get(runId) ?? outputs.readTaskValues(runId);
      read.set(runId, own);
      values.set(taskKey, await own);
    }
    const resolved = resolveTask(scope, workspaceInfo, values);
    if ('kind' in resolved) found.set(taskRun.runId, { [resolved.kind]: resolved.parameters });
  }
  return found;
}
