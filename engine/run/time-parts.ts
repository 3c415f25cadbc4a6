/** Parts of a time that references can name, in UTC. */
import { toIsoTime } from '../clock.ts';
import type { TimeArgument } from '../job/references.ts';

const millisecondsPerDay = 86_400_000;

/** Returns 1 for Monday to 7 for Sunday. The first day of the epoch was a Thursday. */
function isoWeekday(at: number): number {
  return ((Math.floor(at / millisecondsPerDay) + 3) % 7) + 1;
}

/** Argument -> part of a time (epoch ms). `toIsoTime` returns 2026-11-20T08:30:00.000Z. */
export const timeParts = {
  iso_weekday: (at) => String(isoWeekday(at)),
  is_weekday: (at) => String(isoWeekday(at) <= 5),
  iso_date: (at) => toIsoTime(at).slice(0, 10),
  iso_datetime: (at) => toIsoTime(at).slice(0, 19),
  year: (at) => toIsoTime(at).slice(0, 4),
  month: (at) => toIsoTime(at).slice(5, 7),
  day: (at) => toIsoTime(at).slice(8, 10),
  hour: (at) => toIsoTime(at).slice(11, 13),
  minute: (at) => toIsoTime(at).slice(14, 16),
  second: (at) => toIsoTime(at).slice(17, 19),
  timestamp_ms: (at) => String(at),
} satisfies Record<TimeArgument, (at: number) => string>;
