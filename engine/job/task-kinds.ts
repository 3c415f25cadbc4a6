/**
 * The task-kind table (spec 2.7): everything the service knows about a built-in kind except how its runner
 * works. A new kind is one entry here and one runner in `runners/kind-registry.ts`.
 */
import { Type, type Static, type TObject, type TOptional, type TSchema } from 'typebox';
import { checkAsciiMap } from '../validation/ascii.ts';
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { checkNotBlank, fieldPath, quote } from '../validation/messages.ts';
import { checkRunJobTask } from './check-run-job-task.ts';
import { checkSubmitTask } from './check-submit-task.ts';
import {
  NotebookTask,
  PipelineTask,
  RunJobTask,
  SparkJarTask,
  SparkPythonTask,
  SparkSubmitTask,
} from './task-schemas.ts';

/** Entry of the task-kind table. Every property is required, so an omission is a type error. */
interface TaskKindEntry {
  /** Schema of the task's body, the value of the settings field. */
  readonly schema: TObject;
  readonly needsCluster: boolean;
  /** `runner`: a process started by a runner; `coordinator`: the coordinator itself, without a process. */
  readonly executor: 'runner' | 'coordinator';
  /** Notebooks have cells to export, an exit value, and task values. */
  readonly isNotebook: boolean;
  /** True when get-output answers with stdout and stderr. */
  readonly hasLogs: boolean;
  /** Name of the kind on the pages of the console. */
  readonly label: string;
  /** Field of the body that the console shows beside the label: a path, a class, an id. */
  readonly targetField: string;
  /** Field of run-now with parameters of this kind, and the field of the body that takes them. */
  readonly runParameters: RunParameterRule | undefined;
  /** Applies the rules of the kind that its schema cannot express. `path` is '' or `tasks[n]`. */
  readonly check: ((path: string, task: never, limits: Limits) => void) | undefined;
}

interface RunParameterRule {
  readonly field: string;
  readonly target: string | undefined;
  /**
   * `merge`: entries of a map win over those of the target; `replace`: a non-empty list replaces the target;
   * `body`: fields replace those of the body itself.
   */
  readonly mode: 'merge' | 'replace' | 'body';
}

/** The built-in kinds by their settings field, in the order of spec 2.2. */
export const taskKindTable = {
  notebook_task: {
    schema: NotebookTask,
    needsCluster: true,
    executor: 'runner',
    isNotebook: true,
    hasLogs: false,
    label: 'Notebook',
    targetField: 'notebook_path',
    runParameters: { field: 'notebook_params', target: 'base_parameters', mode: 'merge' },
    check(path: string, { notebook_task: body }: { readonly notebook_task?: NotebookTask }) {
      if (body === undefined) return;
      const field = fieldPath(path, 'notebook_task.notebook_path');
      checkNotBlank(field, body.notebook_path);
      if (!body.notebook_path.startsWith('/'))
        throw invalid(
          `${field} is ${quote(body.notebook_path)}; it must be an absolute path that starts with a slash.`,
        );
      checkAsciiMap(fieldPath(path, 'notebook_task.base_parameters'), body.base_parameters);
    },
  },
  spark_jar_task: {
    schema: SparkJarTask,
    needsCluster: true,
    executor: 'runner',
    isNotebook: false,
    hasLogs: true,
    label: 'Java program',
    targetField: 'main_class_name',
    runParameters: { field: 'jar_params', target: 'parameters', mode: 'replace' },
    check: undefined,
  },
  spark_python_task: {
    schema: SparkPythonTask,
    needsCluster: true,
    executor: 'runner',
    isNotebook: false,
    hasLogs: true,
    label: 'Python program',
    targetField: 'python_file',
    runParameters: { field: 'python_params', target: 'parameters', mode: 'replace' },
    check(path: string, { spark_python_task: body }: { readonly spark_python_task?: SparkPythonTask }) {
      if (body !== undefined)
        checkNotBlank(fieldPath(path, 'spark_python_task.python_file'), body.python_file);
    },
  },
  spark_submit_task: {
    schema: SparkSubmitTask,
    needsCluster: true,
    executor: 'runner',
    isNotebook: false,
    hasLogs: true,
    label: 'Submit',
    targetField: 'parameters',
    runParameters: { field: 'spark_submit_params', target: 'parameters', mode: 'replace' },
    check: checkSubmitTask,
  },
  pipeline_task: {
    schema: PipelineTask,
    needsCluster: false,
    executor: 'runner',
    isNotebook: false,
    hasLogs: false,
    label: 'Pipeline',
    targetField: 'pipeline_id',
    runParameters: { field: 'pipeline_params', target: undefined, mode: 'body' },
    check(path: string, { pipeline_task: body }: { readonly pipeline_task?: PipelineTask }) {
      if (body !== undefined) checkNotBlank(fieldPath(path, 'pipeline_task.pipeline_id'), body.pipeline_id);
    },
  },
  run_job_task: {
    schema: RunJobTask,
    needsCluster: false,
    executor: 'coordinator',
    isNotebook: false,
    hasLogs: false,
    label: 'Job',
    targetField: 'job_id',
    runParameters: undefined,
    check: checkRunJobTask,
  },
} as const satisfies Readonly<Record<`${string}_task`, TaskKindEntry>>;

type TaskKindTable = typeof taskKindTable;

/** Name of a built-in kind: the settings field that holds its tasks. */
export type TaskKind = keyof TaskKindTable;

/** Body of a task of a built-in kind. */
export type TaskBody<Kind extends TaskKind = TaskKind> = Static<TaskKindTable[Kind]['schema']>;

/** Built-in kinds that a runner executes. */
export type RunnerKind = {
  [Kind in TaskKind]: TaskKindTable[Kind]['executor'] extends 'runner' ? Kind : never;
}[TaskKind];

/** Fields of run-now that carry parameters of one task kind. */
export type TaskParameterField = NonNullable<TaskKindTable[TaskKind]['runParameters']>['field'];

/** The built-in kinds, in the order of spec 2.2. */
export const taskKinds = Object.keys(taskKindTable) as readonly TaskKind[];

/** Optional field of each built-in kind, as in the settings of a job and of a task. */
export const taskKindFields = Object.fromEntries(
  Object.entries(taskKindTable).map(([kind, { schema }]) => [kind, Type.Optional(schema)]),
) as { [Kind in TaskKind]: TOptional<TaskKindTable[Kind]['schema']> };

/** Task kind as the rules of settings see it, built-in or of a plugin. */
export interface TaskKindInfo {
  /** Field of the settings. */
  readonly name: string;
  readonly needsCluster: boolean;
}

/** Task kind provided by a plugin. */
export interface PluginKind extends TaskKindInfo {
  /** JSON schema of the task's body, an object. */
  readonly schema: TSchema;
  /** Module of the runner, as a file URL. */
  readonly module: string;
}

/** The built-in kinds, as the rules of settings see them. */
export const builtInKinds: readonly TaskKindInfo[] = taskKinds.map((name) => ({
  name,
  needsCluster: taskKindTable[name].needsCluster,
}));

/** An object that may carry task kinds: job settings, a submission, a task. */
export type TaskKindHolder = { readonly [kind in TaskKind]?: TaskBody };

/** Returns the first built-in kind that a job or a task carries; undefined when it carries none. */
export function builtInKindOf(holder: TaskKindHolder): TaskKind | undefined {
  return taskKinds.find((kind) => holder[kind] !== undefined);
}

/**
 * Returns every task kind that a job or a task carries, known or not: a key that ends in `_task` and holds an
 * object. Validation can thus refuse an unknown kind by name instead of keeping it as an unknown setting.
 */
export function taskKindsIn(holder: object): string[] {
  return Object.entries(holder)
    .filter(([key, value]) => isTaskKindField(key, value))
    .map(([key]) => key);
}

/** Tells whether a field holds a task of some kind, known or not. */
export function isTaskKindField(field: string, value: unknown): boolean {
  return field.endsWith('_task') && typeof value === 'object' && value !== null;
}

/** Returns the kind of a task with validated settings, built in or not; undefined for a task without one. */
export function taskKindOf(task: object): string | undefined {
  return taskKindsIn(task)[0];
}

/** Returns the body of a task of this kind, as written; undefined when the task has no such kind. */
export function taskBodyOf(
  task: object,
  kind: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const [, body] = Object.entries(task).find(([key]) => key === kind) ?? [];
  return typeof body === 'object' && body !== null ? { ...body } : undefined;
}

/** Tells whether a kind is built in. */
export function isBuiltIn(kind: string): kind is TaskKind {
  return Object.hasOwn(taskKindTable, kind);
}

/** Tells whether a kind is built in and executed by a runner. */
export function isRunnerKind(kind: string): kind is RunnerKind {
  return isBuiltIn(kind) && taskKindTable[kind].executor === 'runner';
}
