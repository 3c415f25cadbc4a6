/** `runyard jobs get|create|edit|delete|pause|resume|export`. */
import { writeFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { confirm } from '../../client/confirm.ts';
import { editText } from '../../client/edit-text.ts';
import { findJob } from '../../client/find-job.ts';
import { parseText, readDocument } from '../../client/read-document.ts';
import type { JobDocument } from '../../client/service-documents.ts';
import { printDocument, toYaml, wantsJson, type OutputOptions } from '../../output/print-result.ts';
import { CommandError } from '../../start-error.ts';
import { printDiagnostic, printLine } from '../print-line.ts';
import { callService } from '../service-client.ts';

const Created = Type.Object({ job_id: Type.Integer() });
const Nothing = Type.Object({});

/** Prints a job with its settings. Resolves with the exit code. @throws CommandError */
export async function getJobCommand(job: string, options: OutputOptions): Promise<number> {
  printDocument(await findJob(job), options);
  return 0;
}

/** Creates a job of a file and prints its id. Resolves with the exit code. @throws CommandError */
export async function createJob(file: string): Promise<number> {
  printLine(String(await sendNewJob(settingsIn(await readDocument(file)))));
  return 0;
}

/** Creates a job. Resolves with its id. */
export async function sendNewJob(settings: unknown): Promise<number> {
  const { job_id: id } = await callService(Created, 'POST', '/jobs/create', {
    body: settings,
    version: '2.1',
  });
  return id;
}

/** Replaces the settings of a job. */
export async function resetJob(jobId: number, settings: unknown): Promise<void> {
  await callService(Nothing, 'POST', '/jobs/reset', {
    body: { job_id: jobId, new_settings: settings },
    version: '2.1',
  });
}

/**
 * Opens the settings of a job in an editor and stores what was written.
 * Resolves with the exit code. @throws CommandError; the text stays in its file
 */
export async function editJob(name: string): Promise<number> {
  const job = await findJob(name);
  const before = toYaml(job.settings);
  const changed = await editText(`job-${job.job_id}.yaml`, before, async (text) => {
    await resetJob(job.job_id, parseText(text, 'The settings'));
  });
  printDiagnostic(changed ? `Job ${job.job_id} is changed.` : 'Nothing changed.');
  return 0;
}

/** Deletes a job; its runs stay. Resolves with the exit code. @throws CommandError */
export async function deleteJob(name: string, { yes }: { readonly yes?: true }): Promise<number> {
  const job = await findJob(name);
  const subject = `job ${job.job_id} (${job.settings.name})`;
  if (!(await confirm(`Delete ${subject}? Active runs are cancelled.`, yes))) return 1;
  await callService(Nothing, 'POST', '/jobs/delete', { body: { job_id: job.job_id }, version: '2.1' });
  printDiagnostic(`Deleted ${subject}.`);
  return 0;
}

/** Pauses or resumes the schedule or trigger of a job. Resolves with the exit code. @throws CommandError */
export async function setPaused(name: string, isPaused: boolean): Promise<number> {
  const job = await findJob(name);
  const { schedule, trigger } = job.settings;
  const pause_status = isPaused ? 'PAUSED' : 'UNPAUSED';
  if (schedule === undefined && trigger === undefined)
    throw new CommandError(
      `Job ${job.job_id} (${job.settings.name}) has neither schedule nor trigger; there is nothing to ${isPaused ? 'pause' : 'resume'}.`,
    );
  await callService(Nothing, 'POST', '/jobs/update', {
    body: {
      job_id: job.job_id,
      new_settings: {
        ...(schedule !== undefined && { schedule: { ...schedule, pause_status } }),
        ...(trigger !== undefined && { trigger: { ...trigger, pause_status } }),
      },
    },
    version: '2.1',
  });
  printDiagnostic(
    `Job ${job.job_id} (${job.settings.name}) is ${isPaused ? 'paused. Runs still start on demand' : 'resumed'}.`,
  );
  return 0;
}

/** Writes the settings of a job as a file for `jobs create` and `jobs apply`. Resolves with the exit code. */
export async function exportJob(
  name: string,
  options: OutputOptions & { readonly file?: string },
): Promise<number> {
  const { settings }: JobDocument = await findJob(name);
  if (options.file === undefined) {
    printDocument(settings, options);
    return 0;
  }
  const text = wantsJson(options) ? `${JSON.stringify(settings, undefined, 2)}\n` : toYaml(settings);
  await writeFile(options.file, text);
  printLine(options.file);
  return 0;
}

/** Returns the settings in a document: the document itself, or the settings of a job as `jobs get` prints it. */
export function settingsIn(document: unknown): unknown {
  return typeof document === 'object' && document !== null && 'job_id' in document && 'settings' in document
    ? document.settings
    : document;
}
