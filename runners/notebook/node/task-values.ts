/** Values that a JavaScript notebook sets for the tasks after it, and reads from the tasks before it. */
import { renameSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../engine/errors.ts';
import type { TaskValuesInput } from './driver-protocol.ts';

/** `dbutils.jobs.taskValues`: arguments in their order, or one object with their names. */
export interface TaskValuesUtility {
  /** Sets a value: anything that JSON can express. It is kept at once, also when the notebook fails later. */
  set(key: unknown, value?: unknown): void;
  /** The value that a task before this one has set; `defaultValue` when it has not. */
  get(taskKey: unknown, key?: unknown, defaultValue?: unknown): unknown;
}

export function createTaskValues(order: TaskValuesInput): TaskValuesUtility {
  let own: Readonly<Record<string, string>> = {};
  return {
    set(...given) {
      const [key, value] = toPositional(given, ['key', 'value']);
      if (typeof key !== 'string' || key === '')
        throw new TypeError('The key of a task value is a text that is not empty.');
      const text = toJson(key, value);
      const bytes = Buffer.byteLength(text);
      if (bytes > order.valueBytes) {
        throw new RangeError(
          `The task value "${key}" is ${bytes} bytes of JSON; at most ${order.valueBytes} are allowed. Keep it in a file and set its path.`,
        );
      }
      const all = { ...own, [key]: text };
      const total = Object.entries(all)
        .flat()
        .reduce((sum, part) => sum + Buffer.byteLength(part), 0);
      if (total > order.allBytes) {
        throw new RangeError(
          `With the task value "${key}" the values of this task are ${total} bytes of JSON; at most ${order.allBytes} are allowed. Keep them in a file and set its path.`,
        );
      }
      writeFileSync(`${order.file}.part`, JSON.stringify(all), { mode: 0o600 });
      renameSync(`${order.file}.part`, order.file);
      own = all;
    },
    get(...given) {
      const [taskKey, key, otherwise] = toPositional(given, ['taskKey', 'key', 'default']).map(
        (each, index) => (index < 2 ? String(each) : each),
      );
      const values = Object.hasOwn(order.before, String(taskKey)) ? order.before[String(taskKey)] : undefined;
      const text =
        values !== undefined && Object.hasOwn(values, String(key)) ? values[String(key)] : undefined;
      if (text !== undefined) return JSON.parse(text);
      if (otherwise !== undefined) return otherwise;
      if (values !== undefined)
        throw new Error(
          `Task "${String(taskKey)}" has set no value named "${String(key)}" (it has set: ${listNames(values)}). Set it there, or give a default here.`,
        );
      throw new Error(
        `Task "${String(taskKey)}" is not one of the tasks that come before this one (${listNames(order.before)}). Name it in depends_on.`,
      );
    },
  };
}

/** The arguments in their order, also when they came as one object. */
function toPositional(given: readonly unknown[], names: readonly string[]): readonly unknown[] {
  const [only] = given;
  return typeof only === 'object' && only !== null && given.length === 1
    ? names.map((name) => Reflect.get(only, name))
    : given;
}

function listNames(values: object): string {
  return Object.keys(values).toSorted().join(', ') || 'none';
}

function toJson(key: string, value: unknown): string {
  let why = `it is of type ${typeof value}`;
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (error) {
    why = messageOf(error);
  }
  throw new TypeError(`The task value "${key}" cannot be expressed in JSON: ${why}.`);
}
