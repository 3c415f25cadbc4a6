/** The two formats of a job, and each seen as the other: what runs is always a list of tasks. */
import { isTaskKindField, taskKinds } from './task-kinds.ts';
import type { JobSettings, SubmitSettings, TaskSettings } from './settings.ts';

/** The versions of the path under which one model is served. */
export type ApiVersion = '2.0' | '2.1' | '2.2';

export type JobFormat = NonNullable<JobSettings['format']>;

/** The key of the only task of a single-task job. */
export const mainTaskKey = 'main';

/** The name of a job or of a one-time run that was given none. */
export const defaultName = 'Untitled';

/** Fields that describe the one task of a single-task job, and never stand beside `tasks`. */
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

/** SINGLE_TASK or MULTI_TASK, by the shape alone: `tasks` makes a job multi-task (spec 3.3). */
export function formatOf(settings: JobSettings | SubmitSettings): JobFormat {
  return settings.tasks === undefined ? 'SINGLE_TASK' : 'MULTI_TASK';
}

/**
 * The tasks of a job in the order given; a single-task job has one, keyed "main", with its cluster,
 * libraries, timeout and retries.
 */
export function tasksOf(settings: JobSettings): TaskSettings[] {
  return toMultiTask(settings).tasks ?? [];
}

/**
 * A job in multi-task format; a single-task job as one task with its cluster, libraries, timeout and retries
 * (design 8).
 */
export function toMultiTask(settings: JobSettings): JobSettings {
  if (settings.tasks !== undefined) return settings;
  return moveIntoSingleTask(settings, mainTaskKey, movedFields);
}

/** Settings as listings show them: without `tasks` (spec 4.1). */
export function withoutTasks(settings: JobSettings): JobSettings {
  const { tasks: _, ...rest } = settings;
  return rest;
}

/**
 * A submission as the settings of the hidden job that it runs as. In 2.1 and 2.2 a single-task body is one
 * task keyed by its run_name; its timeout stays that of the run. In 2.0 it stays single-task.
 */
export function toJobSettings(submission: SubmitSettings, version: ApiVersion): JobSettings {
  const { run_name: name = defaultName, idempotency_token: _, ...rest } = submission;
  const settings: JobSettings = { ...rest, name, format: formatOf(submission) };
  if (settings.tasks !== undefined || version === '2.0') return settings;
  return moveIntoSingleTask(settings, toTaskKey(submission.run_name), movedFieldsOfSubmission);
}

/** A run_name made a valid task_key: anything else than letters, digits, `_` and `-` becomes `_`. */
function toTaskKey(runName = ''): string {
  const key = runName
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 100);
  return /[A-Za-z0-9]/.test(key) ? key : mainTaskKey;
}

/** Kinds of plugins are moved by how they look: nobody else's field ends like that and holds an object. */
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
