/** Executed notebooks for tests of their pages, and the way in which scripts read the model from a page. */
import { notebookModelName } from '../../../../../engine/validation/aliases.ts';
import type { ExportedNotebook } from '../../../../../engine/run/notebook-page/exported-notebook.ts';
import type {
  CellOutput,
  CellValue,
  NotebookCell,
  NotebookReport,
} from '../../../../../engine/run/task-output.ts';
import type { Progress } from '../../../../../engine/run/run.ts';

export const notebookStartTime = 1_770_000_000_000;

const stamps = {
  startTime: notebookStartTime,
  runningTime: notebookStartTime + 100,
  terminatingTime: undefined,
  message: '',
};
const over = { ...stamps, terminatingTime: notebookStartTime + 65_100, endTime: notebookStartTime + 66_000 };

export const succeeded: Progress = { ...over, state: 'TERMINATED', result: 'SUCCESS' };
export const failed: Progress = { ...over, state: 'TERMINATED', result: 'FAILED' };
export const running: Progress = { ...stamps, state: 'RUNNING' };

/** Returns a finished cell. */
export function finishedCell(
  position: number,
  source: string,
  outputs: readonly CellOutput[] = [],
  more: Partial<NotebookCell> = {},
): NotebookCell {
  return {
    position,
    language: 'python',
    source,
    status: 'finished',
    startTime: notebookStartTime + position,
    finishTime: notebookStartTime + position + 1_500,
    outputs,
    ...more,
  };
}

/** Returns a cell that was never reached. */
export function skippedCell(position: number, source: string): NotebookCell {
  return { position, language: 'python', source, status: 'skipped', outputs: [] };
}

/** Returns a table of two columns. */
export function tableOutput(rows: readonly (readonly CellValue[])[], rowsTotal?: number): CellOutput {
  return {
    type: 'table',
    columns: [
      { name: 'station', type: 'VARCHAR' },
      { name: 'rain', type: 'DOUBLE' },
    ],
    rows,
    ...(rowsTotal !== undefined && { rowsTotal }),
  };
}

/** Picture of one pixel. */
export const pngOutput: CellOutput = {
  type: 'image',
  mime: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

/** Returns an SVG picture. */
export function svgOutput(source: string): CellOutput {
  return { type: 'image', mime: 'image/svg+xml', data: Buffer.from(source).toString('base64') };
}

/** Returns a successful notebook with these cells. */
export function exportedNotebook(
  cells: readonly NotebookCell[],
  more: Partial<ExportedNotebook> = {},
  report: Partial<NotebookReport> = {},
): ExportedNotebook {
  return {
    runId: 907,
    jobName: 'nightly',
    taskKey: 'rain',
    path: '/team/rain',
    parameters: { year: '2013' },
    progress: succeeded,
    source: undefined,
    failure: '',
    report: { path: '/team/rain', cells, ...report },
    ...more,
  };
}

/** Reads the model of a page like scripts do: regular expression, base64, percent-decoding, JSON. */
export function extractModel(page: string): {
  readonly [field: string]: unknown;
  readonly commands: readonly Readonly<Record<string, unknown>>[];
} {
  const [, encoded = ''] = new RegExp(`var ${notebookModelName} = '(.*)';`).exec(page) ?? [];
  return JSON.parse(decodeURIComponent(Buffer.from(encoded, 'base64').toString('latin1')));
}

/** Returns the page without the line of the model. */
export function withoutModel(page: string): string {
  return page.replace(/<script>.*<\/script>/, '');
}
