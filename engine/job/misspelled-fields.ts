/** Finds fields of settings that look like misspelled known ones. Unknown fields are kept all the same. */
import type { TSchema } from 'typebox';
import { editDistance, nearestName } from '../validation/nearest-name.ts';
import { fieldPath } from '../validation/messages.ts';
import { JobSettings } from './settings.ts';

/** A longer distance is another name, such as a setting of another service. */
const distanceMax = 2;
/** Fields that clients send and that are not misspellings (WIRE: settings outside the spec). */
const otherFields: ReadonlySet<string> = new Set([
  'continuous',
  'deployment',
  'edit_mode',
  'environments',
  'environment_key',
  'disabled',
  'op',
  'tags',
]);

/** Returns a sentence for each field that is close to a known one: `max_retrys` is close to `max_retries`. */
export function findMisspelledFields(settings: object): string[] {
  return findIn(settings, JobSettings, '');
}

function findIn(value: unknown, schema: SchemaNode, path: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown, index) =>
      schema.items === undefined ? [] : findIn(one, schema.items, `${path}[${index}]`),
    );
  const { properties } = schema;
  if (typeof value !== 'object' || value === null || properties === undefined) return [];
  const known = Object.keys(properties);
  return Object.entries(value).flatMap(([name, one]): string[] => {
    const at = fieldPath(path, name);
    const property = properties[name];
    return property === undefined ? misspelling(name, known, at) : findIn(one, property, at);
  });
}

/** The parts of a JSON schema that are walked. */
type SchemaNode = TSchema & {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
};

function misspelling(name: string, known: readonly string[], path: string): string[] {
  const nearest = nearestName(name, known);
  const distance = editDistance(name, nearest);
  if (
    otherFields.has(name) ||
    distance === 0 ||
    distance > Math.min(distanceMax, Math.floor(name.length / 3))
  )
    return [];
  return [`${path} is not a known field; did you mean ${nearest}? It is kept as written and has no effect.`];
}
