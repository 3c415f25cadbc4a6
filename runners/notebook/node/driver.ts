/**
 * Process of a SQL or JavaScript notebook: runs its cells in order and writes a report with the output of
 * each.
 *
 * `node driver.ts <task file> <directory of managed_fs> <directory of the workspace>`. Exit code 0: the
 * notebook succeeded. 1: it failed, and the report holds the error. Anything else: the process crashed.
 */
import { readFileSync, writeSync } from 'node:fs';
import { messageOf } from '../../../engine/errors.ts';
import { formatBytes } from '../../../engine/run/log-masking.ts';
import {
  CellError,
  type NotebookDriverInput,
  type NotebookSession,
  type SourceCell,
} from './driver-protocol.ts';
import { createOutputRecorder } from './output-recorder.ts';
import { createReportWriter } from './report-writer.ts';
import { parseCells } from './source-format.ts';

const [, , orderFile = '', managedFs = '', workspace = ''] = process.argv;
// Trusted: the runner wrote it, and no code of the task has run yet.
const input = JSON.parse(readFileSync(orderFile, 'utf8')) as NotebookDriverInput;
const cells = readCells();
const report = createReportWriter(input, cells);
let session: NotebookSession | undefined;
let runningCell: SourceCell | undefined;
const recorder = createOutputRecorder({
  bytesMax: input.cellBytes,
  onOutput: () => {
    if (runningCell !== undefined) report.writeInterim(runningCell.position, recorder.outputs);
  },
  onOverflow: () =>
    failNotebook(
      new CellError(
        `Cell ${runningCell?.position ?? 0} exceeded the output limit of ${formatBytes(input.cellBytes)}. The rest of the run was cancelled.`,
      ),
    ),
});

// Unhandled exceptions and promises that can never settle fail the cell.
process.on('uncaughtException', (error) => failNotebook(toCellError(error)));
process.on('beforeExit', () =>
  failNotebook(
    new CellError(`Cell ${runningCell?.position ?? 0} waits for a promise that can never settle.`),
  ),
);

function readCells(): SourceCell[] {
  try {
    return parseCells(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(input.notebook)),
      input.language,
    );
  } catch (error) {
    const summary = `The notebook is not valid UTF-8: ${messageOf(error)}`;
    createReportWriter(input, []).end({ error: { summary, trace: summary, cell: 0 } });
    writeSync(2, `${summary}\n`);
    return process.exit(1);
  }
}

async function runNotebook(): Promise<void> {
  const opened = await openSession();
  session = opened;
  for (const cell of cells) {
    runningCell = cell;
    recorder.startCell();
    report.startCell(cell.position);
    if (cell.language !== 'markdown') await runCell(cell, opened);
    report.endCell(cell.position, 'finished', recorder.outputs());
    if (opened.exitValue() !== undefined) break;
  }
  const value = opened.exitValue();
  report.end(value === undefined ? {} : { exitValue: value.toWellFormed() });
  opened.close();
  process.exit(0);
}

/** Imports only the session of the language, because loading takes time. */
async function openSession(): Promise<NotebookSession> {
  if (input.language === 'javascript')
    return (await import('./javascript-session.ts')).openJavaScriptSession(input, workspace, recorder);
  return (await import('./sql-session.ts')).openSqlSession(input, managedFs, recorder);
}

async function runCell(cell: SourceCell, opened: NotebookSession): Promise<void> {
  try {
    if (cell.language !== input.language) throw createUnsupportedCellError(cell);
    await opened.run(cell);
  } catch (error) {
    failNotebook(toCellError(error));
  }
}

const languageNames = { sql: 'SQL', javascript: 'JavaScript' } as const;
/** Magic words that a Python notebook supports. */
const pythonNotebookWords: ReadonlySet<string> = new Set(['python', 'sql', 'sh', 'pip', 'run']);

function createUnsupportedCellError({ position, language }: SourceCell): CellError {
  const word = language === 'shell' ? 'sh' : language;
  const name = languageNames[input.language];
  return new CellError(
    `Cell ${position} is a %${word} cell, which is not supported in a ${name} notebook. Supported are ${name} and ` +
      `Markdown. Move it to a notebook of its own language${pythonNotebookWords.has(word) ? ', for example a Python notebook' : ''}.`,
  );
}

function toCellError(error: unknown): CellError {
  return error instanceof CellError
    ? error
    : (session?.toCellError(error) ?? new CellError(messageOf(error)));
}

/** Ends the report and the process with an error. The trace goes to the log as well. */
function failNotebook({ summary, trace }: CellError): never {
  const error = { summary: summary.toWellFormed(), trace: trace.toWellFormed() };
  if (runningCell !== undefined)
    report.endCell(runningCell.position, 'failed', [...recorder.outputs(), { type: 'error', ...error }]);
  report.end({ error: { ...error, cell: runningCell?.position ?? 0 } });
  writeSync(2, `${error.trace}\n`);
  return process.exit(1);
}

await runNotebook();
