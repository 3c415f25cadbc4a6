/** What is known of a notebook that is exported, and how far each of its cells came. */
import type { CellOutput, NotebookCell, NotebookReport } from '../task-output.ts';
import type { Progress } from '../run.ts';
import { isTerminal } from '../states.ts';

/** One attempt of a notebook task. */
export interface ExportedNotebook {
  readonly runId: number;
  readonly jobName: string;
  readonly taskKey: string;
  /** Path in the workspace, as the task names it. */
  readonly path: string;
  /** Those that reached the notebook. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly progress: Progress;
  /** Absent when the notebook never started. */
  readonly report: NotebookReport | undefined;
  /** Text of the notebook, for one that never started. */
  readonly source: string | undefined;
  /** Why the task failed, in one sentence; '' when there is nothing to say. */
  readonly failure: string;
}

/** `waiting`: not reached yet; `skipped`: never reached; `interrupted`: nobody knows how it ended. */
export type CellPhase = 'finished' | 'failed' | 'running' | 'interrupted' | 'waiting' | 'skipped';

/** The last part of the path, without the extension that says the language. */
export function notebookNameOf({ path }: Pick<ExportedNotebook, 'path'>): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?<=.)\.(py|sql|js|scala|r|ipynb)$/i, '');
  return name === '' ? path : name;
}

export function isActive({ progress }: Pick<ExportedNotebook, 'progress'>): boolean {
  return !isTerminal(progress.state);
}

/** The cells of the report; of a notebook without one, its whole text as one cell that did not run. */
export function cellsOf({
  report,
  source = '',
}: Pick<ExportedNotebook, 'report' | 'source'>): readonly NotebookCell[] {
  if (report !== undefined && report.cells.length > 0) return report.cells;
  return source === ''
    ? []
    : [{ position: 1, language: languageOf({ report, source }), source, status: 'skipped', outputs: [] }];
}

/**
 * What cells are written in that name no other language: the report says it, else the comment that the
 * notebook begins with.
 */
export function languageOf({
  report,
  source = '',
}: Pick<ExportedNotebook, 'report' | 'source'>): 'python' | 'sql' | 'javascript' {
  if (report?.language !== undefined) return report.language;
  const [, mark = ''] = /^\uFEFF?(--|\/\/)/.exec(source) ?? [];
  return mark === '--' ? 'sql' : mark === '//' ? 'javascript' : 'python';
}

/** @param active whether the run is still under way */
export function phaseOf(cell: NotebookCell, active: boolean): CellPhase {
  if (cell.status !== 'skipped') return cell.status;
  if (cell.startTime !== undefined && cell.finishTime === undefined)
    return active ? 'running' : 'interrupted';
  return active ? 'waiting' : 'skipped';
}

/** What an output is for: to be looked at, or to follow what the code did. */
const isVisual: Readonly<Record<CellOutput['type'], boolean>> = {
  html: true,
  text: true,
  table: true,
  image: true,
  stdout: false,
  stderr: false,
  error: false,
};

/**
 * The notebook as a dashboard: the cells that show something to look at, without their code and without their
 * logs.
 */
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
