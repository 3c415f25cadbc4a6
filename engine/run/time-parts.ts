/** The parts of an instant that references may name, in UTC. */
import { isoTime } from '../clock.ts';
import type { TimeArgument } from '../job/references.ts';

const millisecondsPerDay = 86_400_000;

/** 1 for Monday to 7 for Sunday. The first day of the epoch was a Thursday. */
function isoWeekday(at: number): number {
  return ((Math.floor(at / millisecondsPerDay) + 3) % 7) + 1;
}

/** Argument -> the part of an instant (epoch ms). `isoTime` reads 2026-11-20T08:30:00.000Z. */
export const timeParts = {
  iso_weekday: (at) => String(isoWeekday(at)),
  is_weekday: (at) => String(isoWeekday(at) <= 5),
  iso_date: (at) => isoTime(at).slice(0, 10),
  iso_datetime: (at) => isoTime(at).slice(0, 19),
  year: (at) => isoTime(at).slice(0, 4),
  month: (at) => isoTime(at).slice(5, 7),
  day: (at) => isoTime(at).slice(8, 10),
  hour: (at) => isoTime(at).slice(11, 13),
  minute: (at) => isoTime(at).slice(14, 16),
  second: (at) => isoTime(at).slice(17, 19),
  timestamp_ms: (at) => String(at),
} satisfies Record<TimeArgument, (at: number) => string>;
