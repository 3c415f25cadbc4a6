/** Quartz cron expressions. Expressions that Quartz refuses or misinterprets are refused. */
import { invalid } from '../errors.ts';
import { truncateText } from '../validation/messages.ts';
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

/** A parsed expression. Lists are ordered and never empty. */
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
/** Fields in the order of an expression. */
const fields = [second, minute, hour, dayOfMonth, month, dayOfWeek, year];

/**
 * Parses an expression: second, minute, hour, day of month, month, day of week, and optionally year. Case
 * does not matter.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the field and the problem
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

/** Maximum length of quoted text in a message, characters. */
const quotedCharsMax = 80;

function parsePlainField(text: string, field: FieldRange): readonly number[] {
  if (text.includes('?')) throw new QuartzFieldError('"?" is allowed only in day-of-month and day-of-week');
  return parseField(text, field);
}

function invalidExpression(expression: string, problem: string): Error {
  return invalid(
    `Invalid quartz_cron_expression: "${truncateText(expression, quotedCharsMax)}". ${problem}.`,
  );
}

/**
 * Returns the first matching local time (seconds) at or after `from`; undefined when there is none until the
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

/** Returns the first matching time of day at or after `from`; both in seconds since midnight. */
function nextTimeOfDay({ hours, minutes, seconds }: QuartzExpression, from: number): number | undefined {
  const atHour = Math.floor(from / 3_600);
  const atMinute = Math.floor(from / 60) % 60;
  for (const inHour of hours) {
    if (inHour < atHour) continue;
    for (const inMinute of minutes) {
      if (inHour === atHour && inMinute < atMinute) continue;
      const minimum = inHour === atHour && inMinute === atMinute ? from % 60 : 0;
      const inSecond = seconds.find((one) => one >= minimum);
      if (inSecond !== undefined) return inHour * 3_600 + inMinute * 60 + inSecond;
    }
  }
  return undefined;
}
