/**
 * What a schedule will do: its next fires, with notes where clock changes or the least distance of runs have
 * a say.
 */
import { toIsoTime } from '../clock.ts';
import { toEpochDay, secondsPerDay } from './calendar.ts';
import { describeQuartz } from './describe-quartz.ts';
import type { ClockChange } from './local-time.ts';
import { neverFiresError } from './never-fires.ts';
import { nextFire, type Fire, type SkippedTimes } from './next-fire.ts';
import { lastYear, parseQuartz } from './quartz.ts';
import { zoneOf, type Zone } from './zones.ts';
import { fixedLimits } from '../limits.ts';

export const previewDefault = 10;

/** The latest instant that is looked at: the end of the years that Quartz knows. */
export const latestInstant = toEpochDay(lastYear + 1, 1, 1) * secondsPerDay * 1_000;

export interface PreviewedFire {
  /** Epoch milliseconds. */
  readonly time: number;
  /** ISO-8601 with the offset of the zone at that time. */
  readonly local: string;
  /** What is unusual about it, for people. */
  readonly note?: string;
}

export interface Preview {
  /** The expression in plain words. */
  readonly description: string;
  readonly fire_times: PreviewedFire[];
}

/**
 * The next fires strictly after an instant (epoch ms).
 * @throws ServiceError INVALID_PARAMETER_VALUE for an expression or zone that is refused, or that never fires
 *   again
 */
export function previewSchedule(expression: string, zoneId: string, after: number, count: number): Preview {
  const quartz = parseQuartz(expression);
  const zone = zoneOf(zoneId, 'timezone_id');
  const fires: PreviewedFire[] = [];
  let started = Number.NEGATIVE_INFINITY;
  let fire = nextFire(quartz, zone, after);
  if (fire === undefined) throw neverFiresError(expression);
  for (; fire !== undefined && fires.length < count; fire = nextFire(quartz, zone, fire.time)) {
    const dropped = fire.time - started < fixedLimits.fireGapMs;
    if (!dropped) started = fire.time;
    const notes = [
      ...fire.skipped.map(skipNote),
      ...(fire.repeated === undefined ? [] : [repeatNote(fire, fire.repeated)]),
      ...(dropped ? [dropNote] : []),
    ];
    fires.push({
      time: fire.time,
      local: formatZonedTime(fire, zone),
      ...(notes.length > 0 && { note: notes.join(' ') }),
    });
  }
  return { description: describeQuartz(quartz), fire_times: fires };
}

const dropNote = `Not run: it is less than ${fixedLimits.fireGapMs / 1_000} seconds after the run before.`;

function skipNote({ first, hasMore, change }: SkippedTimes): string {
  const what = hasMore
    ? `${formatLocalTime(first)} and what follows it before ${formatLocalTime(change.to)} do not exist and are skipped`
    : `${formatLocalTime(first)} does not exist and is skipped`;
  return `On ${formatLocalDate(first)} ${what}: the clocks go forward from ${formatLocalTime(change.from)} to ${formatLocalTime(change.to)}.`;
}

function repeatNote({ local }: Fire, change: ClockChange): string {
  return `The clocks go back from ${formatLocalTime(change.from)} to ${formatLocalTime(change.to)}: ${formatLocalTime(local)} comes twice, and only the second one fires.`;
}

function formatZonedTime({ time, local }: Fire, zone: Zone): string {
  const offset = zone.offsetAt(time / 1_000);
  const size = Math.abs(offset);
  const [hours, minutes, seconds] = [size / 3_600, (size / 60) % 60, size % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${formatLocalIso(local)}${offset < 0 ? '-' : '+'}${hours}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

/** A local time as it is written, without a zone. */
function formatLocalIso(local: number): string {
  return toIsoTime(local * 1_000).slice(0, 19);
}

function formatLocalDate(local: number): string {
  return formatLocalIso(local).slice(0, 10);
}

function formatLocalTime(local: number): string {
  return formatLocalIso(local).slice(11).replace(/:00$/, '');
}
