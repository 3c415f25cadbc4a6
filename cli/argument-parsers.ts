/** Parsers of command-line arguments; each throws InvalidArgumentError with the rule. */
import { InvalidArgumentError } from 'commander';
import { defaultLimits, fixedLimits } from '../engine/limits.ts';

export function parseYear(text: string): string {
  if (/^\d{4}$/.test(text)) return text;
  throw new InvalidArgumentError('A year has four digits.');
}

export function parseTime(text: string): number {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isSafeInteger(time)) return time;
  throw new InvalidArgumentError('A time is like 2027-03-28T00:00:00Z, or epoch milliseconds.');
}

export function parseId(text: string): number {
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('An id is a whole number.');
}

export function parseTailLines(text: string): number {
  return parseCount(text, defaultLimits.logTailLines);
}

export function parsePreviewCount(text: string): number {
  return parseCount(text, fixedLimits.previewFires);
}

/** Parses the number of rows of a list. */
export function parseLimit(text: string): number {
  return parseCount(text, 99_999);
}

/** Adds a "name=value" to the pairs of a repeated option. */
export function collectPair(
  text: string,
  pairs: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is like name=value.');
  return { ...pairs, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Adds a word to those of a repeated option. */
export function collectWord(text: string, words: readonly string[]): readonly string[] {
  return [...words, text];
}

function parseCount(text: string, maximum: number): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= maximum) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${maximum}.`);
}
