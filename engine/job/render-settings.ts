/**
 * Settings as jobs/get and its kin show them: what was written, the few promised additions, and nothing
 * invented.
 */
import { readAliased, spellingsOf } from '../validation/aliases.ts';
import type { JobsHealthRules } from './notification-settings.ts';
import type { NewCluster } from './cluster.ts';
import { toMultiTask, formatOf, defaultName, type ApiVersion } from './job-format.ts';
import type { JobSettings, TaskSettings } from './settings.ts';

/**
 * What the versions from 2.1 on show for settings that were not given; clients compare against exactly these.
 */
const jobDefaults = {
  email_notifications: {},
  webhook_notifications: {},
  timeout_seconds: 0,
  max_concurrent_runs: 1,
};
const taskDefaults = { email_notifications: {}, run_if: 'ALL_SUCCESS', timeout_seconds: 0 } as const;

/**
 * The settings of a job as a version of the path shows them. `name` and `format` are always there. 2.0 adds
 * nothing else; 2.1 and 2.2 show every job as multi-task with the defaults of that version.
 */
export function renderSettings(settings: JobSettings, version: ApiVersion): JobSettings {
  if (version === '2.0')
    return {
      ...renderParts(settings, version),
      name: settings.name ?? defaultName,
      format: formatOf(settings),
    };
  const multi = toMultiTask(settings);
  return {
    ...jobDefaults,
    ...renderParts(multi, version),
    name: settings.name ?? defaultName,
    format: 'MULTI_TASK',
  };
}

/** One task as a version of the path shows it; `job` tells where its notebooks come from. */
export function renderTask(task: TaskSettings, job: object, version: ApiVersion): TaskSettings {
  if (version === '2.0') return renderParts(task, version);
  const shown: TaskSettings = { ...taskDefaults, ...renderParts(task, version) };
  if (shown.depends_on !== undefined)
    shown.depends_on = shown.depends_on.toSorted((a, b) => (a.task_key < b.task_key ? -1 : 1));
  if (shown.notebook_task !== undefined) {
    shown.notebook_task = {
      source: Object.hasOwn(job, 'git_source') ? 'GIT' : 'WORKSPACE',
      ...shown.notebook_task,
    };
  }
  return shown;
}

type RenderedParts = Pick<JobSettings, 'new_cluster' | 'health' | 'job_clusters' | 'tasks'>;

/** The parts of a job or a task that never come back quite as written, wherever they stand. */
function renderParts<T extends RenderedParts>(holder: T, version: ApiVersion): T {
  const shown: T = { ...holder };
  if (holder.new_cluster !== undefined) shown.new_cluster = renderCluster(holder.new_cluster);
  if (holder.health !== undefined) shown.health = renderHealth(holder.health);
  if (holder.job_clusters !== undefined) {
    shown.job_clusters = holder.job_clusters.map((entry) => ({
      ...entry,
      new_cluster: renderCluster(entry.new_cluster),
    }));
  }
  if (holder.tasks !== undefined) shown.tasks = holder.tasks.map((task) => renderTask(task, holder, version));
  return shown;
}

/** A cluster as it is shown: what is not supported reads as switched off, and a map is never a list. */
export function renderCluster(cluster: NewCluster): NewCluster {
  const shown: NewCluster = { ...cluster };
  if (cluster.enable_elastic_disk !== undefined) shown.enable_elastic_disk = false;
  if (cluster.ssh_public_keys !== undefined) shown.ssh_public_keys = [];
  if (Array.isArray(cluster.custom_tags)) shown.custom_tags = {};
  return shown;
}

/** Health rules with the comparison under each of its spellings: different clients read different ones. */
function renderHealth(health: JobsHealthRules): JobsHealthRules {
  if (health.rules === undefined) return health;
  const rules = health.rules.map((rule) => {
    const operator = readAliased(rule, 'operator');
    return {
      ...rule,
      ...Object.fromEntries(spellingsOf('operator').map((spelling) => [spelling, operator])),
    };
  });
  return { ...health, rules };
}
