/** The two day fields of a Quartz expression. Exactly one of them selects days, by number or by a rule. */
import { toEpochDay, daysInMonth, weekdayOf } from './calendar.ts';
import { QuartzFieldError, parseField, parseValue, type FieldRange } from './quartz-field.ts';

/** Selects days of a month. Weekdays count from 1 for Sunday to 7 for Saturday. */
export type DayRule =
  | { readonly kind: 'days'; readonly days: readonly number[] }
  /** `before` days before the last day; `workday`: the working day (Monday to Friday) nearest to it. */
  | { readonly kind: 'last'; readonly before: number; readonly workday: boolean }
  | { readonly kind: 'nearestWorkday'; readonly day: number }
  | { readonly kind: 'weekdays'; readonly weekdays: readonly number[] }
  | { readonly kind: 'lastWeekday'; readonly weekday: number }
  | { readonly kind: 'nthWeekday'; readonly weekday: number; readonly nth: number };

export const dayOfMonth: FieldRange = { name: 'day-of-month', min: 1, max: 31, stepMax: 31, wraps: true };
export const dayOfWeek: FieldRange = {
  name: 'day-of-week',
  min: 1,
  max: 7,
  stepMax: 7,
  wraps: true,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

const [saturday, sunday] = [7, 1];

/** Maximum n of `L-n`: a month has at most 31 days. */
const lastDayOffsetMax = 30;

/** Parses the day-of-month field, which is not `?`. @throws QuartzFieldError */
export function parseDayOfMonth(text: string): DayRule {
  const last = /^L(?:-(?<before>\d+))?(?<workday>W)?$/.exec(text)?.groups;
  if (last !== undefined) {
    const before = Number(last['before'] ?? 0);
    if (before > lastDayOffsetMax)
      throw new QuartzFieldError(`n of L-n is ${before}; at most ${lastDayOffsetMax} is allowed`);
    return { kind: 'last', before, workday: last['workday'] !== undefined };
  }
  const nearest = /^(?<day>\d+)W$/.exec(text)?.groups?.['day'];
  if (nearest !== undefined) return { kind: 'nearestWorkday', day: parseValue(nearest, dayOfMonth) };
  if (/[LW]/.test(text))
    throw new QuartzFieldError('L, L-n, LW, L-nW and nW cannot be part of a list, range or step');
  return { kind: 'days', days: parseField(text, dayOfMonth) };
}

/** Parses the day-of-week field, which is not `?`. @throws QuartzFieldError */
export function parseDayOfWeek(text: string): DayRule {
  if (text === 'L') return { kind: 'weekdays', weekdays: [saturday] };
  const last = /^(?<weekday>\d+|[A-Z]{3})L$/.exec(text)?.groups?.['weekday'];
  if (last !== undefined) return { kind: 'lastWeekday', weekday: parseValue(last, dayOfWeek) };
  const { weekday, nth } = /^(?<weekday>\d+|[A-Z]{3})#(?<nth>\d+)$/.exec(text)?.groups ?? {};
  if (weekday !== undefined) {
    if (!/^[1-5]$/.test(nth ?? '')) throw new QuartzFieldError(`#${nth} is not between #1 and #5`);
    return { kind: 'nthWeekday', weekday: parseValue(weekday, dayOfWeek), nth: Number(nth) };
  }
  if (text.includes('#'))
    throw new QuartzFieldError('a#n cannot be part of a list, range or step, and a must be 1-7 or SUN-SAT');
  if (text.includes('L'))
    throw new QuartzFieldError(
      'L and aL cannot be part of a list, range or step, and a must be 1-7 or SUN-SAT',
    );
  return { kind: 'weekdays', weekdays: parseField(text, dayOfWeek) };
}

/** Returns the days of a month that a rule selects, in order. */
export function matchingDays(rule: DayRule, year: number, month: number): readonly number[] {
  const length = daysInMonth(year, month);
  switch (rule.kind) {
    case 'days':
      return rule.days.filter((day) => day <= length);
    case 'last': {
      const day = length - rule.before;
      if (day < 1) return [];
      return [rule.workday ? nearestWorkday(year, month, day, length) : day];
    }
    case 'nearestWorkday':
      return rule.day > length ? [] : [nearestWorkday(year, month, rule.day, length)];
    case 'weekdays':
      return Array.from({ length }, (_, index) => index + 1).filter((day) =>
        rule.weekdays.includes(weekdayOf(toEpochDay(year, month, day))),
      );
    case 'lastWeekday': {
      const first = firstWeekday(year, month, rule.weekday);
      return [first + 7 * Math.floor((length - first) / 7)];
    }
    case 'nthWeekday': {
      const day = firstWeekday(year, month, rule.weekday) + 7 * (rule.nth - 1);
      return day > length ? [] : [day];
    }
    default:
      return rule satisfies never;
  }
}

/** Returns the working day nearest to a day in the same month: Saturday the 1st gives Monday the 3rd. */
function nearestWorkday(year: number, month: number, day: number, length: number): number {
  const weekday = weekdayOf(toEpochDay(year, month, day));
  if (weekday === saturday) return day === 1 ? 3 : day - 1;
  if (weekday === sunday) return day === length ? day - 2 : day + 1;
  return day;
}

function firstWeekday(year: number, month: number, weekday: number): number {
  return ((weekday - weekdayOf(toEpochDay(year, month, 1)) + 7) % 7) + 1;
}
