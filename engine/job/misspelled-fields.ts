/** Finds fields of settings that look like misspelled known ones. Unknown fields are kept all the same. */
import type { TSchema } from 'typebox';
import { editDistance, nearestName } from '../validation/nearest-name.ts';
import { fieldPath } from '../validation/messages.ts';
import { JobSettings } from './settings.ts';

/** A longer distance is another name, such as a setting of another service. */
const distanceMax = 2;
/** Comparing names takes time, and a reader needs no more than the first ones. */
const unknownMax = 200;
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
  const unknown: UnknownField[] = [];
  for (const field of findUnknown(settings, JobSettings, '')) {
    unknown.push(field);
    if (unknown.length === unknownMax) break;
  }
  return unknown.flatMap(describeMisspelling);
}

interface UnknownField {
  readonly name: string;
  readonly known: readonly string[];
  readonly path: string;
}

function* findUnknown(value: unknown, schema: SchemaNode, path: string): Generator<UnknownField> {
  if (Array.isArray(value) && schema.items !== undefined)
    for (const [index, one] of value.entries()) yield* findUnknown(one, schema.items, `${path}[${index}]`);
  const { properties } = schema;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || properties === undefined) return;
  const known = Object.keys(properties);
  for (const [name, one] of Object.entries(value)) {
    const at = fieldPath(path, name);
    const property = properties[name];
    if (property !== undefined) yield* findUnknown(one, property, at);
    else if (!otherFields.has(name)) yield { name, known, path: at };
  }
}

/** The parts of a JSON schema that are walked. */
type SchemaNode = TSchema & {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
};

function describeMisspelling({ name, known, path }: UnknownField): string[] {
  const nearest = nearestName(name, known);
  const distance = editDistance(name, nearest);
  // A distance of 0 is a name that differs in case alone.
  if (distance === 0 || distance > Math.min(distanceMax, Math.floor(name.length / 3))) return [];
  return [`${path} is not a known field; did you mean ${nearest}? It is kept as written and has no effect.`];
}
