/** Selection of task runs: latest attempts, and the task run to show first. */
import type { Run, TaskRun } from '../api/documents.ts';
import { isActive, isFailed } from '../state-labels.ts';

/** Lists the latest attempt of each task, in the order of the settings. Attempts come oldest first. */
export function listLatestAttempts(tasks: readonly TaskRun[]): TaskRun[] {
  return [...new Map(tasks.map((taskRun) => [taskRun.task_key, taskRun])).values()];
}

/** Selects the requested task run, else the first failed, a running, or the last started one. */
export function selectTask({ tasks }: Run, requestedId: number): TaskRun | undefined {
  const latest = listLatestAttempts(tasks);
  return (
    tasks.find((taskRun) => taskRun.run_id === requestedId) ??
    latest.find(({ state }) => isFailed(state)) ??
    latest.find(({ state, start_time: start }) => isActive(state) && start > 0) ??
    latest.findLast(({ start_time: start }) => start > 0) ??
    (latest.length === 1 ? latest[0] : undefined)
  );
}

/** Lists the tasks that a repair reruns: those whose latest attempt did not succeed. */
export function listUnsuccessfulTasks(tasks: readonly TaskRun[]): TaskRun[] {
  return listLatestAttempts(tasks).filter(({ state }) => state.result_state !== 'SUCCESS');
}
