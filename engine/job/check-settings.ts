/** Validation of job settings and submissions across fields, versions and limits, after their schemas. */
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { checkNotifications } from './check-notifications.ts';
import { checkCluster } from './check-cluster.ts';
import { checkJobParameters } from './check-parameters.ts';
import { checkReferences } from './check-references.ts';
import { checkSchedule } from './check-schedule.ts';
import { checkFormat } from './check-format.ts';
import { checkTask, type TaskCheckContext } from './check-task.ts';
import { checkSupported, type FieldTable } from './fields/field-support.ts';
import { jobClusterFields, jobFields, settingsParts, submissionFields } from './fields/job-fields.ts';
import type { ApiVersion } from './job-format.ts';
import { checkGraph } from './task-graph.ts';
import type { JobCluster, JobSettings, SubmitSettings, TaskSettings } from './settings.ts';
import { builtInKinds, type TaskKindInfo } from './task-kinds.ts';
import { isRecord } from '../validation/json-object.ts';
import { checkMaxBytes, checkMaxItems, isNonEmpty, quote } from '../validation/messages.ts';

export interface CheckOptions {
  /** API version; 2.1 and 2.2 allow jobs only in multi-task format. */
  readonly version: ApiVersion;
  readonly limits: Limits;
  /** All known task kinds. Default: the built-in ones. */
  readonly kinds?: readonly TaskKindInfo[];
}

/**
 * Checks the complete settings of a job: of create, of reset, or merged by update (spec 2.2-2.4, 2.7-2.9, 8).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkSettings(
  settings: JobSettings,
  { version, limits, kinds = builtInKinds }: CheckOptions,
): void {
  checkFormat(settings, version === '2.0' ? undefined : version, kinds);
  checkSupported('', settings, jobFields);
  checkParts(settings);
  checkMaxBytes('name', settings.name ?? '', limits.runNameBytes);
  checkConcurrency(settings.max_concurrent_runs, limits);
  checkSchedule(settings);
  checkNoAccessControlList(settings);
  checkNotifications('', settings, limits);
  checkTasks(settings, { limits, kinds });
}

/**
 * Checks the body of runs/submit, which allows both formats in every version but no shared job clusters (spec
 * 4.1 rule 5).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkSubmission(
  submission: SubmitSettings,
  { limits, kinds = builtInKinds }: CheckOptions,
): void {
  checkFormat(submission, undefined, kinds);
  // Refused with a message of its own below.
  const { job_clusters: clusters, ...rest } = submission;
  checkSupported('', rest, submissionFields);
  checkParts(rest);
  checkMaxBytes('run_name', submission.run_name ?? '', limits.runNameBytes);
  checkIdempotencyToken(submission.idempotency_token, limits);
  checkNotifications('', submission, limits);
  const shared = isNonEmpty(clusters) ? 'job_clusters' : findSharedClusterUse(submission.tasks);
  if (shared !== undefined)
    throw invalid(
      `${shared} is given; a submission cannot have shared job clusters; give each task a new_cluster or an existing_cluster_id.`,
    );
  checkTasks(submission, { limits, kinds });
}

/** Refuses unsupported fields of objects in the settings. */
function checkParts(settings: object): void {
  const given = new Map<string, unknown>(Object.entries(settings));
  for (const [field, table] of Object.entries<FieldTable>(settingsParts)) {
    const part = given.get(field);
    if (isRecord(part)) checkSupported(field, part, table);
  }
}

/** Refuses an idempotency token that is too long. Counts Unicode code points. */
export function checkIdempotencyToken(token: string | undefined, limits: Limits): void {
  const length = [...(token ?? '')].length;
  const maximum = limits.idempotencyTokenCharacters;
  if (length > maximum)
    throw invalid(`idempotency_token has ${length} characters; at most ${maximum} are allowed.`);
}

/**
 * Refuses an access_control_list in settings, where it would have no effect. jobs/create removes it before.
 */
function checkNoAccessControlList(settings: object): void {
  if ('access_control_list' in settings && isNonEmpty(settings.access_control_list)) {
    throw invalid(
      'access_control_list is given; the permissions of a job are changed with PUT or PATCH permissions/jobs/<job_id>.',
    );
  }
}

function checkConcurrency(runs: number | undefined, limits: Limits): void {
  const maximum = limits.maxConcurrentRuns;
  if (runs !== undefined && runs > maximum)
    throw invalid(`max_concurrent_runs is ${runs}; it must be between 0 and ${maximum}.`);
}

function findSharedClusterUse(tasks: readonly TaskSettings[] = []): string | undefined {
  const index = tasks.findIndex((task) => isNonEmpty(task.job_cluster_key));
  return index < 0 ? undefined : `tasks[${index}].job_cluster_key`;
}

/** Checks tasks, shared clusters, the graph, and parameters with their references. */
function checkTasks(settings: JobSettings | SubmitSettings, context: TaskCheckContext): void {
  checkJobParameters(settings.parameters, context.limits);
  checkEachTask(settings, context);
  checkReferences(settings);
}

function checkEachTask(settings: JobSettings | SubmitSettings, context: TaskCheckContext): void {
  const { tasks, job_clusters: clusters = [] } = settings;
  if (tasks === undefined) {
    checkTask('', settings, context);
    return;
  }
  checkMaxItems('tasks', tasks, context.limits.tasksPerJob);
  checkJobClusters(clusters, context.limits);
  checkGraph(tasks);
  const keys = clusters.map((cluster) => cluster.job_cluster_key);
  for (const [index, task] of tasks.entries()) {
    checkClusterKey(`tasks[${index}].job_cluster_key`, task.job_cluster_key, keys);
    checkTask(`tasks[${index}]`, task, context);
    checkNotifications(`tasks[${index}]`, task, context.limits);
  }
}

function checkClusterKey(path: string, key: string | undefined, keys: readonly string[]): void {
  if (!isNonEmpty(key) || keys.some((known) => known === key)) return;
  throw invalid(`${path} is ${quote(key)}; no entry of job_clusters has this key.`);
}

function checkJobClusters(clusters: readonly JobCluster[], limits: Limits): void {
  checkMaxItems('job_clusters', clusters, limits.jobClustersPerJob);
  const firstOf = new Map<string, number>();
  for (const [index, cluster] of clusters.entries()) {
    const path = `job_clusters[${index}]`;
    const first = firstOf.get(cluster.job_cluster_key);
    if (first !== undefined) {
      throw invalid(
        `${path}.job_cluster_key is ${quote(cluster.job_cluster_key)}, the same as in job_clusters[${first}]; each must be unique.`,
      );
    }
    firstOf.set(cluster.job_cluster_key, index);
    checkSupported(path, cluster, jobClusterFields);
    checkNoLibraries(path, cluster);
    checkNoLibraries(`${path}.new_cluster`, cluster.new_cluster);
    checkCluster(`${path}.new_cluster`, cluster.new_cluster, limits);
  }
}

function checkNoLibraries(path: string, holder: object): void {
  if ('libraries' in holder && isNonEmpty(holder.libraries)) {
    throw invalid(
      `${path}.libraries is given; libraries are configured in the tasks, never on a shared job cluster.`,
    );
  }
}
