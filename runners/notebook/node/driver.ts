/**
 * The process of a SQL or JavaScript notebook: runs its cells in order, and writes a report of what each of
 * them showed.
 *
 * `node driver.ts <task file> <directory of managed_fs> <directory of the workspace>`. Exit code 0: the
 * notebook succeeded. 1: it failed, and the report says how. Anything else: the process crashed.
 */
import { readFileSync, writeSync } from 'node:fs';
import { messageOf } from '../../../engine/errors.ts';
import { CellFailure, type NotebookOrder, type Session, type SourceCell } from './order.ts';
import { createRecorder } from './recorder.ts';
import { createReportWriter } from './report-writer.ts';
import { cutCells } from './source.ts';

const [, , orderFile = '', managedFs = '', workspace = ''] = process.argv;
// The runner wrote it a moment ago, and nothing of the task has run since.
const order = JSON.parse(readFileSync(orderFile, 'utf8')) as NotebookOrder;
const cells = readCells();
const report = createReportWriter(order, cells);
let session: Session | undefined;
let running: SourceCell | undefined;
const recorder = createRecorder({
  limit: order.cellBytes,
  onGrowth: () => {
    if (running !== undefined) report.showSoFar(running.position, recorder.outputs);
  },
  onOverflow: () =>
    fail(
      new CellFailure(
        `Cell ${running?.position ?? 0} produced more than ${order.cellBytes} bytes of output, the most that a cell may show. The rest of the run was cancelled.`,
      ),
    ),
});

// What is thrown where nobody waits for it, and a wait that nothing will end, fail the cell as well.
process.on('uncaughtException', (error) => fail(failureOf(error)));
process.on('beforeExit', () =>
  fail(new CellFailure(`Cell ${running?.position ?? 0} waits for a promise that nothing is left to settle.`)),
);

function readCells(): SourceCell[] {
  try {
    return cutCells(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(order.notebook)),
      order.language,
    );
  } catch (error) {
    const summary = `The notebook is not UTF-8 text: ${messageOf(error)}`;
    createReportWriter(order, []).end({ error: { summary, trace: summary, cell: 0 } });
    writeSync(2, `${summary}\n`);
    return process.exit(1);
  }
}

async function runNotebook(): Promise<void> {
  const opened = await open();
  session = opened;
  for (const cell of cells) {
    running = cell;
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
async function open(): Promise<Session> {
  if (order.language === 'javascript')
    return (await import('./javascript-session.ts')).openJavascript(order, workspace, recorder);
  return (await import('./sql-session.ts')).openSql(order, managedFs, recorder);
}

async function runCell(cell: SourceCell, opened: Session): Promise<void> {
  try {
    if (cell.language !== order.language) throw foreign(cell);
    await opened.run(cell);
  } catch (error) {
    fail(failureOf(error));
  }
}

const names = { sql: 'SQL', javascript: 'JavaScript' } as const;

function foreign({ position, language }: SourceCell): CellFailure {
  const word = language === 'shell' ? 'sh' : language;
  const name = names[order.language];
  return new CellFailure(
    `Cell ${position} is a %${word} cell, which a ${name} notebook does not run: it runs ${name} and Markdown cells. ` +
      `Put it into a notebook of its own language${['python', 'sql', 'sh', 'pip', 'run'].includes(word) ? ', such as a Python notebook' : ''}.`,
  );
}

function failureOf(error: unknown): CellFailure {
  return error instanceof CellFailure
    ? error
    : (session?.failureOf(error) ?? new CellFailure(messageOf(error)));
}

/**
 * Ends the report and the process with a failure. The trace goes to the log as well, where people look first.
 */
function fail({ summary, trace }: CellFailure): never {
  const error = { summary: summary.toWellFormed(), trace: trace.toWellFormed() };
  if (running !== undefined)
    report.endCell(running.position, 'failed', [...recorder.outputs(), { type: 'error', ...error }]);
  report.end({ error: { ...error, cell: running?.position ?? 0 } });
  writeSync(2, `${error.trace}\n`);
  return process.exit(1);
}

await runNotebook();
