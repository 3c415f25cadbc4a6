/**
 * Reading of the open parts of a classic dashboard: options of any shape, of which only what is understood is
 * taken.
 */

import { isRecord, type JsonObject } from '../validation/json-object.ts';

export type { JsonObject };

const emptyObject: JsonObject = {};

/** The value as an object; an empty one when it is something else. */
export function toJsonObject(value: unknown): JsonObject {
  return isRecord(value) ? value : emptyObject;
}

/** A field that is an object; an empty one when it is not. */
export function getObject(fields: JsonObject, key: string): JsonObject {
  return toJsonObject(getOwn(fields, key));
}

/** A field that is a text with something in it. */
export function getText(fields: JsonObject, key: string): string | undefined {
  const value = getOwn(fields, key);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A field that is a number, or the text of one. */
export function getNumber(fields: JsonObject, key: string): number | undefined {
  const value = getOwn(fields, key);
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Whether a field is true. */
export function isTrue(fields: JsonObject, key: string): boolean {
  return getOwn(fields, key) === true;
}

/** Whether a field is false, said and not merely left out. */
export function isFalse(fields: JsonObject, key: string): boolean {
  return getOwn(fields, key) === false;
}

/** The entries of a field that is a list. */
export function getList(fields: JsonObject, key: string): readonly unknown[] {
  const value = getOwn(fields, key);
  return Array.isArray(value) ? value : [];
}

/** The objects among the entries of a field that is a list. */
export function getObjects(fields: JsonObject, key: string): readonly JsonObject[] {
  return getList(fields, key)
    .map(toJsonObject)
    .filter((entry) => Object.keys(entry).length > 0);
}

/** A field of the object itself: nothing that every object inherits. */
export function getOwn(fields: JsonObject, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A copy without the fields that are undefined. */
export function omitUndefined(fields: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
