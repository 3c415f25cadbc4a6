/** Whether what was sent can be kept and given back exactly as it is. */
import { invalid, ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

/**
 * Levels of lists and objects within one another; whatever reads them further may call itself once for each.
 */
const deepest = 100;

interface Fault {
  /** Where it is, as `tasks[2].description`; empty for the whole value. */
  readonly field: string;
  readonly refuse: (field: string) => ServiceError;
}

/**
 * The refusal of a value that is nested too deep, or that holds text or numbers which no database and no JSON
 * can hold: U+0000, half of a surrogate pair, and numbers that have overflowed. Undefined for every other
 * value.
 */
export function unfitIn(value: unknown): ServiceError | undefined {
  const fault = faultIn(value, 0);
  return fault?.refuse(fault.field === '' ? 'The request' : fault.field);
}

function faultIn(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') return faultInText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : overflow;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === deepest) return tooDeep;
  return Array.isArray(value) ? faultInList(value, depth + 1) : faultInFields(value, depth + 1);
}

function faultInList(list: readonly unknown[], depth: number): Fault | undefined {
  for (const [index, entry] of list.entries()) {
    const fault = faultIn(entry, depth);
    if (fault !== undefined) return below(`[${index}]`, fault);
  }
  return undefined;
}

function faultInFields(fields: object, depth: number): Fault | undefined {
  for (const [name, value] of Object.entries(fields)) {
    if (faultInText(name) !== undefined) return badName;
    const fault = faultIn(value, depth);
    if (fault !== undefined) return below(truncateText(name), fault);
  }
  return undefined;
}

/** The same fault, seen from the list or object around it. */
function below(name: string, { field, refuse }: Fault): Fault {
  return { field: field === '' || field.startsWith('[') ? name + field : `${name}.${field}`, refuse };
}

function faultInText(text: string): Fault | undefined {
  if (text.includes('\0')) return nullCharacter;
  return text.isWellFormed() ? undefined : halfCharacter;
}

const nullCharacter: Fault = {
  field: '',
  refuse: (field) => invalid(`${field} holds the character U+0000, which no text may hold.`),
};
const halfCharacter: Fault = {
  field: '',
  refuse: (field) => invalid(`${field} holds half of a surrogate pair; text must be valid Unicode.`),
};
const badName: Fault = {
  field: '',
  refuse: (field) =>
    invalid(
      `${field} has a name that holds U+0000 or half of a surrogate pair; names must be valid Unicode.`,
    ),
};
const overflow: Fault = {
  field: '',
  refuse: (field) =>
    invalid(`${field} is a number beyond the range of JSON numbers, which ends near 1.8e308.`),
};
const tooDeep: Fault = {
  field: '',
  refuse: () =>
    new ServiceError(
      'MALFORMED_REQUEST',
      `The request is nested too deep; at most ${deepest} levels of lists and objects are allowed.`,
    ),
};
