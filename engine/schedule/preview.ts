/** Preview of a schedule: its next fires, with notes about clock changes and dropped fires. */
import { toIsoTime } from '../clock.ts';
import { toEpochDay, secondsPerDay } from './calendar.ts';
import { describeQuartz } from './describe-quartz.ts';
import type { ClockChange } from './local-time.ts';
import { neverFiresError } from './never-fires.ts';
import { nextFire, type Fire, type SkippedTimes } from './next-fire.ts';
import { lastYear, parseQuartz } from './quartz.ts';
import { zoneOf, type Zone } from './zones.ts';
import { fixedLimits } from '../limits.ts';

/** Default number of fires of a preview. */
export const previewDefault = 10;

/** Latest instant of a preview: the end of the years that Quartz supports. */
export const latestInstant = toEpochDay(lastYear + 1, 1, 1) * secondsPerDay * 1_000;

export interface PreviewedFire {
  /** Epoch milliseconds. */
  readonly time: number;
  /** ISO-8601 with the offset of the zone at this time. */
  readonly local: string;
  /** Explanation of a skipped, repeated or dropped time. */
  readonly note?: string;
}

export interface Preview {
  /** Expression in words. */
  readonly description: string;
  readonly fire_times: PreviewedFire[];
}

/**
 * Returns the next fires strictly after an instant (epoch ms).
 * @throws ServiceError INVALID_PARAMETER_VALUE for an invalid expression or zone, or when there is no next
 *   fire
 */
export function previewSchedule(expression: string, zoneId: string, after: number, count: number): Preview {
  const quartz = parseQuartz(expression);
  const zone = zoneOf(zoneId, 'timezone_id');
  const fires: PreviewedFire[] = [];
  let lastStarted = Number.NEGATIVE_INFINITY;
  let fire = nextFire(quartz, zone, after);
  if (fire === undefined) throw neverFiresError(expression);
  for (; fire !== undefined && fires.length < count; fire = nextFire(quartz, zone, fire.time)) {
    const dropped = fire.time - lastStarted < fixedLimits.fireGapMs;
    if (!dropped) lastStarted = fire.time;
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

const dropNote = `Not run: less than ${fixedLimits.fireGapMs / 1_000} seconds after the previous run.`;

function skipNote({ first, hasMore, change }: SkippedTimes): string {
  const what = hasMore
    ? `${formatLocalTime(first)} and later times before ${formatLocalTime(change.to)} do not exist and are skipped`
    : `${formatLocalTime(first)} does not exist and is skipped`;
  return `On ${formatLocalDate(first)} ${what}: the clocks go forward from ${formatLocalTime(change.from)} to ${formatLocalTime(change.to)}.`;
}

function repeatNote({ local }: Fire, change: ClockChange): string {
  return `The clocks go back from ${formatLocalTime(change.from)} to ${formatLocalTime(change.to)}: ${formatLocalTime(local)} occurs twice, and only the second occurrence fires.`;
}

function formatZonedTime({ time, local }: Fire, zone: Zone): string {
  const offset = zone.offsetAt(time / 1_000);
  const size = Math.abs(offset);
  const [hours, minutes, seconds] = [size / 3_600, (size / 60) % 60, size % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${formatLocalIso(local)}${offset < 0 ? '-' : '+'}${hours}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

/** Formats a local time in ISO-8601 without a zone. */
function formatLocalIso(local: number): string {
  return toIsoTime(local * 1_000).slice(0, 19);
}

function formatLocalDate(local: number): string {
  return formatLocalIso(local).slice(0, 10);
}

function formatLocalTime(local: number): string {
  return formatLocalIso(local).slice(11).replace(/:00$/, '');
}
