/** `runyard run JOB` and `runyard run FILE`: starts a run and follows it. */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { Type } from 'typebox';
import { findJob } from '../../client/find-job.ts';
import type { JobDocument } from '../../client/service-documents.ts';
import { RunDocument } from '../../client/service-documents.ts';
import { printJson, wantsJson } from '../../output/print-result.ts';
import { createRunScreen } from '../../output/run-screen.ts';
import { CommandError } from '../../start-error.ts';
import { printLogs } from '../logs.ts';
import { printDiagnostic, printLine } from '../print-line.ts';
import { callService } from '../service-client.ts';
import type { RunOptions } from './run-options.ts';
import { isProgramFile, submitFile } from './submit-file.ts';

const Started = Type.Object({ run_id: Type.Integer() });

/**
 * Starts a run of a job, or of a local file, and prints its id; follows it with `--follow`.
 * Resolves with the exit code: with `--follow` 0 when the run succeeded, 1 otherwise. @throws CommandError
 */
export async function startRun(target: string, options: RunOptions): Promise<number> {
  const runId = isProgramFile(target) ? await submitExisting(target, options) : await runJob(target, options);
  return reportRun(runId, options);
}

async function submitExisting(file: string, options: RunOptions): Promise<number> {
  if (!existsSync(file))
    throw new CommandError(`There is no file ${file}. A name that ends in ${extname(file)} is a file.`);
  return submitFile(file, options);
}

async function runJob(name: string, options: RunOptions): Promise<number> {
  const job = await findJob(name);
  const { run_id: runId } = await callService(Started, 'POST', '/jobs/run-now', {
    body: {
      job_id: job.job_id,
      ...parametersOf(job, options),
      ...(options.idempotencyToken !== undefined && { idempotency_token: options.idempotencyToken }),
    },
    version: '2.1',
  });
  return runId;
}

/** Prints the id and the page of a new run, and follows it where that is wanted. */
export async function reportRun(runId: number, options: RunOptions): Promise<number> {
  const run = await callService(RunDocument, 'GET', `/jobs/runs/get?run_id=${runId}`, { version: '2.1' });
  if (options.follow !== true) {
    if (wantsJson(options)) printJson(run);
    else printLine(String(runId));
    if (run.run_page_url !== undefined) printDiagnostic(`${run.run_name}: ${run.run_page_url}`);
    return 0;
  }
  printDiagnostic(
    `Run ${runId} of ${run.run_name}${run.run_page_url === undefined ? '' : `: ${run.run_page_url}`}`,
  );
  const code = await printLogs(runId, { follow: true, stream: 'both' }, createRunScreen());
  if (code === 1) printDiagnostic(`Go on with: runyard explain ${runId}, or runyard runs repair ${runId}`);
  return code;
}

/** Field of a task -> parameters of run-now for its `--arg` words. */
const wordFields: Readonly<Record<string, string>> = {
  spark_python_task: 'python_params',
  spark_jar_task: 'jar_params',
  spark_submit_task: 'spark_submit_params',
};

/**
 * Returns the parameters of run-now: `--param` sets parameters of the job, or of its notebooks when the job
 * has none; `--arg` replaces the words of its programs.
 */
function parametersOf({ job_id: id, settings }: JobDocument, { param, arg }: RunOptions): object {
  const kinds = new Set((settings.tasks ?? []).flatMap((task) => Object.keys(task)));
  const names = Object.keys(param);
  const known = settings.parameters ?? [];
  const unknown = names.find((name) => !known.some((one) => one.name === name));
  if (known.length > 0 && unknown !== undefined)
    throw new CommandError(
      `Job ${id} has no parameter ${JSON.stringify(unknown)}; it has ${known.map(({ name }) => name).join(', ')}.`,
      { usage: true },
    );
  if (known.length === 0 && names.length > 0 && !kinds.has('notebook_task'))
    throw new CommandError(
      `Job ${id} has neither parameters nor notebooks, so --param has no meaning. Its programs take --arg.`,
      { usage: true },
    );
  const fields = Object.entries(wordFields).filter(([kind]) => kinds.has(kind));
  if (arg.length > 0 && fields.length === 0)
    throw new CommandError(`Job ${id} runs no program that takes --arg. Notebooks take --param.`, {
      usage: true,
    });
  return {
    ...(names.length > 0 && { [known.length > 0 ? 'job_parameters' : 'notebook_params']: param }),
    ...(arg.length > 0 && Object.fromEntries(fields.map(([, field]) => [field, arg]))),
  };
}
