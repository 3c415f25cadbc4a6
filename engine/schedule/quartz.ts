/**
 * Quartz cron expressions: what they mean, and the next local time that fits. Everything that Quartz refuses
 * or misreads is refused.
 */
import { invalid } from '../errors.ts';
import { fromEpochDay, toEpochDay, secondsPerDay } from './calendar.ts';
import {
  dayOfMonth,
  dayOfWeek,
  matchingDays,
  parseDayOfMonth,
  parseDayOfWeek,
  type DayRule,
} from './quartz-days.ts';
import { QuartzFieldError, parseField, type FieldRange } from './quartz-field.ts';
import { fixedLimits } from '../limits.ts';

/** An expression that was read. Lists are ordered and never empty. */
export interface QuartzExpression {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 for January. */
  readonly months: readonly number[];
  readonly days: DayRule;
  readonly years: readonly number[];
}

export const firstYear = 1970;
export const lastYear = 2299;

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

const second: FieldRange = { name: 'second', min: 0, max: 59, stepMax: 59, wraps: true };
const minute: FieldRange = { name: 'minute', min: 0, max: 59, stepMax: 59, wraps: true };
const hour: FieldRange = { name: 'hour', min: 0, max: 23, stepMax: 23, wraps: true };
const month: FieldRange = { name: 'month', min: 1, max: 12, stepMax: 12, wraps: true, names: monthNames };
const year: FieldRange = { name: 'year', min: firstYear, max: lastYear, stepMax: undefined, wraps: false };
/** In their order. */
const fields = [second, minute, hour, dayOfMonth, month, dayOfWeek, year];

/**
 * Reads an expression: second, minute, hour, day of month, month, day of week, and optionally year; upper or
 * lower case.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the field and what is wrong with it
 */
export function parseQuartz(expression: string): QuartzExpression {
  if (expression.length > fixedLimits.quartzCharacters)
    throw invalidExpression(
      expression,
      `It has ${expression.length} characters; at most ${fixedLimits.quartzCharacters} are allowed`,
    );
  const texts = expression
    .toUpperCase()
    .split(/\s+/)
    .filter((text) => text !== '');
  if (texts.length !== 6 && texts.length !== 7) {
    throw invalidExpression(
      expression,
      `It has ${texts.length} fields; 6 or 7 are required: second minute hour day-of-month month day-of-week [year]`,
    );
  }
  const [seconds = '', minutes = '', hours = '', monthDay = '', months = '', weekDay = '', years = '*'] =
    texts;
  const read = <Value>(
    text: string,
    field: FieldRange,
    values: (text: string, field: FieldRange) => Value,
  ): Value => {
    try {
      return values(text, field);
    } catch (error) {
      if (!(error instanceof QuartzFieldError)) throw error;
      throw invalidExpression(
        expression,
        `Field ${fields.indexOf(field) + 1} (${field.name}) is ${JSON.stringify(text.slice(0, quotedCharsMax))}: ${error.message}`,
      );
    }
  };
  if ((monthDay === '?') === (weekDay === '?')) {
    throw invalidExpression(
      expression,
      'Exactly one of field 4 (day-of-month) and field 6 (day-of-week) must be "?"',
    );
  }
  return {
    seconds: read(seconds, second, parsePlainField),
    minutes: read(minutes, minute, parsePlainField),
    hours: read(hours, hour, parsePlainField),
    months: read(months, month, parsePlainField),
    days:
      weekDay === '?'
        ? read(monthDay, dayOfMonth, parseDayOfMonth)
        : read(weekDay, dayOfWeek, parseDayOfWeek),
    years: read(years, year, parsePlainField),
  };
}

/** Most characters of a text that a message repeats. */
const quotedCharsMax = 80;

function parsePlainField(text: string, field: FieldRange): readonly number[] {
  if (text.includes('?')) throw new QuartzFieldError('"?" belongs into day-of-month or day-of-week alone');
  return parseField(text, field);
}

function invalidExpression(expression: string, what: string): Error {
  const repeated =
    expression.length <= quotedCharsMax
      ? expression
      : `${expression.slice(0, quotedCharsMax).toWellFormed()}...`;
  return invalid(`Invalid quartz_cron_expression: "${repeated}". ${what}.`);
}

/**
 * The first local time (seconds) that fits and is not before `from`; undefined when there is none up to the
 * end of `untilYear`.
 */
export function nextLocalTime(quartz: QuartzExpression, from: number, untilYear: number): number | undefined {
  const today = Math.floor(from / secondsPerDay);
  const start = fromEpochDay(today);
  for (const inYear of quartz.years) {
    if (inYear < start.year) continue;
    if (inYear > untilYear) return undefined;
    for (const inMonth of quartz.months) {
      if (inYear === start.year && inMonth < start.month) continue;
      for (const day of matchingDays(quartz.days, inYear, inMonth)) {
        const days = toEpochDay(inYear, inMonth, day);
        if (days < today) continue;
        const time = nextTimeOfDay(quartz, days === today ? from - today * secondsPerDay : 0);
        if (time !== undefined) return days * secondsPerDay + time;
      }
    }
  }
  return undefined;
}

/** The first time of a day that fits and is not before `from`; both in seconds since midnight. */
function nextTimeOfDay({ hours, minutes, seconds }: QuartzExpression, from: number): number | undefined {
  const atHour = Math.floor(from / 3_600);
  const atMinute = Math.floor(from / 60) % 60;
  for (const inHour of hours) {
    if (inHour < atHour) continue;
    for (const inMinute of minutes) {
      if (inHour === atHour && inMinute < atMinute) continue;
      const least = inHour === atHour && inMinute === atMinute ? from % 60 : 0;
      const inSecond = seconds.find((one) => one >= least);
      if (inSecond !== undefined) return inHour * 3_600 + inMinute * 60 + inSecond;
    }
  }
  return undefined;
}
