/** Parameters of a run: checks them, and applies them to a task (spec 2.7, 2.10). */
import { Type, type Static } from 'typebox';
import { invalid } from '../errors.ts';
import { checkAsciiList, checkAsciiMap } from '../validation/ascii.ts';
import { checkJobParameterValues, checkParameterBytes } from '../job/check-parameters.ts';
import { checkFieldReferences, referenceScopeOf } from '../job/check-references.ts';
import { checkSubmitParameters } from '../job/check-submit-task.ts';
import { tasksOf } from '../job/job-format.ts';
import { stringMap, stringList } from '../validation/scalars.ts';
import type { JobParameter, JobSettings, TaskSettings } from '../job/settings.ts';
import { builtInKindOf, type TaskKindHolder, type TaskBody, type TaskKind } from '../job/task-kinds.ts';
import { isNonEmpty } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';

/** Parameter fields of the body of run-now. */
export const runParameterFields = {
  jar_params: Type.Optional(
    stringList('For JAR tasks: replaces their parameters. At most 10,000 bytes of JSON.'),
  ),
  notebook_params: Type.Optional(
    stringMap(
      'For notebook tasks: merged into base_parameters, which they override. ASCII only, at most 10,000 bytes of JSON.',
    ),
  ),
  python_params: Type.Optional(
    stringList('For Python tasks: replaces their parameters. ASCII only, at most 10,000 bytes of JSON.'),
  ),
  spark_submit_params: Type.Optional(
    stringList('For submit tasks: replaces their parameters. ASCII only, at most 10,000 bytes of JSON.'),
  ),
  job_parameters: Type.Optional(
    stringMap("Values of the job's parameters instead of their defaults. At most 10,000 bytes of JSON."),
  ),
};

export const RunParameters = Type.Object(runParameterFields, {
  description: 'Parameters of a run: values of job parameters, and parameters of one task kind.',
});

export type RunParameters = Static<typeof RunParameters>;

type TaskParameterField = Exclude<keyof RunParameters, 'job_parameters'>;

/** Parameter field -> its task kind. */
const taskKindOfField = {
  jar_params: 'spark_jar_task',
  notebook_params: 'notebook_task',
  python_params: 'spark_python_task',
  spark_submit_params: 'spark_submit_task',
} as const satisfies Record<TaskParameterField, TaskKind>;

const taskParameterFields = [
  'jar_params',
  'notebook_params',
  'python_params',
  'spark_submit_params',
] as const satisfies readonly TaskParameterField[];

/** Tells whether there is any parameter; an empty list or map does not count. */
export function hasParameters(parameters: RunParameters): boolean {
  return (
    isNonEmpty(parameters.job_parameters) ||
    taskParameterFields.some((field) => isNonEmpty(parameters[field]))
  );
}

/**
 * Rejects parameters of two kinds, of a kind that no task has, that are too large, or that have characters
 * outside ASCII. An empty list or map counts as absent (design 10).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkRunParameters(
  parameters: RunParameters,
  tasks: readonly TaskKindHolder[],
  limits: Limits,
): void {
  const given = taskParameterFields.filter((field) => isNonEmpty(parameters[field]));
  const [field, other] = given;
  if (field === undefined) return;
  if (other !== undefined)
    throw invalid(`${field} and ${other} are given; only the parameters of one task kind are allowed.`);
  if (!tasks.some((task) => builtInKindOf(task) === taskKindOfField[field]))
    throw invalid(`${field} is given, but the job has no ${taskKindOfField[field]}.`);
  checkParameterBytes(field, parameters[field], limits);
  checkAsciiMap('notebook_params', parameters.notebook_params);
  checkAsciiList('python_params', parameters.python_params);
  checkAsciiList('spark_submit_params', parameters.spark_submit_params);
  checkSubmitParameters('spark_submit_params', parameters.spark_submit_params);
}

/**
 * Rejects parameters of run-now that violate `checkRunParameters`, values of unknown job parameters, and
 * references that cannot have a value in their task.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkRunNowParameters(
  parameters: RunParameters,
  settings: JobSettings,
  limits: Limits,
): void {
  const tasks = tasksOf(settings);
  checkRunParameters(parameters, tasks, limits);
  checkJobParameterValues(parameters.job_parameters, settings.parameters, limits);
  for (const field of taskParameterFields) {
    if (!isNonEmpty(parameters[field])) continue;
    for (const task of tasks.filter((one) => builtInKindOf(one) === taskKindOfField[field]))
      checkFieldReferences(field, parameters[field], referenceScopeOf(settings, task));
  }
}

/**
 * Returns the body of a task with the parameters of the run; undefined for a task without a built-in kind. A
 * notebook gets, in ascending precedence: base_parameters, defaults of the job parameters, notebook_params,
 * job_parameters. The parameters of all other kinds are replaced; an empty list changes nothing.
 */
export function applyParameters(
  task: TaskSettings,
  overriding: RunParameters = {},
  declared: readonly JobParameter[] = [],
): TaskBody | undefined {
  const kind = builtInKindOf(task);
  return kind === undefined ? undefined : parameterAppliers[kind](task, overriding, declared);
}

const parameterAppliers = {
  notebook_task: ({ notebook_task: body }, { notebook_params: own, job_parameters: given }, declared) => {
    const defaults = Object.fromEntries(declared.map((parameter) => [parameter.name, parameter.default]));
    const merged = { ...defaults, ...own, ...given };
    return body === undefined || !isNonEmpty(merged)
      ? body
      : { ...body, base_parameters: { ...body.base_parameters, ...merged } };
  },
  spark_jar_task: ({ spark_jar_task: body }, { jar_params: own }) => replaceParameters(body, own),
  spark_python_task: ({ spark_python_task: body }, { python_params: own }) => replaceParameters(body, own),
  spark_submit_task: ({ spark_submit_task: body }, { spark_submit_params: own }) =>
    replaceParameters(body, own),
  pipeline_task: ({ pipeline_task: body }) => body,
  run_job_task: ({ run_job_task: body }) => body,
} satisfies Record<
  TaskKind,
  (task: TaskSettings, overriding: RunParameters, declared: readonly JobParameter[]) => TaskBody | undefined
>;

function replaceParameters<B extends { parameters?: string[] }>(
  body: B | undefined,
  own: string[] = [],
): B | undefined {
  return body === undefined || own.length === 0 ? body : { ...body, parameters: own };
}
