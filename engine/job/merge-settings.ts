/** New settings of a stored job: replaced by reset, merged by update (spec 4.1 rules 2 and 3). */
import { invalid } from '../errors.ts';
import { formatOf } from './job-format.ts';
import { JobSettings } from './settings.ts';
import { quote } from '../validation/messages.ts';

/**
 * Fields that clients send beyond the schema (kept and shown): they can be removed again, also when they are
 * not there.
 */
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

/** One entry of a list that is named by its key, as fields_to_remove writes it. */
const entryName = /^(tasks|job_clusters)\/([A-Za-z0-9_-]{1,100})$/;

/**
 * The settings of a job after jobs/update. Removal comes first, then the new settings: their top-level fields
 * replace those of the job completely, but `tasks` and `job_clusters` are merged by key: an entry with the
 * key of another takes its place as a whole, all others are appended. Removing what is not there changes
 * nothing, so that an update whose answer was lost may be sent again. What comes out still has to be checked
 * (`checkSettings`).
 * @param stored in the format that the version of the path works on: `toMultiTask` for 2.1 and 2.2
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
  // The format follows from the shape; one that was stored before the shape changed would contradict it.
  if (merged.format !== undefined && newSettings.format === undefined) merged.format = formatOf(merged);
  return merged;
}

/**
 * The settings of a job after jobs/reset: the new ones alone, except that the job keeps running as whom it
 * ran when they do not say.
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
  // A plugin's kind may have gone with its plugin, and must still be removable.
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

/**
 * Entries of one key twice among the new ones both stay: the check of the result refuses them, instead of one
 * vanishing here.
 */
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
