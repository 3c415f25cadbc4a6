/** Parser of one field of a Quartz expression: a list of `*`, `a` and `a-b`, each with an optional step. */

/** Allowed values of a field. */
export interface FieldRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Maximum step; undefined for years. */
  readonly stepMax: number | undefined;
  /** Three-letter names of the values, starting at `min`. */
  readonly names?: readonly string[];
  /** True when a range may wrap around the end of the field. */
  readonly wraps: boolean;
}

/** Error of a field; its text becomes part of the message about the expression. */
export class QuartzFieldError extends Error {}

/** Matches `*`, `/n`, `a` and `a-b` with an optional step. The values are validated later. */
const entry = /^(?:(?<all>\*)|(?<from>[A-Z0-9]+)(?:-(?<to>[A-Z0-9]+))?)?(?:\/(?<step>\d+))?$/;

/** Parses a field in upper case; returns its values in ascending order. @throws QuartzFieldError */
export function parseField(text: string, range: FieldRange): readonly number[] {
  // Shortcut for the most common field.
  if (text === '*') return allValues(range);
  const values = new Set<number>();
  for (const part of text.split(',')) {
    for (const value of parseEntry(part, range)) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

const allValuesOf = new Map<FieldRange, readonly number[]>();

function allValues(range: FieldRange): readonly number[] {
  const values = allValuesOf.get(range) ?? expandSteps(range.min, range.max, 1);
  allValuesOf.set(range, values);
  return values;
}

function parseEntry(part: string, range: FieldRange): number[] {
  if (part === '') throw new QuartzFieldError('a list must not have empty entries');
  const { all, from, to, step } = entry.exec(part)?.groups ?? {};
  if (all === undefined && from === undefined && step === undefined)
    throw new QuartzFieldError(invalidEntryMessage(part, range));
  if (step !== undefined && from !== undefined && isName(from))
    throw new QuartzFieldError(`a name cannot have a step; write the number of ${from} instead`);
  const by = step === undefined ? 1 : parseStep(step, range);
  if (from === undefined) return expandSteps(range.min, range.max, by);
  const first = parseValue(from, range);
  if (to === undefined) return step === undefined ? [first] : expandSteps(first, range.max, by);
  if (isName(from) !== isName(to))
    throw new QuartzFieldError(`the range ${from}-${to} must have two numbers or two names`);
  return expandRange(first, parseValue(to, range), by, range);
}

function expandRange(first: number, last: number, by: number, { min, max, wraps }: FieldRange): number[] {
  if (first <= last) return expandSteps(first, last, by);
  if (!wraps) throw new QuartzFieldError(`the range ${first}-${last} runs backwards`);
  const size = max - min + 1;
  // The step continues across the end: minutes 50-10/5 are 50, 55, 0, 5, 10.
  return expandSteps(first, last + size, by).map((value) => (value > max ? value - size : value));
}

function expandSteps(first: number, last: number, by: number): number[] {
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by);
}

function parseStep(text: string, { stepMax }: FieldRange): number {
  const step = Number(text);
  if (step === 0) throw new QuartzFieldError('the step must not be 0');
  if (step > (stepMax ?? step)) throw new QuartzFieldError(`the step ${text} is greater than ${stepMax}`);
  return step;
}

/** Parses a number or a name. */
export function parseValue(text: string, range: FieldRange): number {
  const { min, max, names = [] } = range;
  if (isName(text)) {
    const index = names.indexOf(text);
    if (index < 0) throw new QuartzFieldError(invalidEntryMessage(text, range));
    return min + index;
  }
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new QuartzFieldError(invalidEntryMessage(text, range));
  if (value < min || value > max) throw new QuartzFieldError(`${text} is not between ${min} and ${max}`);
  return value;
}

function isName(text: string): boolean {
  return /^[A-Z]/.test(text);
}

function invalidEntryMessage(text: string, { min, max, names }: FieldRange): string {
  const alternatives = names === undefined ? '' : ` or ${names[0]}-${names.at(-1)}`;
  return `${JSON.stringify(text)} is not *, a or a-b, each with an optional step /n, where a and b are ${min}-${max}${alternatives}`;
}
