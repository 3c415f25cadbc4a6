/** Task runs of a run: which is the latest attempt of a task, and which one a reader wants to see first. */
import type { Run, TaskRun } from '../api/documents.ts';
import { isActive, isFailed } from '../state-labels.ts';

/** The latest attempt of each task, in the order of the settings. Attempts come oldest first. */
export function listLatestAttempts(tasks: readonly TaskRun[]): TaskRun[] {
  return [...new Map(tasks.map((taskRun) => [taskRun.task_key, taskRun])).values()];
}

/** A run of one task is its own task run: it has the same id, and no graph. */
export function isSingleTask({ run_id: runId, tasks }: Run): boolean {
  return tasks.length === 1 && tasks[0]?.run_id === runId;
}

/**
 * The task run that is shown: the one that was asked for, else the first that failed, one that is running, or
 * the last that has begun.
 */
export function selectTask({ tasks }: Run, askedId: number): TaskRun | undefined {
  const latest = listLatestAttempts(tasks);
  return (
    tasks.find((taskRun) => taskRun.run_id === askedId) ??
    latest.find(({ state }) => isFailed(state)) ??
    latest.find(({ state, start_time: start }) => isActive(state) && start > 0) ??
    latest.findLast(({ start_time: start }) => start > 0) ??
    (latest.length === 1 ? latest[0] : undefined)
  );
}

/**
 * How many tasks a repair of everything that failed would run again: those that did not succeed, latest
 * attempt counting.
 */
export function listUnsuccessfulTasks(tasks: readonly TaskRun[]): TaskRun[] {
  return listLatestAttempts(tasks).filter(({ state }) => state.result_state !== 'SUCCESS');
}
