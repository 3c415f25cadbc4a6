/** Reads options of unknown shape from a classic dashboard. */

import { isRecord, type JsonObject } from '../validation/json-object.ts';

export type { JsonObject };

const emptyObject: JsonObject = {};

/** Returns the value as an object; an empty one for any other value. */
export function toJsonObject(value: unknown): JsonObject {
  return isRecord(value) ? value : emptyObject;
}

/** Returns a field that is an object; an empty one for any other value. */
export function getObject(fields: JsonObject, key: string): JsonObject {
  return toJsonObject(getOwn(fields, key));
}

/** Returns a field that is a text and not blank. */
export function getText(fields: JsonObject, key: string): string | undefined {
  const value = getOwn(fields, key);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Returns a field that is a number, or the text of one. */
export function getNumber(fields: JsonObject, key: string): number | undefined {
  const value = getOwn(fields, key);
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Tells whether a field is true. */
export function isTrue(fields: JsonObject, key: string): boolean {
  return getOwn(fields, key) === true;
}

/** Tells whether a field is false; a missing field is not. */
export function isFalse(fields: JsonObject, key: string): boolean {
  return getOwn(fields, key) === false;
}

/** Returns the entries of a field that is a list. */
export function getList(fields: JsonObject, key: string): readonly unknown[] {
  const value = getOwn(fields, key);
  return Array.isArray(value) ? value : [];
}

/** Returns the non-empty objects among the entries of a field that is a list. */
export function getObjects(fields: JsonObject, key: string): readonly JsonObject[] {
  return getList(fields, key)
    .map(toJsonObject)
    .filter((entry) => Object.keys(entry).length > 0);
}

/** Returns an own field of the object, never an inherited one. */
export function getOwn(fields: JsonObject, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Returns a copy without the fields that are undefined. */
export function omitUndefined(fields: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
