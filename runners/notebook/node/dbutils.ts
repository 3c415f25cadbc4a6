/**
 * `dbutils` of JavaScript notebooks: widgets, the exit call and task values, with the names and rules of the
 * Python ones.
 */
import { createTaskValues } from './task-values.ts';
import type { NotebookDriverInput } from './driver-protocol.ts';
import { createRunNotebook } from './workflow.ts';

/** Thrown by the exit call to end the cell. */
class NotebookExit extends Error {
  override readonly name = 'NotebookExit';
}

export interface Dbutils {
  readonly dbutils: object;
  /** Undefined until the exit call. */
  exitValue(): string | undefined;
}

export function createDbutils(order: NotebookDriverInput): Dbutils {
  let exitValue: string | undefined;
  const members = {
    widgets: createWidgets(order.parameters),
    notebook: rejectMissingMembers('dbutils.notebook', {
      exit(value: unknown = ''): never {
        exitValue = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
        throw new NotebookExit(exitValue);
      },
      run: createRunNotebook(order),
    }),
    jobs: rejectMissingMembers('dbutils.jobs', { taskValues: createTaskValues(order.values) }),
  };
  return { dbutils: rejectMissingMembers('dbutils', members), exitValue: () => exitValue };
}

interface WidgetDeclaration {
  readonly name: string;
  readonly defaultValue?: unknown;
  readonly choices?: readonly unknown[];
}

/** Creates `dbutils.widgets`. A parameter of the run wins over the default of its widget. */
function createWidgets(parameters: Readonly<Record<string, string>>): object {
  const defaults = new Map<string, string>();
  const getAll = (): Record<string, string> => ({ ...Object.fromEntries(defaults), ...parameters });
  const get = (name: string): string => {
    const all = getAll();
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    if (value !== undefined) return value;
    throw new Error(
      `No widget or run parameter is named "${name}"; ${describeNames(all)}. ` +
        `Pass the parameter to the run, or declare it: dbutils.widgets.text("${name}", "").`,
    );
  };
  const declare = ({ name, defaultValue = '' }: WidgetDeclaration): void => {
    defaults.set(name, defaultValue === null ? '' : String(defaultValue));
  };
  const choose = (choice: WidgetDeclaration): void => {
    const { name, defaultValue, choices = [] } = choice;
    if (!choices.includes(defaultValue))
      throw new Error(
        `The default "${String(defaultValue)}" of widget "${name}" is not one of its choices: ${choices.map(String).join(', ')}.`,
      );
    declare(choice);
  };
  return rejectMissingMembers('dbutils.widgets', {
    text: (name: string, defaultValue?: unknown) => declare({ name, defaultValue }),
    combobox: (name: string, defaultValue?: unknown) => declare({ name, defaultValue }),
    dropdown: (name: string, defaultValue: unknown, choices: readonly unknown[]) =>
      choose({ name, defaultValue, choices }),
    multiselect: (name: string, defaultValue: unknown, choices: readonly unknown[]) =>
      choose({ name, defaultValue, choices }),
    get,
    getAll,
    getArgument: (name: string, defaultValue?: unknown) =>
      defaultValue === undefined || Object.hasOwn(getAll(), name) ? get(name) : String(defaultValue),
    // Removing a widget keeps the run parameter: notebooks often begin with removeAll().
    remove(name: string): void {
      get(name);
      defaults.delete(name);
    },
    removeAll: () => defaults.clear(),
  });
}

function describeNames(values: object): string {
  const names = Object.keys(values).toSorted();
  return names.length === 0 ? 'none exist' : `available are ${names.join(', ')}`;
}

/** Wraps an object: access to a missing member throws an error that lists the members. */
function rejectMissingMembers(path: string, members: object): object {
  return new Proxy(members, {
    get(target, name, receiver) {
      if (
        typeof name === 'symbol' ||
        name in target ||
        ['then', 'toJSON', 'constructor', 'inspect'].includes(name)
      )
        return Reflect.get(target, name, receiver);
      throw new Error(
        `${path}.${name} is not available in JavaScript notebooks; ${path} has ${Object.keys(target).join(', ')}.`,
      );
    },
  });
}
