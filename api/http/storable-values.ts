/** Detects request values that cannot be stored and returned unchanged. */
import { fixedLimits } from '../../engine/limits.ts';
import { invalid, ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

interface Violation {
  /** Path such as `tasks[2].description`; empty for the whole value. */
  readonly field: string;
  readonly toError: (field: string) => ServiceError;
}

/**
 * Returns the error of a value that is nested too deeply or contains U+0000, a lone surrogate, or a number
 * that overflowed, which PostgreSQL and JSON cannot represent. Undefined for every other value.
 */
export function findUnstorableValue(value: unknown): ServiceError | undefined {
  const violation = findViolation(value, 0);
  return violation?.toError(violation.field === '' ? 'The request' : violation.field);
}

function findViolation(value: unknown, depth: number): Violation | undefined {
  if (typeof value === 'string') return findTextViolation(value);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : numberOverflow;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === fixedLimits.requestDepth) return tooDeep;
  return Array.isArray(value) ? findListViolation(value, depth + 1) : findObjectViolation(value, depth + 1);
}

function findListViolation(list: readonly unknown[], depth: number): Violation | undefined {
  for (const [index, entry] of list.entries()) {
    const violation = findViolation(entry, depth);
    if (violation !== undefined) return prefixField(`[${index}]`, violation);
  }
  return undefined;
}

function findObjectViolation(fields: object, depth: number): Violation | undefined {
  for (const [name, value] of Object.entries(fields)) {
    if (findTextViolation(name) !== undefined) return invalidName;
    const violation = findViolation(value, depth);
    if (violation !== undefined) return prefixField(truncateText(name), violation);
  }
  return undefined;
}

/** Returns the violation with the name of the enclosing list entry or field in its path. */
function prefixField(name: string, { field, toError }: Violation): Violation {
  return { field: field === '' || field.startsWith('[') ? name + field : `${name}.${field}`, toError };
}

function findTextViolation(text: string): Violation | undefined {
  if (text.includes('\0')) return nullCharacter;
  return text.isWellFormed() ? undefined : loneSurrogate;
}

const nullCharacter: Violation = {
  field: '',
  toError: (field) => invalid(`${field} contains the character U+0000, which is not allowed in text.`),
};
const loneSurrogate: Violation = {
  field: '',
  toError: (field) => invalid(`${field} contains half of a surrogate pair; text must be valid Unicode.`),
};
const invalidName: Violation = {
  field: '',
  toError: (field) =>
    invalid(
      `${field} has a name that contains U+0000 or half of a surrogate pair; names must be valid Unicode.`,
    ),
};
const numberOverflow: Violation = {
  field: '',
  toError: (field) =>
    invalid(`${field} is a number beyond the range of JSON numbers, which ends near 1.8e308.`),
};
const tooDeep: Violation = {
  field: '',
  toError: () =>
    new ServiceError(
      'MALFORMED_REQUEST',
      `The request is nested too deeply; at most ${fixedLimits.requestDepth} levels of lists and objects are allowed.`,
    ),
};
