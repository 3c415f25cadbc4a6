/** Model of the notebook inside its page: the line from which scripts extract cells and outputs. */
import { createHash } from 'node:crypto';
import { notebookModelName } from '../../validation/aliases.ts';
import type { CellLanguage, CellOutput, NotebookCell } from '../task-output.ts';
import {
  cellsOf,
  isActive,
  languageOf,
  notebookNameOf,
  phaseOf,
  type CellPhase,
  type ExportedNotebook,
} from './exported-notebook.ts';

/** Phase of a cell -> state in the model. */
const modelStateOf: Readonly<Record<CellPhase, string>> = {
  finished: 'finished',
  failed: 'error',
  running: 'running',
  interrupted: 'error',
  waiting: 'input',
  skipped: 'input',
};

/**
 * Returns the line of the model: JSON, percent-encoded, in base64. No character of this alphabet can end the
 * string or the script. Readers search for exactly this spelling.
 */
export function modelLine(notebook: ExportedNotebook): string {
  const encoded = Buffer.from(encodeURIComponent(JSON.stringify(notebookModel(notebook))), 'latin1').toString(
    'base64',
  );
  return `<script>var ${notebookModelName} = '${encoded}';</script>`;
}

/** Returns the model in the shape that readers know ("NotebookV1"). */
function notebookModel(notebook: ExportedNotebook): object {
  return {
    version: 'NotebookV1',
    origId: notebook.runId ?? 0,
    guid: stableUuid(idTextOf(notebook)),
    name: notebookNameOf(notebook),
    language: languageOf(notebook),
    commands: cellsOf(notebook).map((cell) => commandOf(notebook, cell)),
    dashboards: [],
    globalVars: {},
    iPythonMetadata: null,
    inputWidgets: {},
  };
}

function commandOf(notebook: ExportedNotebook, cell: NotebookCell): object {
  const phase = phaseOf(cell, isActive(notebook));
  const error = cell.outputs.find((output) => output.type === 'error');
  return {
    version: 'CommandV1',
    origId: cell.position,
    guid: stableUuid(`${idTextOf(notebook)} ${cell.position}`),
    nuid: stableUuid(`${idTextOf(notebook)} ${cell.position} of the notebook`),
    subtype: 'command',
    commandType: 'auto',
    position: cell.position,
    command: commandText(cell, languageOf(notebook)),
    commandVersion: 0,
    state: modelStateOf[phase],
    results: resultsOf(cell.outputs),
    errorSummary: error?.summary ?? null,
    error: error?.trace ?? null,
    workflows: [],
    submitTime: cell.startTime ?? 0,
    startTime: cell.startTime ?? 0,
    finishTime: cell.finishTime ?? 0,
    collapsed: false,
    bindings: notebook.parameters,
    inputWidgets: {},
    displayType: 'table',
    width: 'auto',
    height: 'auto',
    commandTitle: cell.title ?? '',
    showCommandTitle: cell.title !== undefined,
    hideCommandCode: cell.source === '',
    hideCommandResult: false,
  };
}

/** Returns the text from which the ids of the page are derived. */
function idTextOf({ runId, path }: ExportedNotebook): string {
  return runId === undefined ? path : String(runId);
}

const magicWords: Readonly<Record<CellLanguage, string>> = {
  markdown: 'md',
  sql: 'sql',
  shell: 'sh',
  pip: 'pip',
  run: 'run',
  python: 'python',
  javascript: 'javascript',
  scala: 'scala',
  r: 'r',
};

/** Returns the source of a cell; in another language than the notebook, it starts with the magic word. */
function commandText({ language, source }: NotebookCell, notebookLanguage: CellLanguage): string {
  const plain =
    source === '' || language === notebookLanguage || source.startsWith(`%${magicWords[language]}`);
  return plain ? source : `%${magicWords[language]} ${source}`;
}

/** Returns the result of a cell: null, one result, or a list. */
function resultsOf(outputs: readonly CellOutput[]): object | null {
  const [only, ...others] = outputs.map(resultOf);
  if (only === undefined) return null;
  return others.length === 0 ? only : { type: 'listResults', data: [only, ...others] };
}

const resultTypes = { stdout: 'ansi', stderr: 'ansi', text: 'text', html: 'htmlSandbox' } as const;

function resultOf(output: CellOutput): object {
  switch (output.type) {
    case 'error':
      return { type: 'error', summary: output.summary, cause: output.trace };
    case 'table':
      return {
        type: 'table',
        schema: output.columns,
        data: output.rows,
        overflow: output.rowsTotal !== undefined && output.rowsTotal > output.rows.length,
      };
    case 'image':
      return { type: 'mimeBundle', data: { [output.mime]: toBundleData(output) } };
    case 'stdout':
    case 'stderr':
    case 'text':
    case 'html':
      return { type: resultTypes[output.type], data: output.data };
    default:
      return output satisfies never;
  }
}

/** Returns the data of a bundle: SVG as text, any other picture in base64. */
function toBundleData({ mime, data }: Extract<CellOutput, { type: 'image' }>): string {
  return mime === 'image/svg+xml' ? Buffer.from(data, 'base64').toString('utf8').toWellFormed() : data;
}

/** Returns an id that is the same in every export. */
function stableUuid(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
