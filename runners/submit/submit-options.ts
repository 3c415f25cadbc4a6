/** Parses the parameters of a submit task: options, the application, and its arguments (spec 2.7). */
import { submitFlags } from '../../engine/job/check-submit-task.ts';
import { quote } from '../../engine/validation/messages.ts';
import { TaskStartError } from '../process/pinned-command.ts';

/** One option, as written. */
export interface SubmitOption {
  /** With its dashes, e.g. `--conf`. */
  readonly name: string;
  /** Undefined for a flag. */
  readonly value: string | undefined;
  /** Index of the parameter, for messages. */
  readonly index: number;
}

export interface SubmitParameters {
  readonly options: readonly SubmitOption[];
  /** JAR or Python file. */
  readonly application: string;
  /** Passed to the application unchanged. */
  readonly applicationArgs: readonly string[];
}

/**
 * Splits the parameters at the application, the first that is neither an option nor the value of one.
 * @throws TaskStartError for an option without its value, or without an application
 */
export function parseSubmitParameters(parameters: readonly string[]): SubmitParameters {
  const options: SubmitOption[] = [];
  for (let index = 0; index < parameters.length; index += 1) {
    const written = parameters[index] ?? '';
    if (!written.startsWith('-'))
      return { options, application: written, applicationArgs: parameters.slice(index + 1) };
    const equals = written.indexOf('=');
    const name = equals < 0 ? written : written.slice(0, equals);
    if (equals >= 0) options.push({ name, value: written.slice(equals + 1), index });
    else if (submitFlags.has(name)) options.push({ name, value: undefined, index });
    else {
      const value = parameters[index + 1];
      if (value === undefined)
        throw new TaskStartError(
          `spark_submit_task.parameters[${index}] is ${quote(name)}; it requires a value.`,
        );
      options.push({ name, value, index });
      index += 1;
    }
  }
  throw new TaskStartError(
    'spark_submit_task.parameters has no application; a .jar or .py file must follow the options.',
  );
}

/** Splits a comma-separated list. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
