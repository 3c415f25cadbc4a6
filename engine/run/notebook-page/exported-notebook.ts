/** Exported notebook, its cells and their phases. */
import type { CellOutput, NotebookCell, NotebookReport } from '../task-output.ts';
import type { Progress } from '../run.ts';
import { isTerminal } from '../states.ts';

/** Attempt of a notebook task, or a notebook of the workspace. */
export interface ExportedNotebook {
  /** Undefined for a notebook of the workspace; the page then shows no run. */
  readonly runId: number | undefined;
  readonly jobName: string;
  readonly taskKey: string;
  /** Path in the workspace, as in the task. */
  readonly path: string;
  /** Parameters that the notebook received. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly progress: Progress;
  /** Absent when the notebook never started. */
  readonly report: NotebookReport | undefined;
  /** Text of a notebook that never started. */
  readonly source: string | undefined;
  /** Reason of the failure in one sentence; '' without one. */
  readonly failure: string;
}

/** Phase of a cell. `waiting`: not reached yet; `skipped`: never reached; `interrupted`: end unknown. */
export type CellPhase = 'finished' | 'failed' | 'running' | 'interrupted' | 'waiting' | 'skipped';

/** Returns the last part of the path without its extension. */
export function notebookNameOf({ path }: Pick<ExportedNotebook, 'path'>): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?<=.)\.(py|sql|js|scala|r|ipynb)$/i, '');
  return name === '' ? path : name;
}

export function isActive({ progress }: Pick<ExportedNotebook, 'progress'>): boolean {
  return !isTerminal(progress.state);
}

/** Returns the cells of the report; without a report, the text of the notebook as one skipped cell. */
export function cellsOf({
  report,
  source = '',
}: Pick<ExportedNotebook, 'report' | 'source'>): readonly NotebookCell[] {
  if (report !== undefined && report.cells.length > 0) return report.cells;
  return source === ''
    ? []
    : [{ position: 1, language: languageOf({ report, source }), source, status: 'skipped', outputs: [] }];
}

/** Returns the language of the notebook: from its report, else from the comment in its first line. */
export function languageOf({
  report,
  source = '',
}: Pick<ExportedNotebook, 'report' | 'source'>): NonNullable<NotebookReport['language']> {
  if (report?.language !== undefined) return report.language;
  const [, mark = ''] = /^\uFEFF?(--|\/\/)/.exec(source) ?? [];
  return mark === '--' ? 'sql' : mark === '//' ? 'javascript' : 'python';
}

/** Returns the phase of a cell. @param active whether the run is active */
export function phaseOf(cell: NotebookCell, active: boolean): CellPhase {
  if (cell.status !== 'skipped') return cell.status;
  if (cell.startTime !== undefined && cell.finishTime === undefined)
    return active ? 'running' : 'interrupted';
  return active ? 'waiting' : 'skipped';
}

/** True when an output is a result to look at, and not a log. */
const isVisual: Readonly<Record<CellOutput['type'], boolean>> = {
  html: true,
  text: true,
  table: true,
  image: true,
  stdout: false,
  stderr: false,
  error: false,
};

/** Returns the notebook as a dashboard: the results of its cells, without code and logs. */
export function toDashboard(notebook: ExportedNotebook): ExportedNotebook {
  const { report } = notebook;
  if (report === undefined) return { ...notebook, source: undefined };
  const cells = report.cells
    .map((cell): NotebookCell => ({
      ...cell,
      source: '',
      outputs: cell.outputs.filter(({ type }) => isVisual[type]),
    }))
    .filter((cell) => cell.outputs.length > 0);
  return { ...notebook, source: undefined, report: { ...report, cells } };
}
