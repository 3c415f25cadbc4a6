/**
 * The process of a SQL or JavaScript notebook: runs its cells in order, and writes a report of what each of
 * them showed.
 *
 * `node driver.ts <task file> <directory of managed_fs> <directory of the workspace>`. Exit code 0: the
 * notebook succeeded. 1: it failed, and the report says how. Anything else: the process crashed.
 */
import { readFileSync, writeSync } from 'node:fs';
import { messageOf } from '../../../engine/errors.ts';
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
// The runner wrote it a moment ago, and nothing of the task has run since.
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
        `Cell ${runningCell?.position ?? 0} produced more than ${input.cellBytes} bytes of output, the most that a cell may show. The rest of the run was cancelled.`,
      ),
    ),
});

// What is thrown where nobody waits for it, and a wait that nothing will end, fail the cell as well.
process.on('uncaughtException', (error) => failNotebook(toCellError(error)));
process.on('beforeExit', () =>
  failNotebook(
    new CellError(`Cell ${runningCell?.position ?? 0} waits for a promise that nothing is left to settle.`),
  ),
);

function readCells(): SourceCell[] {
  try {
    return parseCells(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(input.notebook)),
      input.language,
    );
  } catch (error) {
    const summary = `The notebook is not UTF-8 text: ${messageOf(error)}`;
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

/** A notebook of one language does not wait until the other one is loaded. */
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

function createUnsupportedCellError({ position, language }: SourceCell): CellError {
  const word = language === 'shell' ? 'sh' : language;
  const name = languageNames[input.language];
  return new CellError(
    `Cell ${position} is a %${word} cell, which a ${name} notebook does not run: it runs ${name} and Markdown cells. ` +
      `Put it into a notebook of its own language${['python', 'sql', 'sh', 'pip', 'run'].includes(word) ? ', such as a Python notebook' : ''}.`,
  );
}

function toCellError(error: unknown): CellError {
  return error instanceof CellError
    ? error
    : (session?.toCellError(error) ?? new CellError(messageOf(error)));
}

/**
 * Ends the report and the process with a failure. The trace goes to the log as well, where people look first.
 */
function failNotebook({ summary, trace }: CellError): never {
  const error = { summary: summary.toWellFormed(), trace: trace.toWellFormed() };
  if (runningCell !== undefined)
    report.endCell(runningCell.position, 'failed', [...recorder.outputs(), { type: 'error', ...error }]);
  report.end({ error: { ...error, cell: runningCell?.position ?? 0 } });
  writeSync(2, `${error.trace}\n`);
  return process.exit(1);
}

await runNotebook();
