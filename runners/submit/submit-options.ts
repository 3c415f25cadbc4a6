/**
 * Reads the parameters of a submit task: options, the application, and what belongs to the application (spec
 * 2.7).
 */
import { submitFlags } from '../../engine/job/check-submit-task.ts';
import { quote } from '../../engine/validation/messages.ts';
import { TaskStartError } from '../process/pinned-command.ts';

/** One option as it was written. */
export interface SubmitOption {
  /** With its dashes, e.g. `--conf`. */
  readonly name: string;
  /** Undefined for one that takes none. */
  readonly value: string | undefined;
  /** Which parameter it is, for messages. */
  readonly index: number;
}

export interface SubmitParameters {
  readonly options: readonly SubmitOption[];
  /** The JAR or Python file. */
  readonly application: string;
  /** Passed to the application as they are. */
  readonly applicationArgs: readonly string[];
}

/**
 * Cuts the parameters at the application: the first that is neither an option nor the value of one.
 * @throws CannotStart when an option has no value, or there is no application
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
          `spark_submit_task.parameters[${index}] is ${quote(name)}; it needs a value after it.`,
        );
      options.push({ name, value, index });
      index += 1;
    }
  }
  throw new TaskStartError(
    'spark_submit_task.parameters name no application: a .jar or .py file must follow the options.',
  );
}

/** The entries of a list with commas between them. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
