/** `runyard jobs apply`: brings the job files of a folder to the service. */
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { Type } from 'typebox';
import { messageOf } from '../../../engine/errors.ts';
import { confirm } from '../../client/confirm.ts';
import { getJob, jobList } from '../../client/find-job.ts';
import { readPages } from '../../client/pages.ts';
import { readDocument } from '../../client/read-document.ts';
import type { JobDocument } from '../../client/service-documents.ts';
import { printJson, usesColours, wantsJson, type OutputOptions } from '../../output/print-result.ts';
import { CommandError } from '../../start-error.ts';
import { printDiagnostic, printLine } from '../print-line.ts';
import { callService } from '../service-client.ts';
import { resetJob, sendNewJob, settingsIn } from './change-jobs.ts';
import { compareSettings, type Difference } from './compare-settings.ts';

export interface ApplyOptions extends OutputOptions {
  /** Folder or file. */
  readonly file: string;
  /** Name of the set of jobs; default: the name of the folder. */
  readonly set?: string;
  /** Whether jobs of the set without a file are deleted. */
  readonly prune?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Tag of the jobs that a folder holds; its value is the name of the set. */
const setTag = 'runyard-apply';
const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

interface WantedJob {
  readonly file: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One step of a plan. */
interface Step {
  readonly action: 'create' | 'update' | 'unchanged' | 'delete';
  readonly name: string;
  readonly jobId: number | undefined;
  readonly differences: readonly Difference[];
  readonly settings: unknown;
}

/**
 * Prints what differs between the files and the service, and makes the service like the files. A second call
 * finds nothing to do. Resolves with the exit code. @throws CommandError before the first change when a file
 * is not valid; later with the names of the jobs that are done
 */
export async function applyJobs(options: ApplyOptions): Promise<number> {
  const set = options.set ?? basename(resolve(options.file)).replace(/\.(ya?ml|json)$/, '');
  const plan = await makePlan(await readJobFiles(options.file), set, options.prune === true);
  if (wantsJson(options))
    printJson(
      plan.map(({ action, name, jobId, differences }) => ({ action, name, job_id: jobId, differences })),
    );
  else printPlan(plan);
  const changes = plan.filter(({ action }) => action !== 'unchanged');
  if (options.dryRun === true || changes.length === 0) return 0;
  const deletions = changes.filter(({ action }) => action === 'delete');
  if (
    deletions.length > 0 &&
    !(await confirm(`Delete ${deletions.map(({ name }) => name).join(', ')}?`, options.yes))
  )
    return 1;
  const done: string[] = [];
  for (const step of changes) {
    await applyStep(step).catch((error: unknown) => {
      const before = done.length === 0 ? 'nothing was changed' : `applied before: ${done.join(', ')}`;
      throw new CommandError(`${step.name}: ${messageOf(error)} (${before}). Correct it and apply again.`);
    });
    done.push(step.name);
  }
  printDiagnostic(`Applied ${changes.length === 1 ? '1 change' : `${changes.length} changes`}.`);
  return 0;
}

/** Reads all job files below a folder, or one file. @throws CommandError */
async function readJobFiles(path: string): Promise<WantedJob[]> {
  const jobs: WantedJob[] = [];
  for (const file of await findFiles(path)) {
    const settings = settingsIn(await readDocument(file));
    const name: unknown =
      typeof settings === 'object' && settings !== null ? Reflect.get(settings, 'name') : undefined;
    if (typeof settings !== 'object' || settings === null || typeof name !== 'string' || name === '')
      throw new CommandError(`${file} is no job: it must be the settings of a job, with a name.`);
    const double = jobs.find((one) => one.name === name);
    if (double !== undefined)
      throw new CommandError(
        `${file} and ${double.file} have the same name ${JSON.stringify(name)}; names tell jobs apart.`,
      );
    jobs.push({ file, name, settings: { ...settings } });
  }
  return jobs;
}

async function findFiles(path: string): Promise<string[]> {
  const status = await stat(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${messageOf(error)}.`);
  });
  if (status.isFile()) return [path];
  const entries = await readdir(path, { recursive: true });
  const files = entries.filter((entry) => extensions.has(extname(entry).toLowerCase())).toSorted();
  if (files.length === 0) throw new CommandError(`${path} holds no .yaml, .yml or .json file.`);
  return files.map((entry) => join(path, entry));
}

async function makePlan(wanted: readonly WantedJob[], set: string, prunes: boolean): Promise<Step[]> {
  const jobs: JobDocument[] = [];
  for await (const job of readPages(jobList)) jobs.push(job);
  const steps: Step[] = [];
  for (const job of wanted) steps.push(await planJob(job, jobs, set));
  const names = new Set(wanted.map(({ name }) => name));
  const superfluous = jobs.filter(
    ({ settings }) => settings.tags?.[setTag] === set && !names.has(settings.name),
  );
  if (!prunes && superfluous.length > 0)
    printDiagnostic(
      `No file holds ${superfluous.map(({ settings }) => settings.name).join(', ')} of the set ${set}; --prune deletes what has no file.`,
    );
  const deletions = (prunes ? superfluous : []).map(({ job_id: jobId, settings }): Step => ({
    action: 'delete',
    name: settings.name,
    jobId,
    differences: [],
    settings: undefined,
  }));
  return [...steps, ...deletions];
}

/** Finds the job of a file: the one of the set with its name, else the only one with its name. */
async function planJob(
  { name, file, settings }: WantedJob,
  jobs: readonly JobDocument[],
  set: string,
): Promise<Step> {
  const named = jobs.filter((job) => job.settings.name === name);
  const own = named.filter((job) => job.settings.tags?.[setTag] === set);
  const candidates = own.length > 0 ? own : named;
  const [found, ...others] = candidates;
  if (others.length > 0)
    throw new CommandError(
      `${file}: several jobs have the name ${JSON.stringify(name)} (${candidates.map(({ job_id: id }) => id).join(', ')}); delete or rename all but one.`,
    );
  const tags: unknown = settings['tags'];
  const tagged = { ...settings, tags: { ...(typeof tags === 'object' ? tags : {}), [setTag]: set } };
  if (found === undefined)
    return { action: 'create', name, jobId: undefined, differences: [], settings: tagged };
  const differences = compareSettings((await getJob(found.job_id)).settings, tagged);
  const action = differences.length === 0 ? 'unchanged' : 'update';
  return { action, name, jobId: found.job_id, differences, settings: tagged };
}

async function applyStep({ action, jobId, settings }: Step): Promise<void> {
  if (jobId === undefined) await sendNewJob(settings);
  else if (action === 'delete')
    await callService(Type.Object({}), 'POST', '/jobs/delete', { body: { job_id: jobId }, version: '2.1' });
  else await resetJob(jobId, withoutPermissions(settings));
}

/** Permissions are part of a new job only; `permissions/jobs` changes them later. */
function withoutPermissions(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name !== 'access_control_list'));
}

const marks = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  unchanged: ['=', 'gray'],
  delete: ['-', 'red'],
} as const;

function printPlan(plan: readonly Step[]): void {
  for (const { action, name, jobId, differences } of plan) {
    const [mark, colour] = marks[action];
    const line = `${mark} ${action} ${name}${jobId === undefined ? '' : ` (job ${jobId})`}`;
    printLine(usesColours() ? styleText(colour, line, { validateStream: false }) : line);
    for (const { path, stored, wanted } of differences)
      printLine(`    ${path}: ${render(stored)} -> ${render(wanted)}`);
  }
}

/** Renders a value on one line. */
function render(value: unknown): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
