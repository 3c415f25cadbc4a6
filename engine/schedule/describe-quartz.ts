/** Description of an expression in words: `at 10:15 on the last Friday of every month`. */
import { describeTime } from './describe-time.ts';
import { firstYear, lastYear, type QuartzExpression } from './quartz.ts';
import type { DayRule } from './quartz-days.ts';
import { formatRanges } from './format-list.ts';

const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Describes an expression in words, without the time zone. */
export function describeQuartz(quartz: QuartzExpression): string {
  const { months, years } = quartz;
  const everyMonth = months.length === 12;
  const days = describeDays(quartz.days);
  const monthNamesInWords = formatRanges(months, (month) => monthNames[month - 1] ?? '');
  const time = describeTime(quartz);
  // "every 5 minutes every day" means the same as "every 5 minutes".
  const parts = [
    time,
    ...(days.text === everyDay && time.startsWith('every') && everyMonth ? [] : [days.text]),
  ];
  if (days.ofMonth) parts.push(everyMonth ? 'of every month' : `of ${monthNamesInWords}`);
  else if (!everyMonth) parts.push(`in ${monthNamesInWords}`);
  if (years.length < lastYear - firstYear + 1) parts.push(describeYears(years));
  return parts.join(' ');
}

/** Maximum number of years listed one by one. */
const listedYearsMax = 6;

function describeYears(years: readonly number[]): string {
  const [first = 0, second = 0, last = 0] = [years[0], years[1], years.at(-1)];
  if (years.length > 2 && last - first === years.length - 1) return `from ${first} to ${last}`;
  if (years.length <= listedYearsMax) return `in ${formatRanges(years)}`;
  const even = years.every((year, index) => year === first + index * (second - first));
  return even
    ? `every ${second - first} years from ${first} to ${last}`
    : `in ${years.length} years from ${first} to ${last}`;
}

const everyDay = 'every day';

/** Describes the days. `ofMonth`: a month must follow the text. */
function describeDays(rule: DayRule): { readonly text: string; readonly ofMonth: boolean } {
  switch (rule.kind) {
    case 'days':
      if (rule.days.length === 31) return { text: everyDay, ofMonth: false };
      return { text: `on day${rule.days.length === 1 ? '' : 's'} ${formatRanges(rule.days)}`, ofMonth: true };
    case 'last':
      return { text: describeLast(rule.before, rule.workday), ofMonth: true };
    case 'nearestWorkday':
      return { text: `on the Monday to Friday nearest to day ${rule.day}`, ofMonth: true };
    case 'weekdays':
      if (rule.weekdays.length === 7) return { text: everyDay, ofMonth: false };
      return { text: describeWeekdays(rule.weekdays), ofMonth: false };
    case 'lastWeekday':
      return { text: `on the last ${weekday(rule.weekday)}`, ofMonth: true };
    case 'nthWeekday':
      return { text: `on the ${ordinals[rule.nth - 1]} ${weekday(rule.weekday)}`, ofMonth: true };
    default:
      return rule satisfies never;
  }
}

function describeLast(before: number, workday: boolean): string {
  const days = before === 0 ? 'the last day' : `the day that is ${before} before the last`;
  if (!workday) return `on ${days}`;
  return before === 0
    ? 'on the last working day (Monday to Friday)'
    : `on the Monday to Friday nearest to ${days}`;
}

/** Describes weekdays from Monday to Sunday. */
function describeWeekdays(weekdays: readonly number[]): string {
  const fromMonday = weekdays.map((one) => (one === 1 ? 8 : one)).sort((one, other) => one - other);
  if (fromMonday.length === 1) return `every ${weekday(weekdays[0])}`;
  const words = formatRanges(fromMonday, (one) => weekday(one === 8 ? 1 : one));
  const consecutive =
    fromMonday.length > 2 && (fromMonday.at(-1) ?? 0) - (fromMonday[0] ?? 0) === fromMonday.length - 1;
  return consecutive ? `from ${words}` : `on ${words}`;
}

function weekday(number: number | undefined): string {
  return weekdayNames[(number ?? 1) - 1] ?? '';
}
