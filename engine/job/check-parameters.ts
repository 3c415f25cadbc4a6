/** Validation of the parameters of a job and of their values in a run, beyond the schemas. */
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { checkFieldReferences } from './check-references.ts';
import { checkParameterBytes } from './check-run-job-task.ts';
import type { JobParameter } from './settings.ts';
import { fieldPath, checkNotBlank, quote } from '../validation/messages.ts';

/**
 * Refuses blank and duplicate names, names that no reference can spell, and more than 10,000 bytes of JSON.
 * Unlike parameters of tasks, parameters of jobs may contain any characters.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkJobParameters(parameters: readonly JobParameter[] = [], limits: Limits): void {
  const firstOf = new Map<string, number>();
  for (const [index, { name }] of parameters.entries()) {
    const field = `parameters[${index}].name`;
    checkNotBlank(field, name);
    if (name.includes('`')) throw invalid(`${field} is ${quote(name)}; it must not contain a backtick.`);
    const first = firstOf.get(name);
    if (first !== undefined)
      throw invalid(`${field} is ${quote(name)}, the same as in parameters[${first}]; each must be unique.`);
    firstOf.set(name, index);
  }
  checkParameterBytes('parameters', parameters, limits);
}

/**
 * Refuses values of unknown parameters, references that never have a value, and more than 10,000 bytes of
 * JSON.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkJobParameterValues(
  given: Readonly<Record<string, string>> = {},
  declared: readonly JobParameter[] = [],
  limits: Limits,
): void {
  const names = declared.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw invalid(
      `${fieldPath('job_parameters', unknown)} is given, but the job has no such parameter; it has ${names.map(quote).join(', ') || 'none'}.`,
    );
  }
  checkParameterBytes('job_parameters', given, limits);
  checkFieldReferences('job_parameters', given, { parameters: [], task: undefined });
}
