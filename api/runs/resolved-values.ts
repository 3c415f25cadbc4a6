/** The parameters that tasks of a run were really given: with every reference to a dynamic value resolved. */
import { tasksOf } from '../../engine/job/job-format.ts';
import type { TaskValues } from '../../engine/run/dynamic-values.ts';
import { resolveTask, upstreamTaskRuns } from '../../engine/run/resolve-task.ts';
import { runAsOfAttempt, type Repair } from '../../engine/run/repair-rounds.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import type { OutputReader, WorkspaceInfo } from '../http/ports.ts';

/**
 * `resolved_values` of each task run whose work has begun, by its id; a task whose references have no value
 * has none.
 */
export async function collectResolvedValues(
  stored: RunWithTasks,
  repairs: readonly Repair[],
  outputs: Pick<OutputReader, 'readTaskValues'>,
  workspaceInfo: WorkspaceInfo,
): Promise<Map<number, object>> {
  const byKey = new Map(tasksOf(stored.run.settings).map((task) => [task.task_key, task]));
  const read = new Map<number, Promise<TaskValues>>();
  const found = new Map<number, object>();
  for (const taskRun of stored.tasks) {
    const task = byKey.get(taskRun.taskKey);
    if (task === undefined || taskRun.progress.runningTime === undefined) continue;
    // A repair may have given the run other parameters, and tasks before this one other attempts.
    const { run, tasks } = runAsOfAttempt(taskRun.runId, stored, repairs);
    // Attempts come oldest first: the latest of each task stays.
    const latestAttempts = new Map(tasks.map((one) => [one.taskKey, one]));
    const moment = { run, task, taskRun, latestAttempts };
    const values = new Map<string, TaskValues>();
    for (const { taskKey, runId } of upstreamTaskRuns(moment)) {
      const own = read.get(runId) ?? outputs.readTaskValues(runId);
      read.set(runId, own);
      values.set(taskKey, await own);
    }
    const resolved = resolveTask(moment, workspaceInfo, values);
    if ('kind' in resolved) found.set(taskRun.runId, { [resolved.kind]: resolved.parameters });
  }
  return found;
}
