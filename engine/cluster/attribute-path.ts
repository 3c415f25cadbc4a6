/** Attributes of clusters by the paths of policies, such as `autoscale.max_workers` and `init_scripts.*.workspace`. */
import { isRecord, type JsonObject } from '../validation/json-object.ts';

/** Fields with entries whose names may contain dots: the rest of a path is the name. */
const mapFields: ReadonlySet<string> = new Set(['spark_conf', 'spark_env_vars', 'custom_tags']);

/** Name in a path that stands for every entry of a list or map. */
const everyEntry = '*';

/** Splits a path into the names of nested fields. */
export function splitAttributePath(path: string): readonly string[] {
  const [field = '', ...rest] = path.split('.');
  return mapFields.has(field) && rest.length > 0 ? [field, rest.join('.')] : [field, ...rest];
}

/** Tells whether a path names every entry of a list or map. */
export function hasWildcard(path: string): boolean {
  return splitAttributePath(path).includes(everyEntry);
}

/** Returns the values at a path: several for a wildcard, none for a missing attribute. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined || value === null ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  if (name === everyEntry) return Object.values(value).flatMap((entry) => valuesAt(entry, rest));
  const own = Object.entries(value).find(([key]) => key === name);
  return own === undefined ? [] : valuesAt(own[1], rest);
}

/** Returns a copy of an object with a value at a path without wildcards; missing objects and lists are created. */
export function withValueAt(object: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [name = '', ...rest] = path;
  return {
    ...object,
    [name]: replaceAt(Object.hasOwn(object, name) ? object[name] : undefined, rest, value),
  };
}

function replaceAt(current: unknown, path: readonly string[], value: unknown): unknown {
  const [name] = path;
  if (name === undefined) return value;
  if (!/^\d{1,3}$/.test(name)) return withValueAt(isRecord(current) ? current : {}, path, value);
  const list = Array.isArray(current) ? [...current] : [];
  // A position after the end appends: a list has no holes.
  const index = Math.min(Number(name), list.length);
  list[index] = replaceAt(list[index], path.slice(1), value);
  return list;
}
