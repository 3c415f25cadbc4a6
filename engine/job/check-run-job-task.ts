/** Validation of run_job_task and of the parameters of a run, without knowledge of the job that gets them. */
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { checkAsciiList, checkAsciiMap } from '../validation/ascii.ts';
import { fieldPath, isNonEmpty } from '../validation/messages.ts';
import { checkSubmitParameters } from './check-submit-task.ts';
import { checkSupported } from './fields/field-support.ts';
import { pipelineParamsFields } from './fields/task-fields.ts';
import type { RunJobTask } from './task-schemas.ts';

/**
 * Parameters of one task kind, by field of run-now; sorted, so that messages about two of them are stable.
 */
const kindParameterFields = [
  'jar_params',
  'notebook_params',
  'pipeline_params',
  'python_params',
  'spark_submit_params',
] as const;

/** Parameters for the tasks of a run. */
export type KindParameters = Pick<RunJobTask, (typeof kindParameterFields)[number]>;

/**
 * Refuses parameters of two kinds, that are too large, or that have characters outside ASCII. An empty list
 * or map counts as absent.
 * @param path path of the parameters in messages; '' for the body of run-now
 * @returns the field with parameters; undefined when there is none
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkKindParameters(
  path: string,
  parameters: KindParameters,
  limits: Limits,
): keyof KindParameters | undefined {
  const [field, other] = kindParameterFields.filter((name) => isNonEmpty(parameters[name]));
  if (field === undefined) return undefined;
  const at = (name: string): string => fieldPath(path, name);
  if (other !== undefined)
    throw invalid(
      `${at(field)} and ${at(other)} are given; only the parameters of one task kind are allowed.`,
    );
  checkParameterBytes(at(field), parameters[field], limits);
  checkSupported(at('pipeline_params'), parameters.pipeline_params ?? {}, pipelineParamsFields);
  checkAsciiMap(at('notebook_params'), parameters.notebook_params);
  checkAsciiList(at('python_params'), parameters.python_params);
  checkAsciiList(at('spark_submit_params'), parameters.spark_submit_params);
  checkSubmitParameters(at('spark_submit_params'), parameters.spark_submit_params);
  return field;
}

/**
 * Checks the parameters of a run_job_task. When the task starts, they are checked against the job that it
 * names, which may change until then.
 * @param path '' or `tasks[n]`
 */
export function checkRunJobTask(
  path: string,
  { run_job_task: body }: { readonly run_job_task?: RunJobTask },
  limits: Limits,
): void {
  if (body === undefined) return;
  const task = fieldPath(path, 'run_job_task');
  checkKindParameters(task, body, limits);
  checkParameterBytes(fieldPath(task, 'job_parameters'), body.job_parameters, limits);
}

/** Refuses a parameter field whose JSON text exceeds the limit. */
export function checkParameterBytes(field: string, value: unknown, limits: Limits): void {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes > limits.parameterBytes)
    throw invalid(`${field} is ${bytes} bytes of JSON; at most ${limits.parameterBytes} are allowed.`);
}
