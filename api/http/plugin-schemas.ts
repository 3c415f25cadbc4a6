/**
 * Puts the task kinds of plugins into the schemas of operations, wherever a task of a built-in kind may
 * stand.
 */
import type { TSchema } from 'typebox';
import { taskKinds, type PluginKind } from '../../engine/job/task-kinds.ts';
import type { Operation } from './operation.ts';
import { isRecord } from '../../engine/validation/is-record.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Operations that take, check and describe tasks of these kinds as they do those of built-in kinds. */
export function addPluginKindsToOperations(
  operations: readonly Operation[],
  plugins: readonly PluginKind[],
): readonly Operation[] {
  if (plugins.length === 0) return operations;
  return operations.map((operation) => ({
    ...operation,
    request: addPluginKindsToSchema(operation.request, plugins),
    response: addPluginKindsToSchema(operation.response, plugins),
  }));
}

/** A schema in which every object that may hold a built-in task kind may hold one of these as well. */
export function addPluginKindsToSchema(schema: TSchema, plugins: readonly PluginKind[]): TSchema {
  if (plugins.length === 0 || !isRecord(schema)) return schema;
  const added = Object.fromEntries(plugins.map(({ name, schema: own }) => [name, own]));
  return extendObject(schema, added);
}

function extendObject(schema: JsonObject, added: JsonObject): JsonObject {
  const parts = Object.entries(schema).map(([key, value]): [string, unknown] => [
    key,
    extendValue(value, added),
  ]);
  if (hasTaskKindFields(schema)) return cloneWith(schema, { ...Object.fromEntries(parts), ...added });
  return parts.every(([key, part]) => part === schema[key])
    ? schema
    : cloneWith(schema, Object.fromEntries(parts));
}

/** What the schema library remembers beside what is seen stays with the copy. */
function cloneWith(schema: JsonObject, parts: JsonObject): JsonObject {
  return Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), parts);
}

function extendValue(value: unknown, added: JsonObject): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry: unknown) => extendValue(entry, added));
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }
  return isRecord(value) ? extendObject(value, added) : value;
}

/** Fields of an object, all built-in kinds among them. */
function hasTaskKindFields(properties: JsonObject): boolean {
  return taskKinds.every((kind) => isRecord(properties[kind]));
}
