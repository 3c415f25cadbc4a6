/**
 * What is forgiven in a request before its schema is applied: numbers and booleans as text, null for absent.
 */
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { isRecord } from '../../engine/validation/is-record.ts';

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
 * A copy of `value` in which, wherever the schema says so, decimal text has become a number (an integer only
 * when it is exact as a JSON number), `true|false|True|False` a boolean, and null an absent field. Fields
 * that the schema does not know stay as they are, and so does what cannot be converted: the schema then
 * refuses it. Never changes its argument.
 */
export function coerceValue(schema: TSchema, value: unknown): unknown {
  return isRecord(schema) ? coerceBySchema(schema, value) : value;
}

function coerceBySchema(schema: JsonObject, value: unknown): unknown {
  if (Array.isArray(schema['anyOf'])) return coerceUnion(schema['anyOf'], value);
  if (Array.isArray(schema['allOf']))
    return schema['allOf'].reduce<unknown>((result, part: unknown) => coercePart(part, result), value);
  if (typeof value === 'string') return coerceText(schema['type'], value);
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
 * What fits a branch as it was written is left alone; else the first branch that it can be made to fit
 * decides.
 */
function coerceUnion(branches: readonly unknown[], value: unknown): unknown {
  const known = branches.filter(isRecord);
  if (known.some((branch) => Check(branch, value))) return value;
  const fitting = known.find((branch) => Check(branch, coerceBySchema(branch, value)));
  return fitting === undefined ? value : coerceBySchema(fitting, value);
}

function coerceObject(schema: JsonObject, object: JsonObject): JsonObject {
  const entries = Object.entries(object)
    // An own key of this name carries no setting and would become a prototype in the hands of a careless
    // copy.
    .filter(([key]) => key !== '__proto__')
    .map(([key, value]) => ({ key, value, part: schemaOf(schema, key) }))
    .filter(({ value, part }) => value !== null || part === undefined)
    .map(({ key, value, part }) => [key, coercePart(part, value)]);
  return Object.fromEntries(entries);
}

/**
 * The schema of one field: by its name, by a pattern, or as an entry of a map; undefined for an unknown
 * field.
 */
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
