/**
 * What is forgiven in a request before its schema is applied: numbers and booleans as text, null for absent.
 */
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';

type Fields = Readonly<Record<string, unknown>>;

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
export function coerce(schema: TSchema, value: unknown): unknown {
  return isFields(schema) ? coerced(schema, value) : value;
}

function coerced(schema: Fields, value: unknown): unknown {
  if (Array.isArray(schema['anyOf'])) return byUnion(schema['anyOf'], value);
  if (Array.isArray(schema['allOf']))
    return schema['allOf'].reduce<unknown>((result, part: unknown) => byPart(part, result), value);
  if (typeof value === 'string') return byText(schema['type'], value);
  if (Array.isArray(value)) return value.map((entry) => byPart(schema['items'], entry));
  return isFields(value) ? byField(schema, value) : value;
}

function byPart(schema: unknown, value: unknown): unknown {
  return isFields(schema) ? coerced(schema, value) : value;
}

function byText(type: unknown, text: string): unknown {
  if (type === 'boolean') return booleans.get(text) ?? text;
  if (type === 'number' && number.test(text) && Number.isFinite(Number(text))) return Number(text);
  if (type === 'integer' && decimal.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  return text;
}

/**
 * What fits a branch as it was written is left alone; else the first branch that it can be made to fit
 * decides.
 */
function byUnion(branches: readonly unknown[], value: unknown): unknown {
  const known = branches.filter(isFields);
  if (known.some((branch) => Check(branch, value))) return value;
  const fitting = known.find((branch) => Check(branch, coerced(branch, value)));
  return fitting === undefined ? value : coerced(fitting, value);
}

function byField(schema: Fields, object: Fields): Fields {
  const entries = Object.entries(object)
    // An own key of this name carries no setting and would become a prototype in the hands of a careless
    // copy.
    .filter(([key]) => key !== '__proto__')
    .map(([key, value]) => ({ key, value, part: schemaOf(schema, key) }))
    .filter(({ value, part }) => value !== null || part === undefined)
    .map(({ key, value, part }) => [key, byPart(part, value)]);
  return Object.fromEntries(entries);
}

/**
 * The schema of one field: by its name, by a pattern, or as an entry of a map; undefined for an unknown
 * field.
 */
function schemaOf(schema: Fields, key: string): Fields | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isFields(properties) && Object.hasOwn(properties, key)) return onlyFields(properties[key]);
  if (isFields(patternProperties)) {
    const match = Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern, 'u').test(key));
    if (match !== undefined) return onlyFields(match[1]);
  }
  return onlyFields(additionalProperties);
}

function onlyFields(schema: unknown): Fields | undefined {
  return isFields(schema) ? schema : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
