/** Resolves relative dates, such as `now-7d/d`, in UTC. */
import { toIsoTime } from '../../clock.ts';

const second = 1_000;
const unitMs: Readonly<Record<string, number>> = {
  s: second,
  m: 60 * second,
  h: 3_600 * second,
  d: 86_400 * second,
  w: 7 * 86_400 * second,
};

/** Years 1000 to 9998; other years do not have four digits. */
const [earliest, latest] = [Date.UTC(1000, 0), Date.UTC(9999, 0)];

/**
 * Returns a relative date as `2015-01-01T00:00:00.000`; undefined for any other text.
 * @param end whether the date ends a range: a whole unit is then rounded up to its last millisecond
 */
export function resolveRelativeDate(text: string, now: number, end: boolean): string | undefined {
  const [whole, sign, count, step = '', unit] =
    /^now(?:([+-])(\d{1,6})([smhdwMy]))?(?:\/([smhdwMy]))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const moved = count === undefined ? now : addUnits(now, Number(count) * (sign === '-' ? -1 : 1), step);
  if (!(moved >= earliest && moved <= latest)) return undefined;
  if (unit === undefined) return toIsoTime(moved).slice(0, -1);
  const start = startOf(moved, unit);
  return toIsoTime(end ? addUnits(start, 1, unit) - 1 : start).slice(0, -1);
}

function addUnits(at: number, count: number, unit: string): number {
  const length = unitMs[unit];
  if (length !== undefined) return at + count * length;
  const { year, month, day, rest } = partsOf(at);
  const months = year * 12 + month + count * (unit === 'y' ? 12 : 1);
  const [toYear, toMonth] = [Math.floor(months / 12), ((months % 12) + 12) % 12];
  if (toYear < 1000 || toYear > 9998) return Number.NaN;
  // The 31st of a shorter month is its last day.
  const last = partsOf(Date.UTC(toYear, toMonth + 1, 0)).day;
  return Date.UTC(toYear, toMonth, Math.min(day, last)) + rest;
}

function startOf(at: number, unit: string): number {
  const { year, month } = partsOf(at);
  if (unit === 'y') return Date.UTC(year, 0, 1);
  if (unit === 'M') return Date.UTC(year, month, 1);
  const day = unitMs['d'] ?? 1;
  // Weeks start on Monday; the first day of the epoch was a Thursday.
  if (unit === 'w') return at - ((((at + 3 * day) % (7 * day)) + 7 * day) % (7 * day));
  const length = unitMs[unit] ?? 1;
  return at - (((at % length) + length) % length);
}

function partsOf(at: number): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly rest: number;
} {
  const [year = 1970, month = 1, day = 1] = toIsoTime(at).slice(0, 10).split('-').map(Number);
  return { year, month: month - 1, day, rest: at - Date.UTC(year, month - 1, day) };
}
