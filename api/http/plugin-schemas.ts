/** Adds the task kinds of plugins to the schemas of operations, wherever built-in task kinds are allowed. */
import type { TSchema } from 'typebox';
import { taskKinds, type PluginKind } from '../../engine/job/task-kinds.ts';
import { isRecord, type JsonObject } from '../../engine/validation/json-object.ts';
import type { Operation } from './operation.ts';

/** Returns operations that accept, validate and document tasks of the plugin kinds. */
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

/** Returns a schema in which every object with built-in task kinds has the plugin kinds, too. */
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

/** Copies a schema with its non-enumerable properties, which the schema library needs. */
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

/** Returns true for object properties that include all built-in task kinds. */
function hasTaskKindFields(properties: JsonObject): boolean {
  return taskKinds.every((kind) => isRecord(properties[kind]));
}
