/** Updates of stored settings: reset replaces them, update merges them (spec 4.1 rules 2 and 3). */
import { invalid } from '../errors.ts';
import { formatOf } from './job-format.ts';
import { JobSettings } from './settings.ts';
import { quote } from '../validation/messages.ts';

/** Fields outside the schema that are stored and shown. They can be removed, even if they are missing. */
const keptFields = [
  'run_as',
  'git_source',
  'environments',
  'edit_mode',
  'deployment',
  'continuous',
  'trigger',
  'performance_target',
  'budget_policy_id',
  'usage_policy_id',
];

const knownFields: ReadonlySet<string> = new Set([...Object.keys(JobSettings.properties), ...keptFields]);

/** Matches an entry of a list by its key in fields_to_remove. */
const entryName = /^(tasks|job_clusters)\/([A-Za-z0-9_-]{1,100})$/;

/**
 * Returns the settings of a job after jobs/update. Removal comes first. Then top-level fields of the new
 * settings replace those of the job, except `tasks` and `job_clusters`, which are merged by key: an entry
 * replaces the one with the same key, others are appended. Removing a missing field has no effect, so that a
 * client can retry an update. The caller checks the result with `checkSettings`.
 * @param stored in the format of the API version: `toMultiTask` for 2.1 and 2.2
 * @param fieldsToRemove top-level fields, `tasks/<task_key>`, `job_clusters/<job_cluster_key>`
 * @throws ServiceError for an unknown or nested name in fields_to_remove
 */
export function mergeSettings(
  stored: JobSettings,
  newSettings: JobSettings,
  fieldsToRemove: readonly string[] = [],
): JobSettings {
  const rest = removeFields(stored, fieldsToRemove);
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

function removeFields(stored: JobSettings, names: readonly string[]): JobSettings {
  for (const [index, name] of names.entries()) checkFieldToRemove(`fields_to_remove[${index}]`, name, stored);
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

function checkFieldToRemove(path: string, name: string, stored: JobSettings): void {
  // Fields of removed plugins must stay removable.
  if (
    knownFields.has(name) ||
    /^[a-z][a-z0-9_]*_task$/.test(name) ||
    Object.hasOwn(stored, name) ||
    entryName.test(name)
  )
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
