/** Rendering of settings for clients: the stored fields and the documented additions. */
import { readAliased, spellingsOf } from '../validation/aliases.ts';
import type { JobsHealthRules } from './notification-settings.ts';
import type { NewCluster } from './cluster.ts';
import { toMultiTask, formatOf, defaultName, type ApiVersion } from './job-format.ts';
import type { JobSettings, TaskSettings } from './settings.ts';

/** Defaults shown for missing fields since version 2.1. Clients compare against exactly these. */
const jobDefaults = {
  email_notifications: {},
  webhook_notifications: {},
  timeout_seconds: 0,
  max_concurrent_runs: 1,
};
const taskDefaults = { email_notifications: {}, run_if: 'ALL_SUCCESS', timeout_seconds: 0 } as const;

/**
 * Renders the settings of a job for an API version. `name` and `format` are always shown. 2.0 adds nothing
 * else; 2.1 and 2.2 show every job as multi-task with their defaults.
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

/** Renders a task for an API version. @param job settings of the job, which determine the notebook source */
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

/** Renders the parts of a job or task that differ from the stored ones. */
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

/** Renders a cluster: unsupported features are off, and custom_tags is a map. */
export function renderCluster(cluster: NewCluster): NewCluster {
  const shown: NewCluster = { ...cluster };
  if (cluster.enable_elastic_disk !== undefined) shown.enable_elastic_disk = false;
  if (cluster.ssh_public_keys !== undefined) shown.ssh_public_keys = [];
  if (Array.isArray(cluster.custom_tags)) shown.custom_tags = {};
  return shown;
}

/** Renders health rules with the operator under each spelling, because clients read different ones. */
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
