/**
 * One field of a Quartz expression as a list of values: `*`, `a`, `a-b`, each with an optional step, with
 * commas between.
 */

/** What a field may hold. */
export interface FieldRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The largest step; years have none. */
  readonly stepMax: number | undefined;
  /** Three-letter names of the values from `min` on. */
  readonly names?: readonly string[];
  /** Whether a range may run over the end of the field to its beginning. */
  readonly wraps: boolean;
}

/** What is wrong with a field, to be put into the message about the whole expression. */
export class QuartzFieldError extends Error {}

/** `*`, `/n`, `a`, `a-b` with an optional step; what a, b and n are is looked at afterwards. */
const entry = /^(?:(?<all>\*)|(?<from>[A-Z0-9]+)(?:-(?<to>[A-Z0-9]+))?)?(?:\/(?<step>\d+))?$/;

/** The values of a field in upper case, smallest first. @throws QuartzFieldError that says what is wrong */
export function parseField(text: string, range: FieldRange): readonly number[] {
  // Most fields of most expressions, and the years of almost all.
  if (text === '*') return allValues(range);
  const values = new Set<number>();
  for (const part of text.split(',')) {
    for (const value of parseEntry(part, range)) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

const whole = new Map<FieldRange, readonly number[]>();

function allValues(range: FieldRange): readonly number[] {
  const values = whole.get(range) ?? expandSteps(range.min, range.max, 1);
  whole.set(range, values);
  return values;
}

function parseEntry(part: string, range: FieldRange): number[] {
  if (part === '') throw new QuartzFieldError('a list has no empty entries');
  const { all, from, to, step } = entry.exec(part)?.groups ?? {};
  if (all === undefined && from === undefined && step === undefined)
    throw new QuartzFieldError(invalidEntryMessage(part, range));
  if (step !== undefined && from !== undefined && isName(from))
    throw new QuartzFieldError(`a name has no step; write its number instead of ${from}`);
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
  // The step runs on over the end: minutes 50-10/5 are 50, 55, 0, 5, 10.
  return expandSteps(first, last + size, by).map((value) => (value > max ? value - size : value));
}

function expandSteps(first: number, last: number, by: number): number[] {
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by);
}

function parseStep(text: string, { stepMax }: FieldRange): number {
  const step = Number(text);
  if (step === 0) throw new QuartzFieldError('a step of 0 goes nowhere');
  if (step > (stepMax ?? step)) throw new QuartzFieldError(`the step ${text} is larger than ${stepMax}`);
  return step;
}

/** The number of a value or of its name. */
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
  return `${JSON.stringify(text)} is none of *, a, a-b, each with an optional step /n, where a and b are ${min}-${max}${alternatives}`;
}
