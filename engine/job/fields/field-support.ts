/**
 * Support of the documented fields of settings and requests: works, stored only, or refused. The tables of
 * this folder are the one place that says so; validation, docs/reference/fields.md and the field walk read
 * them.
 */
import { invalid } from '../../errors.ts';
import { canonicalKeyOf } from '../../validation/aliases.ts';
import { isNonEmpty, quote } from '../../validation/messages.ts';

/** Values of a field that are refused. */
interface Refusal {
  /** @param holder the object that has the field */
  readonly when: (value: unknown, holder: object) => boolean;
  readonly message: (path: string, value: unknown) => string;
}

/** Support of one field. */
export interface FieldSupport {
  /**
   * `stored`: accepted and shown, without effect. `refused`: some or all values; the others mean its absence.
   */
  readonly state: 'works' | 'stored' | 'refused';
  /** Sentence for the documentation. */
  readonly note: string;
  readonly refusal?: Refusal;
}

/** Support of the fields of one object, by canonical name. */
export type FieldTable = Readonly<Record<string, FieldSupport>>;

/** A field with its documented meaning. */
export function works(note = ''): FieldSupport {
  return { state: 'works', note };
}

/** A field without effect that is accepted and shown as it was written. */
export function stored(note: string): FieldSupport {
  return { state: 'stored', note };
}

/** A field that works except for one value. @param rule second half of the error message */
export function worksExcept(value: unknown, rule: string): FieldSupport {
  return { state: 'works', note: `Refused: \`${String(value)}\`.`, refusal: refusalOf(value, rule) };
}

/** A field of which one value is refused; all others mean its absence. */
export function refusedIf(value: unknown, rule: string): FieldSupport {
  return {
    state: 'refused',
    note: `\`${String(value)}\` is refused: ${rule}.`,
    refusal: refusalOf(value, rule),
  };
}

function refusalOf(value: unknown, rule: string): Refusal {
  return {
    when: (given) => given === value,
    message: (path, given) => `${path} is ${quote(given)}; ${rule}.`,
  };
}

/** A field that is refused unless it is empty. @param remedy second half of the error message */
export function refused(remedy: string): FieldSupport {
  return refusedWhere(
    isNonEmpty,
    (path) => `${path} is not supported; ${remedy}.`,
    `Not supported; ${remedy}.`,
  );
}

/** A field that is refused for the values, and with the message, of its caller. */
export function refusedWhere(when: Refusal['when'], message: Refusal['message'], note: string): FieldSupport {
  return { state: 'refused', note, refusal: { when, message } };
}

/**
 * Refuses values of fields that are not supported. Fields outside the table are not checked.
 * @param path path of the object in messages; '' for the document itself
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkSupported(path: string, holder: object, table: FieldTable): void {
  for (const [field, value] of Object.entries(holder)) {
    const name = canonicalKeyOf(field);
    const refusal = Object.hasOwn(table, name) ? table[name]?.refusal : undefined;
    if (refusal?.when(value, holder) === true)
      throw invalid(refusal.message(path === '' ? field : `${path}.${field}`, value));
  }
}
