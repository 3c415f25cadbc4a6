/** Repair history in runs/get with include_history: the original run, then its repairs. */
import { roundsOf, type Repair } from '../../engine/run/repair-rounds.ts';
import type { RunWithTasks } from '../../engine/run/run.ts';
import { statusOf } from '../../engine/run/run-status.ts';
import { shownFormat } from '../http/api-versions.ts';
import { toMultiTaskStateView, toStateView, type ViewContext } from './run-view-fields.ts';

/**
 * Returns `repair_history` of a run, oldest first.
 * @param repairs all repairs of the run, oldest first
 */
export function toRepairHistory(
  found: RunWithTasks,
  repairs: readonly Repair[],
  context: ViewContext,
): object[] {
  const isMultiTask = shownFormat(found.run.format, context.version) === 'MULTI_TASK';
  return roundsOf(found, repairs).map(({ repairId, progress, taskRunIds }) => ({
    type: repairId === undefined ? 'ORIGINAL' : 'REPAIR',
    id: repairId,
    start_time: progress.startTime ?? 0,
    end_time: progress.endTime ?? 0,
    state: isMultiTask ? toMultiTaskStateView(progress, context) : toStateView(progress),
    status: context.version === '2.0' ? undefined : statusOf(progress),
    explanation: progress.explanation,
    task_run_ids: taskRunIds,
  }));
}
