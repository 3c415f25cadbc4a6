/**
 * Parameters given with a run: which may be given together, and what they make of a task (spec 2.7, 2.10).
 */
import { Type, type Static, type TSchema } from 'typebox';
import { invalid } from '../errors.ts';
import { checkJobParameterValues } from '../job/check-parameters.ts';
import { checkFieldReferences, referenceScopeOf } from '../job/check-references.ts';
import { checkKindParameters, type KindParameters } from '../job/check-run-job-task.ts';
import { tasksOf } from '../job/job-format.ts';
import { stringMap, stringList } from '../validation/scalars.ts';
import type { JobParameter, JobSettings, TaskSettings } from '../job/settings.ts';
import {
  builtInKindOf,
  taskKinds,
  taskKindTable,
  type TaskBody,
  type TaskKind,
  type TaskKindHolder,
  type TaskParameterField,
} from '../job/task-kinds.ts';
import { isNonEmpty } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';
import { PipelineParams } from '../job/task-schemas.ts';

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
  pipeline_params: Type.Optional(PipelineParams),
  job_parameters: Type.Optional(
    stringMap("Values of the job's parameters instead of their defaults. At most 10,000 bytes of JSON."),
  ),
} satisfies Record<TaskParameterField | 'job_parameters', TSchema>;

export const RunParameters = Type.Object(runParameterFields, {
  description: 'Parameters of a run: values of job parameters, and parameters of one task kind.',
});

export type RunParameters = Static<typeof RunParameters>;

/** Returns the parameters in the body of a request. */
export function pickRunParameters(body: RunParameters): RunParameters {
  return Object.fromEntries(
    Object.entries(body).filter(([field]) => Object.hasOwn(runParameterFields, field)),
  );
}

/** Task kinds by the field of run-now that carries their parameters. */
const kindByParameterField: ReadonlyMap<TaskParameterField, TaskKind> = new Map(
  taskKinds.flatMap((kind) => {
    const rule = taskKindTable[kind].runParameters;
    return rule === undefined ? [] : [[rule.field, kind] as const];
  }),
);

// Sorted, so that messages about two fields are the same for every order of the table.
const taskParameterFields: readonly (keyof KindParameters)[] = [...kindByParameterField.keys()].sort();

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
  const field = checkKindParameters('', parameters, limits);
  if (field !== undefined && !tasks.some((task) => builtInKindOf(task) === kindByParameterField.get(field)))
    throw invalid(`${field} is given, but the job has no ${kindByParameterField.get(field)}.`);
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
    for (const task of tasks.filter((one) => builtInKindOf(one) === kindByParameterField.get(field)))
      checkFieldReferences(field, parameters[field], referenceScopeOf(settings, task));
  }
}

/**
 * Returns the body of a task with the parameters of the run; undefined for a task without a built-in kind. A
 * notebook gets, in ascending precedence: base_parameters, notebook_params, job parameters with the values of
 * the run. The parameters of other kinds are replaced; an empty list changes nothing. pipeline_params replace
 * fields of the body.
 */
export function applyParameters(
  task: TaskSettings,
  overriding: RunParameters = {},
  declared: readonly JobParameter[] = [],
): TaskBody | undefined {
  const kind = builtInKindOf(task);
  if (kind === undefined) return undefined;
  const body = task[kind];
  const rule = taskKindTable[kind].runParameters;
  if (body === undefined || rule === undefined) return body;
  const own = overriding[rule.field];
  // The schema of the field fits the target: both are lists, or both are maps.
  if (rule.mode === 'body') return { ...body, ...own } as TaskBody;
  if (rule.mode === 'replace') return isNonEmpty(own) ? ({ ...body, [rule.target]: own } as TaskBody) : body;
  const defaults = Object.fromEntries(declared.map((parameter) => [parameter.name, parameter.default]));
  const merged = { ...own, ...defaults, ...overriding.job_parameters };
  if (!isNonEmpty(merged)) return body;
  return { ...body, [rule.target]: Object.assign({}, Reflect.get(body, rule.target), merged) };
}
