/** Formats of a job and their conversion. A run always executes a list of tasks. */
import { isRecord } from '../validation/json-object.ts';
import { isNonEmpty } from '../validation/messages.ts';
import { isTaskKindField, taskKinds } from './task-kinds.ts';
import type { JobSettings, SubmitSettings, TaskSettings } from './settings.ts';

/** API versions; all of them serve the same model. */
export type ApiVersion = '2.0' | '2.1' | '2.2';

export type JobFormat = NonNullable<JobSettings['format']>;

/** Key of the only task of a single-task job. */
export const mainTaskKey = 'main';

/** Name of a job or one-time run without a name. */
export const defaultName = 'Untitled';

/** Fields of the task of a single-task job. They are not allowed together with `tasks`. */
export const singleTaskFields = [
  ...taskKinds,
  'existing_cluster_id',
  'new_cluster',
  'libraries',
  'max_retries',
  'min_retry_interval_millis',
  'retry_on_timeout',
] as const;

const movedFields: ReadonlySet<string> = new Set([...singleTaskFields, 'timeout_seconds']);
const movedFieldsOfSubmission: ReadonlySet<string> = new Set(singleTaskFields);

/** Returns the format of settings: `tasks` makes a job multi-task (spec 3.3). */
export function formatOf(settings: JobSettings | SubmitSettings): JobFormat {
  return settings.tasks === undefined ? 'SINGLE_TASK' : 'MULTI_TASK';
}

/** Returns the tasks of a job in their order; a single-task job has one with the key "main". */
export function tasksOf(settings: JobSettings): TaskSettings[] {
  return toMultiTask(settings).tasks ?? [];
}

/** Converts a job to multi-task format; cluster, libraries, timeout and retries move into its one task. */
export function toMultiTask(settings: JobSettings): JobSettings {
  if (settings.tasks !== undefined) return settings;
  return moveIntoSingleTask(settings, mainTaskKey, movedFields);
}

/** Returns settings without `tasks`, as in lists (spec 4.1). */
export function withoutTasks(settings: JobSettings): JobSettings {
  const { tasks: _, ...rest } = settings;
  return rest;
}

/**
 * Returns the settings of the hidden job of a submission. In 2.1 and 2.2 a single-task body becomes one task
 * with the run_name as key; the timeout stays that of the run. In 2.0 it stays single-task.
 */
export function toJobSettings(submission: SubmitSettings, version: ApiVersion): JobSettings {
  const { run_name: name = defaultName, idempotency_token: _, ...rest } = submission;
  const settings: JobSettings = { ...rest, name, format: formatOf(submission) };
  if (settings.tasks !== undefined || version === '2.0') return settings;
  return moveIntoSingleTask(settings, toTaskKey(submission.run_name), movedFieldsOfSubmission);
}

/**
 * Returns the body of a submission in which the only task has a key: without one of its own, the one of a single-task
 * body. Some clients leave it out, because no other task can name it.
 */
export function withTaskKey(submission: object): object {
  const given = new Map<string, unknown>(Object.entries(submission));
  const [tasks, name] = [given.get('tasks'), given.get('run_name')];
  const task: unknown = Array.isArray(tasks) && tasks.length === 1 ? tasks[0] : undefined;
  if (!isRecord(task) || isNonEmpty(task['task_key'])) return submission;
  const key = toTaskKey(typeof name === 'string' ? name : undefined);
  return { ...submission, tasks: [{ ...task, task_key: key }] };
}

/** Converts a run_name to a valid task_key: characters except letters, digits, `_` and `-` become `_`. */
function toTaskKey(runName = ''): string {
  const key = runName
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 100);
  return /[A-Za-z0-9]/.test(key) ? key : mainTaskKey;
}

/** Moves task fields into one task. Fields of plugin kinds are recognized by their form. */
function moveIntoSingleTask(
  settings: JobSettings,
  task_key: string,
  fields: ReadonlySet<string>,
): JobSettings {
  const ofJob: [string, unknown][] = [];
  const ofTask: [string, unknown][] = [['task_key', task_key]];
  for (const entry of Object.entries(settings)) {
    const [field, value] = entry;
    if (!fields.has(field) && !isTaskKindField(field, value)) ofJob.push(entry);
    else if (value !== undefined) ofTask.push(entry);
  }
  return {
    ...Object.fromEntries(ofJob),
    tasks: [Object.fromEntries(ofTask) as TaskSettings],
    format: 'MULTI_TASK',
  };
}
