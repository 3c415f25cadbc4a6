/**
 * Reading of the open parts of a classic dashboard: options of any shape, of which only what is understood is
 * taken.
 */

/** An object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

const none: Fields = {};

/** The value as an object; an empty one when it is something else. */
export function fieldsOf(value: unknown): Fields {
  // A JSON object has text keys, and of its values nothing is taken for granted.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : none;
}

/** A field that is an object; an empty one when it is not. */
export function fieldsIn(fields: Fields, key: string): Fields {
  return fieldsOf(own(fields, key));
}

/** A field that is a text with something in it. */
export function textIn(fields: Fields, key: string): string | undefined {
  const value = own(fields, key);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A field that is a number, or the text of one. */
export function numberIn(fields: Fields, key: string): number | undefined {
  const value = own(fields, key);
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Whether a field is true. */
export function isTrue(fields: Fields, key: string): boolean {
  return own(fields, key) === true;
}

/** Whether a field is false, said and not merely left out. */
export function isFalse(fields: Fields, key: string): boolean {
  return own(fields, key) === false;
}

/** The entries of a field that is a list. */
export function listIn(fields: Fields, key: string): readonly unknown[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value : [];
}

/** The objects among the entries of a field that is a list. */
export function objectsIn(fields: Fields, key: string): readonly Fields[] {
  return listIn(fields, key)
    .map(fieldsOf)
    .filter((entry) => Object.keys(entry).length > 0);
}

/** A field of the object itself: nothing that every object inherits. */
export function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A copy without the fields that are undefined. */
export function given(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
