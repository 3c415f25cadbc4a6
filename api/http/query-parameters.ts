/** Query parameters as the fields of a request: dotted names are nested fields, repeated ones lists. */
import type { TSchema } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { isRecord, type JsonObject } from '../../engine/validation/json-object.ts';

/**
 * Returns the fields of a query by its schema: `filter_by.is_pinned=true` is a field of the object `filter_by`,
 * and a list has an entry for each repetition of its name. Values stay text; unknown names stay as they are.
 * @throws ServiceError for a name with different values that is not a list
 */
export function readQueryParameters(schema: TSchema, query: object): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const path = pathOf(schema, name);
    const last = path.at(-1);
    const read = last?.schema['type'] === 'array' ? [value].flat() : mergeRepetitions(name, value);
    setField(fields, last === undefined ? [name] : path.map((step) => step.name), read);
  }
  return fields;
}

interface PathStep {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Returns the fields that a name leads through; none when the schema does not have them all. */
function pathOf(schema: TSchema, name: string): PathStep[] {
  const steps: PathStep[] = [];
  let current: unknown = schema;
  for (const part of name.split('.')) {
    const properties: unknown = isRecord(current) ? current['properties'] : undefined;
    const next = isRecord(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined;
    if (!isRecord(next)) return [];
    steps.push({ name: part, schema: next });
    current = next;
  }
  return steps;
}

function setField(fields: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const nested: Record<string, unknown> = isRecord(own) ? { ...own } : {};
  setField(nested, rest, value);
  fields[name] = nested;
}

/** Merges repetitions of equal value; different values are an error. */
function mergeRepetitions(name: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const [first, ...others] = new Set<unknown>(value);
  if (others.length === 0) return first;
  throw invalid(`${name} is given ${value.length} times with different values; send it once.`);
}
