/** Converts the form of the run-now dialog to the parameters of run-now. */
import type { TaskSettings } from '../api/documents.ts';
import { taskSummaryOf } from './task-summary.ts';

export interface TaskParameterField {
  /** Field of run-now. */
  readonly field: string;
  readonly label: string;
  /** True for names with values, false for a list. */
  readonly isMap: boolean;
}

/** Task kind -> the field for its parameters. */
const parameterFieldOfKind: Readonly<Record<string, TaskParameterField>> = {
  notebook_task: { field: 'notebook_params', label: 'Notebook tasks', isMap: true },
  spark_python_task: { field: 'python_params', label: 'Python tasks', isMap: false },
  spark_jar_task: { field: 'jar_params', label: 'JAR tasks', isMap: false },
  spark_submit_task: { field: 'spark_submit_params', label: 'Spark submit tasks', isMap: false },
};

/** Lists the parameter fields for the task kinds of a job. */
export function listParameterFields(tasks: readonly TaskSettings[]): TaskParameterField[] {
  const kinds = new Set(tasks.map((task) => taskSummaryOf(task).kind));
  return [...kinds].flatMap((kind) => parameterFieldOfKind[kind] ?? []);
}

/**
 * Returns the parameter fields of run-now.
 * @param values changed parameters of the job
 * @param text one parameter per line; `name=value` when the field is a map
 */
export function parseRunParameters(
  values: Readonly<Record<string, string>>,
  fields: readonly TaskParameterField[],
  { field, text }: { readonly field: string; readonly text: string },
): object {
  const chosen = fields.find((one) => one.field === field);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const given = chosen?.isMap === true ? Object.fromEntries(lines.map(parsePair)) : lines;
  return {
    ...(Object.keys(values).length > 0 && { job_parameters: values }),
    ...(chosen !== undefined && lines.length > 0 && { [chosen.field]: given }),
  };
}

/** Parses `name=value`; a line without `=` is a name with an empty value. */
function parsePair(line: string): [string, string] {
  const at = line.indexOf('=');
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)];
}
