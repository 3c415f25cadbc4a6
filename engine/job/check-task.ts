/**
 * Validation of a task beyond its schema: one kind, one cluster, and the rules of the kind (spec 2.2-2.7).
 */
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { checkCluster } from './check-cluster.ts';
import { checkLibraries } from './check-libraries.ts';
import { checkSupported, type FieldTable } from './fields/field-support.ts';
import { dependencyFields, taskFields, taskKindFieldTables } from './fields/task-fields.ts';
import type { TaskSettings } from './settings.ts';
import { builtInKindOf, taskKindsIn, taskKindTable, type TaskKind, type TaskKindInfo } from './task-kinds.ts';
import { fieldPath, checkExactlyOne } from '../validation/messages.ts';

/** A task, or the task fields of a single-task job. */
export type TaskLike = Omit<TaskSettings, 'task_key'>;

/** Context of the rules. */
export interface TaskCheckContext {
  readonly limits: Limits;
  /** All known task kinds, built-in and of plugins. */
  readonly kinds: readonly TaskKindInfo[];
}

/** Alternative fields for the cluster of a task. */
export const clusterChoices = ['job_cluster_key', 'new_cluster', 'existing_cluster_id'] as const;

/** A kind without a table is a type error. */
const kindFields: Readonly<Record<TaskKind, FieldTable>> = taskKindFieldTables;

/**
 * Refuses a task without exactly one known kind, without exactly one cluster, or against the rules of its
 * kind, and fields that are not supported.
 * @param path '' for a single-task job, else `tasks[n]`
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkTask(path: string, task: TaskLike, { limits, kinds }: TaskCheckContext): void {
  checkKind(path, task, kinds);
  checkTaskFields(path, task);
  checkClusterChoice(path, task, kinds);
  if (task.new_cluster !== undefined) checkCluster(fieldPath(path, 'new_cluster'), task.new_cluster, limits);
  checkLibraries(fieldPath(path, 'libraries'), task.libraries);
  const kind = builtInKindOf(task);
  if (kind !== undefined) taskKindTable[kind].check?.(path, task, limits);
}

function checkTaskFields(path: string, task: TaskLike): void {
  // checkKind refuses unknown kinds; a plugin may provide them.
  const kinds = new Set(taskKindsIn(task));
  checkSupported(
    path,
    Object.fromEntries(Object.entries(task).filter(([field]) => !kinds.has(field))),
    taskFields,
  );
  for (const [index, dependency] of (task.depends_on ?? []).entries())
    checkSupported(fieldPath(path, `depends_on[${index}]`), dependency, dependencyFields);
  const kind = builtInKindOf(task);
  const body = kind && task[kind];
  if (kind !== undefined && body !== undefined) checkSupported(fieldPath(path, kind), body, kindFields[kind]);
}

function checkKind(path: string, task: TaskLike, known: readonly TaskKindInfo[]): void {
  const kinds = known.map(({ name }) => name);
  const found = taskKindsIn(task);
  const unknown = found.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined)
    throw invalid(
      `${fieldPath(path, unknown)} is not a task kind of this service; the known kinds are ${kinds.join(', ')}.`,
    );
  checkExactlyOne(path === '' ? 'The job' : path, found, kinds);
}

function checkClusterChoice(path: string, task: TaskLike, kinds: readonly TaskKindInfo[]): void {
  const chosen = clusterChoices.filter((choice) => task[choice] !== undefined && task[choice] !== '');
  if (chosen.length > 1) checkExactlyOne(path === '' ? 'The job' : path, chosen, clusterChoices);
  if (
    chosen.length === 1 ||
    taskKindsIn(task).some((kind) => kinds.some(({ name, needsCluster }) => name === kind && !needsCluster))
  )
    return;
  // Clients match this sentence; the path of the task follows it.
  const suffix = path === '' ? '' : ` ${path} has none.`;
  throw invalid(`One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.${suffix}`);
}
