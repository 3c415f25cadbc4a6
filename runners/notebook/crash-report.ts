/** Completes the report of a notebook whose process ended early. */
import type { NotebookCell, NotebookReport } from '../../engine/run/task-output.ts';

/** Returns the cell that was running when the report was last written: started and not finished. */
export function findRunningCell(report: NotebookReport): NotebookCell | undefined {
  return report.cells.find((cell) => cell.startTime !== undefined && cell.finishTime === undefined);
}

/** Returns the report with the running cell marked as failed. */
export function markCrashed(report: NotebookReport, reason: string): NotebookReport {
  const running = findRunningCell(report);
  if (running === undefined) return report;
  // Idempotent, because the runner is called again after a restart of the engine.
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
