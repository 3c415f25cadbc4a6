/** Lenient conversion of request values before validation: numbers and booleans as text, null as absent. */
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { isRecord } from '../../engine/validation/json-object.ts';
import { acceptsScalars } from '../../engine/validation/scalars.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const decimal = /^-?\d+$/;
const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const booleans = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
]);

/**
 * Returns a copy of `value` converted by the schema: decimal text to numbers (to integers only when exact as
 * a JSON number), `true|false|True|False` to booleans, numbers and booleans to text where the schema accepts
 * scalars, null to an absent field. Unknown fields and values that cannot be converted stay unchanged;
 * validation rejects the latter. Does not modify its argument.
 */
export function coerceValue(schema: TSchema, value: unknown): unknown {
  return isRecord(schema) ? coerceBySchema(schema, value) : value;
}

function coerceBySchema(schema: JsonObject, value: unknown): unknown {
  if (Array.isArray(schema['anyOf'])) return coerceUnion(schema['anyOf'], value);
  if (Array.isArray(schema['allOf']))
    return schema['allOf'].reduce<unknown>((result, part: unknown) => coercePart(part, result), value);
  if (typeof value === 'string') return coerceText(schema['type'], value);
  if (typeof value === 'number' || typeof value === 'boolean')
    return schema[acceptsScalars] === true ? String(value) : value;
  if (Array.isArray(value)) return value.map((entry) => coercePart(schema['items'], entry));
  return isRecord(value) ? coerceObject(schema, value) : value;
}

function coercePart(schema: unknown, value: unknown): unknown {
  return isRecord(schema) ? coerceBySchema(schema, value) : value;
}

function coerceText(type: unknown, text: string): unknown {
  if (type === 'boolean') return booleans.get(text) ?? text;
  if (type === 'number' && number.test(text) && Number.isFinite(Number(text))) return Number(text);
  if (type === 'integer' && decimal.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  return text;
}

/**
 * Leaves a value alone that matches a branch; otherwise converts it by the first branch that then matches.
 */
function coerceUnion(branches: readonly unknown[], value: unknown): unknown {
  const known = branches.filter(isRecord);
  if (known.some((branch) => Check(branch, value))) return value;
  const fitting = known.find((branch) => Check(branch, coerceBySchema(branch, value)));
  return fitting === undefined ? value : coerceBySchema(fitting, value);
}

function coerceObject(schema: JsonObject, object: JsonObject): JsonObject {
  const entries = Object.entries(object)
    // An own key of this name is never a setting and could become a prototype in a naive copy.
    .filter(([key]) => key !== '__proto__')
    .map(([key, value]) => ({ key, value, part: schemaOf(schema, key) }))
    .filter(({ value, part }) => value !== null || part === undefined)
    .map(({ key, value, part }) => [key, coercePart(part, value)]);
  return Object.fromEntries(entries);
}

/** Returns the schema of a field by name, by pattern, or as a map entry; undefined for an unknown field. */
function schemaOf(schema: JsonObject, key: string): JsonObject | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, key)) return toRecord(properties[key]);
  if (isRecord(patternProperties)) {
    const match = Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern, 'u').test(key));
    if (match !== undefined) return toRecord(match[1]);
  }
  return toRecord(additionalProperties);
}

function toRecord(schema: unknown): JsonObject | undefined {
  return isRecord(schema) ? schema : undefined;
}
