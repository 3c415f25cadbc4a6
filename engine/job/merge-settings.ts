/** Updates of stored settings: reset replaces them, update merges them (spec 4.1 rules 2 and 3). */
import { invalid } from '../errors.ts';
import { jobFields } from './fields/job-fields.ts';
import { clusterChoices } from './check-task.ts';
import { formatOf, mainTaskKey, singleTaskFields, toMultiTask, type ApiVersion } from './job-format.ts';
import { JobSettings } from './settings.ts';
import { isTaskKindField, taskKindsIn } from './task-kinds.ts';
import { isNonEmpty, quote } from '../validation/messages.ts';

/** Fields that can be removed, even if they are missing. */
const knownFields: ReadonlySet<string> = new Set([
  ...Object.keys(JobSettings.properties),
  ...Object.keys(jobFields),
]);

/** Matches an entry of a list by its key in fields_to_remove. */
const entryName = /^(tasks|job_clusters)\/([A-Za-z0-9_-]{1,100})$/;

/** Fields that 2.1 and 2.2 know only inside `tasks`, and the lists that belong to them. */
const taskFields: ReadonlySet<string> = new Set([...singleTaskFields, 'tasks', 'job_clusters']);

/**
 * Returns the settings of a job after jobs/update in an API version. 2.1 and 2.2 know every job as
 * multi-task: an update of tasks turns a single-task job into a multi-task one. Any other update leaves it
 * single-task, so that clients of 2.0 need no change (spec 9.3).
 * @throws ServiceError for an unknown or nested name in fields_to_remove
 */
export function updateSettings(
  stored: JobSettings,
  newSettings: JobSettings,
  fieldsToRemove: readonly string[],
  version: ApiVersion,
): JobSettings {
  if (version === '2.0' || stored.tasks !== undefined)
    return mergeSettings(stored, newSettings, fieldsToRemove);
  if (isTaskUpdate(newSettings, fieldsToRemove))
    return mergeSettings(toMultiTask(stored), newSettings, fieldsToRemove);
  checkFieldsToRemove(fieldsToRemove, stored);
  const changes: JobSettings = Object.fromEntries(
    Object.entries(newSettings).filter(([field]) => !taskFields.has(field)),
  );
  // These clients see the job as multi-task and return the format that they see.
  if (changes.format === 'MULTI_TASK') delete changes.format;
  return mergeSettings(
    stored,
    changes,
    fieldsToRemove.filter((name) => !taskFields.has(name) && !isTaskKindName(name) && !entryName.test(name)),
  );
}

/**
 * Tells whether an update of a single-task job in 2.1 or 2.2 changes its task. Empty fields change nothing.
 */
function isTaskUpdate(newSettings: JobSettings, fieldsToRemove: readonly string[]): boolean {
  return (
    Object.entries(newSettings).some(([field, value]) => taskFields.has(field) && isNonEmpty(value)) ||
    taskKindsIn(newSettings).length > 0 ||
    fieldsToRemove.some((name) => name === 'tasks' || name === `tasks/${mainTaskKey}`)
  );
}

/**
 * Returns the settings of a job after jobs/update. Removal comes first. Then top-level fields of the new
 * settings replace those of the job, except `tasks` and `job_clusters`, which are merged by key: an entry
 * replaces the one with the same key, others are appended. A new task kind replaces the one of the job, and a
 * new choice of the cluster the former choice. Removing a missing field has no effect, so that a client can
 * retry an update. The caller checks the result with `checkSettings`.
 * @param stored in the format of the API version: `toMultiTask` for 2.1 and 2.2
 * @param fieldsToRemove top-level fields, `tasks/<task_key>`, `job_clusters/<job_cluster_key>`
 * @throws ServiceError for an unknown or nested name in fields_to_remove
 */
export function mergeSettings(
  stored: JobSettings,
  newSettings: JobSettings,
  fieldsToRemove: readonly string[] = [],
): JobSettings {
  const rest = withoutReplacedAlternatives(removeFields(stored, fieldsToRemove), newSettings);
  const merged: JobSettings = { ...rest, ...newSettings };
  const { tasks, job_clusters: clusters } = newSettings;
  if (tasks !== undefined) merged.tasks = mergeByKey(rest.tasks ?? [], tasks, (task) => task.task_key);
  if (clusters !== undefined)
    merged.job_clusters = mergeByKey(rest.job_clusters ?? [], clusters, (cluster) => cluster.job_cluster_key);
  // A stored format may contradict the new shape.
  if (merged.format !== undefined && newSettings.format === undefined) merged.format = formatOf(merged);
  return merged;
}

/**
 * Returns the settings of a job after jobs/reset: the new ones, with the stored run_as unless they set it.
 */
export function resetSettings(stored: JobSettings, newSettings: JobSettings): JobSettings {
  const kept = Object.entries(stored).filter(([field]) => field === 'run_as');
  return { ...Object.fromEntries(kept), ...newSettings };
}

/** Removes the task kind and the cluster choice from settings that get others. */
function withoutReplacedAlternatives(stored: JobSettings, newSettings: JobSettings): JobSettings {
  const newKind = taskKindsIn(newSettings).length > 0;
  const newCluster = clusterChoices.some((choice) => isNonEmpty(Reflect.get(newSettings, choice)));
  const choices: ReadonlySet<string> = new Set(clusterChoices);
  return Object.fromEntries(
    Object.entries(stored).filter(
      ([field, value]) => !(newKind && isTaskKindField(field, value)) && !(newCluster && choices.has(field)),
    ),
  );
}

function removeFields(stored: JobSettings, names: readonly string[]): JobSettings {
  checkFieldsToRemove(names, stored);
  const removed = new Set(names);
  const rest: JobSettings = Object.fromEntries(
    Object.entries(stored).filter(([field]) => !removed.has(field)),
  );
  const { tasks, job_clusters: clusters } = rest;
  if (tasks !== undefined) rest.tasks = tasks.filter((task) => !removed.has(`tasks/${task.task_key}`));
  if (clusters !== undefined)
    rest.job_clusters = clusters.filter((cluster) => !removed.has(`job_clusters/${cluster.job_cluster_key}`));
  return rest;
}

function checkFieldsToRemove(names: readonly string[], stored: JobSettings): void {
  for (const [index, name] of names.entries()) checkFieldToRemove(`fields_to_remove[${index}]`, name, stored);
}

function isTaskKindName(name: string): boolean {
  return /^[a-z][a-z0-9_]*_task$/.test(name);
}

function checkFieldToRemove(path: string, name: string, stored: JobSettings): void {
  // Fields of removed plugins must stay removable.
  if (knownFields.has(name) || isTaskKindName(name) || Object.hasOwn(stored, name) || entryName.test(name))
    return;
  throw invalid(
    `${path} is ${quote(name)}; it must be a top-level field of the settings, tasks/<task_key> or job_clusters/<job_cluster_key>.`,
  );
}

/** Merges lists by key. Duplicate new entries are all kept, so that the check of the result refuses them. */
function mergeByKey<Entry>(
  stored: readonly Entry[],
  added: readonly Entry[],
  keyOf: (entry: Entry) => string,
): Entry[] {
  const byKey = Map.groupBy(added, keyOf);
  const known = new Set(stored.map(keyOf));
  return [
    ...stored.flatMap((entry) => byKey.get(keyOf(entry)) ?? [entry]),
    ...added.filter((entry) => !known.has(keyOf(entry))),
  ];
}
