/**
 * Puts the task kinds of plugins into the schemas of operations, wherever a task of a built-in kind may
 * stand.
 */
import type { TSchema } from 'typebox';
import { taskKinds, type PluginKind } from '../../engine/job/task-kinds.ts';
import type { Operation } from './operation.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Operations that take, check and describe tasks of these kinds as they do those of built-in kinds. */
export function withKindsOf(
  operations: readonly Operation[],
  plugins: readonly PluginKind[],
): readonly Operation[] {
  if (plugins.length === 0) return operations;
  return operations.map((operation) => ({
    ...operation,
    request: withPluginKinds(operation.request, plugins),
    response: withPluginKinds(operation.response, plugins),
  }));
}

/** A schema in which every object that may hold a built-in task kind may hold one of these as well. */
export function withPluginKinds(schema: TSchema, plugins: readonly PluginKind[]): TSchema {
  if (plugins.length === 0 || !isFields(schema)) return schema;
  const added = Object.fromEntries(plugins.map(({ name, schema: own }) => [name, own]));
  return extended(schema, added);
}

function extended(schema: Fields, added: Fields): Fields {
  const parts = Object.entries(schema).map(([key, value]): [string, unknown] => [
    key,
    extendedPart(value, added),
  ]);
  if (holdsKinds(schema)) return copyWith(schema, { ...Object.fromEntries(parts), ...added });
  return parts.every(([key, part]) => part === schema[key])
    ? schema
    : copyWith(schema, Object.fromEntries(parts));
}

/** What the schema library remembers beside what is seen stays with the copy. */
function copyWith(schema: Fields, parts: Fields): Fields {
  return Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), parts);
}

function extendedPart(value: unknown, added: Fields): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry: unknown) => extendedPart(entry, added));
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }
  return isFields(value) ? extended(value, added) : value;
}

/** Fields of an object, all built-in kinds among them. */
function holdsKinds(properties: Fields): boolean {
  return taskKinds.every((kind) => isFields(properties[kind]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
