/** How refusals name a field, echo a value and count, so that all of them read alike. */
import { invalid } from '../errors.ts';

/** Most characters of a caller's value that one message repeats. */
const quotedCharsMax = 80;

/** The JSON text of a value, cut when long: a message names what was found without becoming it. */
export function quote(value: unknown): string {
  return truncateText(JSON.stringify(value) ?? String(value));
}

/** A text cut to what a message may repeat; half of the character where it is cut would be none. */
export function truncateText(text: string, most = quotedCharsMax): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}...`;
}

/**
 * The path of a field: `at('tasks[2]', 'new_cluster')` is `tasks[2].new_cluster`; the settings themselves are
 * ''.
 */
export function fieldPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Refuses a list that is longer than a limit. */
export function checkMaxItems(path: string, list: readonly unknown[], most: number): void {
  if (list.length > most) throw invalid(`${path} has ${list.length} entries; at most ${most} are allowed.`);
}

/** Refuses a text that is longer than a limit in bytes of UTF-8. */
export function checkMaxBytes(path: string, text: string, most: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > most) throw invalid(`${path} is ${bytes} bytes of UTF-8; at most ${most} are allowed.`);
}

/** Refuses a required text that is empty. */
export function checkNotBlank(path: string, text: string): void {
  if (text.trim() === '') throw missingField(path);
}

/**
 * Refuses anything but exactly one of some alternative fields. `found` holds those that are there, as they
 * were written.
 */
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

/** The refusal of a missing field, in the words that clients know. */
export function missingField(path: string): Error {
  return invalid(`Missing required field: ${path}.`);
}

/** Whether a field carries something: null, an empty text, list or map counts as nothing. */
export function isNonEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
