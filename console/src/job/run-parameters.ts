/** From what stands in the form of a start to the parameters of run-now. */
import type { TaskSettings } from '../api/documents.ts';
import { workOf } from './task-work.ts';

export interface KindField {
  /** Field of run-now. */
  readonly field: string;
  readonly words: string;
  /** Names with values; a list otherwise. */
  readonly isMap: boolean;
}

/** Task kind -> the field for its parameters. */
const fieldOfKind: Readonly<Record<string, KindField>> = {
  notebook_task: { field: 'notebook_params', words: 'notebooks', isMap: true },
  spark_python_task: { field: 'python_params', words: 'Python programs', isMap: false },
  spark_jar_task: { field: 'jar_params', words: 'Java programs', isMap: false },
  spark_submit_task: { field: 'spark_submit_params', words: 'submit tasks', isMap: false },
};

/** The fields that make sense for the tasks of a job. */
export function fieldsFor(tasks: readonly TaskSettings[]): KindField[] {
  const kinds = new Set(tasks.map((task) => workOf(task).kind));
  return [...kinds].flatMap((kind) => fieldOfKind[kind] ?? []);
}

/**
 * The parameter fields of run-now. @param values parameters of the job that were changed
 * @param text one parameter a line; `name=value` where the field is a map
 */
export function readParameters(
  values: Readonly<Record<string, string>>,
  fields: readonly KindField[],
  { field, text }: { readonly field: string; readonly text: string },
): object {
  const chosen = fields.find((one) => one.field === field);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const given = chosen?.isMap === true ? Object.fromEntries(lines.map(pairOf)) : lines;
  return {
    ...(Object.keys(values).length > 0 && { job_parameters: values }),
    ...(chosen !== undefined && lines.length > 0 && { [chosen.field]: given }),
  };
}

/** A line without `=` is a name with an empty value. */
function pairOf(line: string): [string, string] {
  const at = line.indexOf('=');
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)];
}
