/** Messages of validation errors: names of fields, quoted values and limits. */
import { invalid } from '../errors.ts';

/** Maximum length of a quoted value, characters. */
const quotedCharsMax = 80;

/** Returns the JSON text of a value, truncated to 80 characters. */
export function quote(value: unknown): string {
  return truncateText(JSON.stringify(value) ?? String(value));
}

/** Truncates a text without splitting a character. */
export function truncateText(text: string, maxLength = quotedCharsMax): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}...`;
}

/**
 * Returns the path of a field: `fieldPath('tasks[2]', 'new_cluster')` is `tasks[2].new_cluster`. The path of
 * the document itself is ''.
 */
export function fieldPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Refuses a list with too many entries. */
export function checkMaxItems(path: string, list: readonly unknown[], maximum: number): void {
  if (list.length > maximum)
    throw invalid(`${path} has ${list.length} entries; at most ${maximum} are allowed.`);
}

/** Refuses a text with too many bytes of UTF-8. */
export function checkMaxBytes(path: string, text: string, maximum: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maximum) throw invalid(`${path} is ${bytes} bytes of UTF-8; at most ${maximum} are allowed.`);
}

/** Refuses a blank text in a required field. */
export function checkNotBlank(path: string, text: string): void {
  if (text.trim() === '') throw missingField(path);
}

/** Requires exactly one of several alternative fields. @param found the fields present, as written */
export function checkExactlyOne(
  where: string,
  found: readonly string[],
  alternatives: readonly string[],
): void {
  const list = alternatives.join(', ');
  if (found.length === 0) throw invalid(`${where} has none of ${list}; exactly one is required.`);
  if (found.length > 1)
    throw invalid(`${where} has ${found.join(' and ')}; exactly one of ${list} is allowed.`);
}

/** Creates the error of a missing field; clients match its text. */
export function missingField(path: string): Error {
  return invalid(`Missing required field: ${path}.`);
}

/** Tells whether a field has a value; null and an empty text, list or map count as none. */
export function isNonEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
