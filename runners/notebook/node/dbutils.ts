/**
 * `dbutils` of JavaScript notebooks: widgets, the exit call and task values, with the names and rules of the
 * Python ones.
 */
import { createTaskValues } from './task-values.ts';
import type { NotebookDriverInput } from './driver-protocol.ts';
import { createRunNotebook } from './workflow.ts';

/** The exit call ends the cell by being thrown. */
export class NotebookExit extends Error {
  override readonly name = 'NotebookExit';
}

export interface Dbutils {
  readonly dbutils: object;
  /** Undefined until the exit call. */
  exitValue(): string | undefined;
}

export function createDbutils(order: NotebookDriverInput): Dbutils {
  let exited: string | undefined;
  const known = {
    widgets: createWidgets(order.parameters),
    notebook: rejectMissingMembers('dbutils.notebook', {
      exit(value: unknown = ''): never {
        exited = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
        throw new NotebookExit(exited);
      },
      run: createRunNotebook(order),
    }),
    jobs: rejectMissingMembers('dbutils.jobs', { taskValues: createTaskValues(order.values) }),
  };
  return { dbutils: rejectMissingMembers('dbutils', known), exitValue: () => exited };
}

interface WidgetDeclaration {
  readonly name: string;
  readonly defaultValue?: unknown;
  readonly choices?: readonly unknown[];
}

/** Parameters of a notebook. A parameter given to the run wins over the default of the widget. */
function createWidgets(parameters: Readonly<Record<string, string>>): object {
  const defaults = new Map<string, string>();
  const getAll = (): Record<string, string> => ({ ...Object.fromEntries(defaults), ...parameters });
  const get = (name: string): string => {
    const all = getAll();
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    if (value !== undefined) return value;
    throw new Error(
      `No widget and no parameter of the run is named "${name}" (there is: ${Object.keys(all).toSorted().join(', ') || 'none'}). ` +
        `Give the run this parameter, or declare it: dbutils.widgets.text("${name}", "").`,
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
    getArgument: (name: string, otherwise?: unknown) =>
      otherwise === undefined || Object.hasOwn(getAll(), name) ? get(name) : String(otherwise),
    // Removing forgets the declaration alone: notebooks start with removeAll() and declare their widgets
    // anew.
    remove(name: string): void {
      get(name);
      defaults.delete(name);
    },
    removeAll: () => defaults.clear(),
  });
}

/** An object whose missing members say that they are missing, and what there is. */
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
