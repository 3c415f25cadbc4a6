/** Task values of a JavaScript notebook: set for downstream tasks, read from upstream tasks. */
import { renameSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../engine/errors.ts';
import type { TaskValuesInput } from './driver-protocol.ts';

/** `dbutils.jobs.taskValues`. Takes positional arguments, or one object with named arguments. */
export interface TaskValuesUtility {
  /** Sets a JSON value. It is stored at once and kept even if the notebook fails later. */
  set(key: unknown, value?: unknown): void;
  /** Returns a value set by an upstream task, else `defaultValue`. */
  get(taskKey: unknown, key?: unknown, defaultValue?: unknown): unknown;
}

export function createTaskValues(order: TaskValuesInput): TaskValuesUtility {
  let own: Readonly<Record<string, string>> = {};
  return {
    set(...given) {
      const [key, value] = toPositional(given, ['key', 'value']);
      if (typeof key !== 'string' || key === '')
        throw new TypeError('The key of a task value must be a non-empty string.');
      const text = toJson(key, value);
      const bytes = Buffer.byteLength(text);
      if (bytes > order.valueBytes) {
        throw new RangeError(
          `The task value "${key}" is ${bytes} bytes of JSON; at most ${order.valueBytes} are allowed. Store it in a file and set its path.`,
        );
      }
      const all = { ...own, [key]: text };
      const total = Object.entries(all)
        .flat()
        .reduce((sum, part) => sum + Buffer.byteLength(part), 0);
      if (total > order.allBytes) {
        throw new RangeError(
          `With the task value "${key}" the values of this task are ${total} bytes of JSON; at most ${order.allBytes} are allowed. Store them in a file and set its path.`,
        );
      }
      writeFileSync(`${order.file}.part`, JSON.stringify(all), { mode: 0o600 });
      renameSync(`${order.file}.part`, order.file);
      own = all;
    },
    get(...given) {
      const [taskKey, key, defaultValue] = toPositional(given, ['taskKey', 'key', 'default']).map(
        (each, index) => (index < 2 ? String(each) : each),
      );
      const values = Object.hasOwn(order.before, String(taskKey)) ? order.before[String(taskKey)] : undefined;
      const text =
        values !== undefined && Object.hasOwn(values, String(key)) ? values[String(key)] : undefined;
      if (text !== undefined) return JSON.parse(text);
      if (defaultValue !== undefined) return defaultValue;
      if (values !== undefined)
        throw new Error(
          `Task "${String(taskKey)}" has not set "${String(key)}"; ${describeValues(values)}. Set it there, or pass a default.`,
        );
      throw new Error(
        `Task "${String(taskKey)}" is not upstream of this task (upstream tasks: ${listNames(order.before) || 'none'}). Add it to depends_on.`,
      );
    },
  };
}

/** Returns the arguments in their order, also for one object with named arguments. */
function toPositional(given: readonly unknown[], names: readonly string[]): readonly unknown[] {
  const [only] = given;
  return typeof only === 'object' && only !== null && given.length === 1
    ? names.map((name) => Reflect.get(only, name))
    : given;
}

function listNames(values: object): string {
  return Object.keys(values).toSorted().join(', ');
}

function describeValues(values: object): string {
  const names = listNames(values);
  return names === '' ? 'no values were set' : `its values are ${names}`;
}

function toJson(key: string, value: unknown): string {
  let reason = `it is of type ${typeof value}`;
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (error) {
    reason = messageOf(error);
  }
  throw new TypeError(`The task value "${key}" cannot be encoded as JSON: ${reason}.`);
}
