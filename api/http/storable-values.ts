/** Whether what was sent can be kept and given back exactly as it is. */
import { invalid, ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { fixedLimits } from '../../engine/limits.ts';

interface Violation {
  /** Where it is, as `tasks[2].description`; empty for the whole value. */
  readonly field: string;
  readonly toError: (field: string) => ServiceError;
}

/**
 * The refusal of a value that is nested too deep, or that holds text or numbers which no database and no JSON
 * can hold: U+0000, half of a surrogate pair, and numbers that have overflowed. Undefined for every other
 * value.
 */
export function findUnstorableValue(value: unknown): ServiceError | undefined {
  const fault = findViolation(value, 0);
  return fault?.toError(fault.field === '' ? 'The request' : fault.field);
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
    const fault = findViolation(entry, depth);
    if (fault !== undefined) return prefixField(`[${index}]`, fault);
  }
  return undefined;
}

function findObjectViolation(fields: object, depth: number): Violation | undefined {
  for (const [name, value] of Object.entries(fields)) {
    if (findTextViolation(name) !== undefined) return invalidName;
    const fault = findViolation(value, depth);
    if (fault !== undefined) return prefixField(truncateText(name), fault);
  }
  return undefined;
}

/** The same fault, seen from the list or object around it. */
function prefixField(name: string, { field, toError }: Violation): Violation {
  return { field: field === '' || field.startsWith('[') ? name + field : `${name}.${field}`, toError };
}

function findTextViolation(text: string): Violation | undefined {
  if (text.includes('\0')) return nullCharacter;
  return text.isWellFormed() ? undefined : loneSurrogate;
}

const nullCharacter: Violation = {
  field: '',
  toError: (field) => invalid(`${field} holds the character U+0000, which no text may hold.`),
};
const loneSurrogate: Violation = {
  field: '',
  toError: (field) => invalid(`${field} holds half of a surrogate pair; text must be valid Unicode.`),
};
const invalidName: Violation = {
  field: '',
  toError: (field) =>
    invalid(
      `${field} has a name that holds U+0000 or half of a surrogate pair; names must be valid Unicode.`,
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
      `The request is nested too deep; at most ${fixedLimits.requestDepth} levels of lists and objects are allowed.`,
    ),
};
