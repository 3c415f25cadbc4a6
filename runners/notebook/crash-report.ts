/** What the report of a notebook says when its process ended before the notebook did. */
import type { NotebookCell, NotebookReport } from '../../engine/run/task-output.ts';

/** The cell that was running when the report was last written: it has a start and no end. */
export function findRunningCell(report: NotebookReport): NotebookCell | undefined {
  return report.cells.find((cell) => cell.startTime !== undefined && cell.finishTime === undefined);
}

/** The report with the cell that was running marked as failed, for the reason given. */
export function markCrashed(report: NotebookReport, reason: string): NotebookReport {
  const running = findRunningCell(report);
  if (running === undefined) return report;
  // What it showed until then stays; called again after a restart of the engine, this comes to the same.
  const shown = running.outputs.filter(({ type }) => type !== 'error');
  const failed: NotebookCell = {
    ...running,
    status: 'failed',
    outputs: [...shown, { type: 'error', summary: reason, trace: reason }],
  };
  return {
    ...report,
    cells: report.cells.map((cell) => (cell === running ? failed : cell)),
    error: { summary: reason, trace: reason, cell: running.position },
  };
}
