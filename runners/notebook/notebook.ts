/**
 * Runner of notebook tasks: a snapshot of the notebook is run cell by cell, by driver.py or by node/driver.ts
 * (spec 2.7, 2.10).
 */
import { copyFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NotebookTask } from '../../engine/job/task-schemas.ts';
import { defineRunner } from '../built-in-runner.ts';
import { readLogTail } from '../../engine/log-file.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { parseNotebookReport } from '../../engine/run/notebook-report.ts';
import { truncateUtf8, type NotebookReport, type TaskOutput } from '../../engine/run/task-output.ts';
import { type Command, type Exit, type TaskOutcome, type RunnerContext } from '../contract.ts';
import { workloadFailedMessage } from '../../engine/run/attempt-end.ts';
import { describeExit, outcomeOf } from '../process/describe-exit.ts';
import {
  TaskStartError,
  reportStartError,
  createFileAtomically,
  requireInterpreter,
  pinCommand,
  writeFileAtomically,
} from '../process/pinned-command.ts';
import { createScriptCommand, scriptLanguages } from './node/script-command.ts';
import { serveNotebookRequests } from './notebook-requests.ts';
import { markCrashed, findRunningCell } from './crash-report.ts';

const sqlCellsProgram = fileURLToPath(new URL('./sql-cells.ts', import.meta.url));
const driverProgram = fileURLToPath(new URL('./driver.py', import.meta.url));

/** The longest report that is read: that of thirty cells with as much output as a cell may have. */
const reportBytesMax = 256 * 2 ** 20;

/** File extension -> what it holds, for what can be kept in the workspace but not be run. */
const unsupportedLanguages: Readonly<Record<string, string>> = { '.scala': 'Scala', '.r': 'R' };

/**
 * Runs `notebook_task`. Writes to the attempt's directory: `notebook.py` (the snapshot that is run, with the
 * extension of its language), `notebook.json` (the report, see NotebookReport), `values.json` (task values:
 * name -> JSON text) and the output, with the exit value or the exception of the failed cell.
 */
export const notebookRunner = defineRunner('notebook_task', runNotebook);

async function runNotebook(task: NotebookTask, context: RunnerContext): Promise<TaskOutcome> {
  let command;
  try {
    command = await pinCommand(context, () => createCommand(task, context));
  } catch (error) {
    return reportStartError(error, context);
  }
  const exit = await serveNotebookRequests(context, requestsDirectoryOf(context), () =>
    context.exec(command),
  );
  return finishAttempt(exit, await readReport(context), context);
}

/** Takes the snapshot and tells the driver what to do with it. */
async function createCommand(task: NotebookTask, context: RunnerContext): Promise<Command> {
  const at = task.revision_timestamp ?? 0;
  const file = await context.locate(task.notebook_path, at === 0 ? 'notebook' : { notebook: true, at });
  const script = scriptLanguages[extname(file).toLowerCase()];
  if (script !== undefined) return createScriptCommand(script, file, task, context);
  const language = unsupportedLanguages[extname(file).toLowerCase()];
  if (language !== undefined) {
    throw new TaskStartError(
      `The notebook ${task.notebook_path} is a ${language} notebook, which Runyard does not run yet: ` +
        'Python (.py and .ipynb), SQL (.sql) and JavaScript (.js) notebooks are supported.',
    );
  }
  const python = await requireInterpreter(context, 'python3');
  const snapshot = join(
    context.directory,
    extname(file).toLowerCase() === '.ipynb' ? 'notebook.ipynb' : 'notebook.py',
  );
  await createFileAtomically(snapshot, (draft) => copyFile(file, draft));
  const order = {
    notebook: snapshot,
    path: task.notebook_path,
    parameters: task.base_parameters ?? {},
    values: {
      file: join(context.directory, 'values.json'),
      before: context.taskValues,
      valueBytes: context.limits.taskValueBytes,
      allBytes: context.limits.taskValuesBytes,
    },
    report: reportFileOf(context),
    cellBytes: context.limits.notebookCellBytes,
    packages: join(context.directory, 'packages'),
    questions: requestsDirectoryOf(context),
    sql: [process.execPath, '--max-old-space-size=384', sqlCellsProgram],
  };
  const orderFile = join(context.directory, 'notebook-task.json');
  await writeFileAtomically(orderFile, JSON.stringify(order));
  return { argv: [python, driverProgram, orderFile], env: { PYTHONUNBUFFERED: '1' } };
}

/** Keeps what the notebook came to, from how its process ended and what its report says. */
async function finishAttempt(
  exit: Exit,
  report: NotebookReport | undefined,
  context: RunnerContext,
): Promise<TaskOutcome> {
  const crash = crashOf(exit, report);
  if (crash !== undefined && report !== undefined) {
    await writeFileAtomically(reportFileOf(context), JSON.stringify(markCrashed(report, crash)));
  }
  if (exit.kind === 'stopped' || exit.kind === 'lost') return outcomeOf(exit, workloadFailedMessage);
  await context.writeOutput(
    crash === undefined
      ? outputOf(report, context)
      : { error: crash, ...(report === undefined && (await readErrorTrace(context))) },
  );
  return crash === undefined || exit.kind === 'flooded'
    ? outcomeOf(exit, workloadFailedMessage)
    : { kind: 'failed', message: workloadFailedMessage };
}

/**
 * A notebook that came to nothing has said why on stderr, if anywhere: that its interpreter is not there, for
 * example.
 */
async function readErrorTrace({ directory }: RunnerContext): Promise<Pick<TaskOutput, 'errorTrace'>> {
  const said = (await readLogTail(join(directory, 'stderr'), 4_096)).trim();
  return said === '' ? {} : { errorTrace: said };
}

/**
 * Why the notebook's process ended before the notebook did. Undefined when the notebook came to its own end.
 */
function crashOf(exit: Exit, report: NotebookReport | undefined): string | undefined {
  switch (exit.kind) {
    case 'stopped':
      return 'The task was stopped while this cell was running.';
    case 'flooded':
    case 'lost':
      return exit.message;
    case 'exited': {
      const running = report === undefined ? undefined : findRunningCell(report);
      // A failure that the report tells stands, however the process ended after it.
      const over =
        report !== undefined && running === undefined && (report.error !== undefined || exit.code === 0);
      if (over) return undefined;
      const where =
        running === undefined
          ? describeMissingReport(exit.code, report)
          : ` while cell ${running.position} was running`;
      return `The notebook process ended with ${describeExit(exit.code)}${where}.`;
    }
    default:
      return exit satisfies never;
  }
}

/**
 * With the codes 0 and 1 the driver says that the report tells the rest: when it does not, somebody will ask
 * why.
 */
function describeMissingReport(code: number, report: NotebookReport | undefined): string {
  if (code > 1 || report !== undefined) return '';
  return `, and its report (notebook.json) is missing, has more than ${reportBytesMax} bytes, or was changed by something other than its runner`;
}

function outputOf(report: NotebookReport | undefined, context: RunnerContext): TaskOutput {
  if (report?.error !== undefined) return { error: report.error.summary, errorTrace: report.error.trace };
  if (report?.exitValue === undefined) return {};
  const result = truncateUtf8(report.exitValue, context.limits.notebookResultBytes);
  return { result: result.text, truncated: result.cut };
}

/**
 * The driver's report; undefined when the process ended before it wrote one. The notebook can write that file
 * too: one that is too long or holds no report counts as absent.
 */
async function readReport(context: RunnerContext): Promise<NotebookReport | undefined> {
  const { text, truncated } = await readHead(reportFileOf(context), reportBytesMax);
  return truncated ? undefined : parseNotebookReport(tryParseJson(text));
}

/** Where the notebook asks for runs of other notebooks. */
function requestsDirectoryOf(context: RunnerContext): string {
  return join(context.directory, 'questions');
}

function reportFileOf(context: RunnerContext): string {
  return join(context.directory, 'notebook.json');
}
