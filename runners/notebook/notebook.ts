/**
 * Runner of notebook tasks: driver.py or node/driver.ts runs a snapshot of the notebook cell by cell
 * (spec 2.7, 2.10).
 */
import { copyFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NotebookTask } from '../../engine/job/task-schemas.ts';
import { defineRunner } from '../built-in-runner.ts';
import { readLogTail } from '../../engine/log-file.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { formatBytes } from '../../engine/run/log-masking.ts';
import { parseNotebookReport } from '../../engine/run/notebook-report.ts';
import { truncateUtf8, type NotebookReport, type TaskOutput } from '../../engine/run/task-output.ts';
import { type Command, type Exit, type TaskOutcome, type RunnerContext } from '../contract.ts';
import { workloadFailedMessage } from '../../engine/run/attempt-end.ts';
import type { Failure } from '../../engine/run/explain/failure.ts';
import { userFramesOf } from '../../engine/run/explain/stack-frames.ts';
import { describeExit, outcomeOf } from '../process/describe-exit.ts';
import { countKernelKills, findOomKill } from '../process/oom-kill.ts';
import { readLastLines } from '../process/program-end.ts';
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

/** Maximum size of a report: about thirty cells with maximum output. */
const reportBytesMax = 256 * 2 ** 20;

/** Extension -> language of notebooks that the workspace stores but Runyard cannot run. */
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
  const killsBefore = countKernelKills();
  const exit = await serveNotebookRequests(context, requestsDirectoryOf(context), () =>
    context.exec(command),
  );
  return finishAttempt(exit, await readReport(context), context, killsBefore);
}

/** Takes the snapshot and writes the input of the driver. */
async function createCommand(task: NotebookTask, context: RunnerContext): Promise<Command> {
  const at = task.revision_timestamp ?? 0;
  const file = await context.locate(task.notebook_path, at === 0 ? 'notebook' : { notebook: true, at });
  const script = scriptLanguages[extname(file).toLowerCase()];
  // SQL notebooks of a cluster with Spark run in a Spark session, as %sql cells do.
  const isSparkSql = script === 'sql' && context.cluster?.spark?.sql === 'spark';
  if (script !== undefined && !isSparkSql) return createScriptCommand(script, file, task, context);
  const language = unsupportedLanguages[extname(file).toLowerCase()];
  if (language !== undefined) {
    throw new TaskStartError(
      `The notebook ${task.notebook_path} is a ${language} notebook, which is not supported. ` +
        'Supported are Python (.py and .ipynb), SQL (.sql) and JavaScript (.js).',
    );
  }
  const python = await requireInterpreter(context, 'python3');
  const snapshot = join(
    context.directory,
    isSparkSql ? 'notebook.sql' : extname(file).toLowerCase() === '.ipynb' ? 'notebook.ipynb' : 'notebook.py',
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
    ...(context.cluster?.spark && { spark: { sql: context.cluster.spark.sql } }),
  };
  const orderFile = join(context.directory, 'notebook-task.json');
  await writeFileAtomically(orderFile, JSON.stringify(order));
  return { argv: [python, driverProgram, orderFile], env: { PYTHONUNBUFFERED: '1' } };
}

/** Writes the output of the attempt from the exit of its process and its report. */
async function finishAttempt(
  exit: Exit,
  report: NotebookReport | undefined,
  context: RunnerContext,
  killsBefore: number | undefined,
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
  if (exit.kind !== 'exited' || (crash === undefined && exit.code === 0))
    return outcomeOf(exit, workloadFailedMessage);
  const failure = await failureOf(exit.code, report, crash, context, killsBefore);
  return { kind: 'failed', message: workloadFailedMessage, ...(failure && { failure }) };
}

/** Returns the facts about a notebook that failed: the error of its cell, or the end of its process. */
async function failureOf(
  code: number,
  report: NotebookReport | undefined,
  crash: string | undefined,
  { directory }: RunnerContext,
  killsBefore: number | undefined,
): Promise<Failure | undefined> {
  if (crash === undefined) {
    const error = report?.error;
    if (error === undefined) return undefined;
    const { at, ...frames } = userFramesOf(error.trace);
    return {
      kind: 'error',
      error: error.summary,
      ...frames,
      at: at?.cell === undefined && at?.file !== undefined ? at : { cell: error.cell, ...at },
    };
  }
  const running = report === undefined ? undefined : findRunningCell(report);
  return {
    kind: 'exit',
    program: 'notebook process',
    code,
    error: crash,
    lastLines: await readLastLines(directory),
    oomKill: await findOomKill(directory, code, killsBefore),
    ...(running !== undefined && { at: { cell: running.position } }),
  };
}

/** Returns the end of stderr, which holds the reason when there is no report. */
async function readErrorTrace({ directory }: RunnerContext): Promise<Pick<TaskOutput, 'errorTrace'>> {
  const text = (await readLogTail(join(directory, 'stderr'), 4_096)).trim();
  return text === '' ? {} : { errorTrace: text };
}

/** Describes why the process ended before the notebook; undefined when the notebook completed. */
function crashOf(exit: Exit, report: NotebookReport | undefined): string | undefined {
  switch (exit.kind) {
    case 'stopped':
      return 'The task was stopped while this cell was running.';
    case 'flooded':
    case 'lost':
      return exit.message;
    case 'exited': {
      const running = report === undefined ? undefined : findRunningCell(report);
      // A failure in the report counts, however the process ended afterwards.
      const isComplete =
        report !== undefined && running === undefined && (report.error !== undefined || exit.code === 0);
      if (isComplete) return undefined;
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

/** Explains a missing report after the exit codes 0 and 1, with which the driver promises one. */
function describeMissingReport(code: number, report: NotebookReport | undefined): string {
  if (code > 1 || report !== undefined) return '';
  return `, and its report (notebook.json) is missing, larger than ${formatBytes(reportBytesMax)}, or was changed by other code`;
}

function outputOf(report: NotebookReport | undefined, context: RunnerContext): TaskOutput {
  if (report?.error !== undefined) return { error: report.error.summary, errorTrace: report.error.trace };
  if (report?.exitValue === undefined) return {};
  const result = truncateUtf8(report.exitValue, context.limits.notebookResultBytes);
  return { result: result.text, truncated: result.cut };
}

/**
 * Reads the report of the driver. Undefined when there is none, or when code of the notebook replaced it with
 * a file that is too large or not a report.
 */
async function readReport(context: RunnerContext): Promise<NotebookReport | undefined> {
  const { text, truncated } = await readHead(reportFileOf(context), reportBytesMax);
  return truncated ? undefined : parseNotebookReport(tryParseJson(text));
}

/** Returns the directory for requests of the notebook. */
function requestsDirectoryOf(context: RunnerContext): string {
  return join(context.directory, 'questions');
}

function reportFileOf(context: RunnerContext): string {
  return join(context.directory, 'notebook.json');
}
