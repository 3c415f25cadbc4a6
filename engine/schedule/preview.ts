/**
 * What a schedule will do: its next fires, with notes where clock changes or the least distance of runs have
 * a say.
 */
import { toIsoTime } from '../clock.ts';
import { dayNumber, secondsPerDay } from './civil.ts';
import { describeQuartz } from './describe.ts';
import { runDistanceMs } from './due.ts';
import type { ClockChange } from './local-time.ts';
import { neverFires } from './never-fires.ts';
import { nextFire, type Fire, type SkippedTimes } from './next-fire.ts';
import { lastYear, parseQuartz } from './quartz.ts';
import { zoneOf, type Zone } from './zones.ts';

/** Most fires of one preview, and how many there are when nobody says. */
export const previewMax = 100;
export const previewDefault = 10;

/** The latest instant that is looked at: the end of the years that Quartz knows. */
export const latestInstant = dayNumber(lastYear + 1, 1, 1) * secondsPerDay * 1_000;

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
  if (fire === undefined) throw neverFires(expression);
  for (; fire !== undefined && fires.length < count; fire = nextFire(quartz, zone, fire.time)) {
    const dropped = fire.time - started < runDistanceMs;
    if (!dropped) started = fire.time;
    const notes = [
      ...fire.skipped.map(skipNote),
      ...(fire.repeated === undefined ? [] : [repeatNote(fire, fire.repeated)]),
      ...(dropped ? [dropNote] : []),
    ];
    fires.push({
      time: fire.time,
      local: localText(fire, zone),
      ...(notes.length > 0 && { note: notes.join(' ') }),
    });
  }
  return { description: describeQuartz(quartz), fire_times: fires };
}

const dropNote = `Not run: it is less than ${runDistanceMs / 1_000} seconds after the run before.`;

function skipNote({ first, several, change }: SkippedTimes): string {
  const what = several
    ? `${timeText(first)} and what follows it before ${timeText(change.to)} do not exist and are skipped`
    : `${timeText(first)} does not exist and is skipped`;
  return `On ${dateText(first)} ${what}: the clocks go forward from ${timeText(change.from)} to ${timeText(change.to)}.`;
}

function repeatNote({ local }: Fire, change: ClockChange): string {
  return `The clocks go back from ${timeText(change.from)} to ${timeText(change.to)}: ${timeText(local)} comes twice, and only the second one fires.`;
}

function localText({ time, local }: Fire, zone: Zone): string {
  const offset = zone.offsetAt(time / 1_000);
  const size = Math.abs(offset);
  const [hours, minutes, seconds] = [size / 3_600, (size / 60) % 60, size % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${isoText(local)}${offset < 0 ? '-' : '+'}${hours}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

/** A local time as it is written, without a zone. */
function isoText(local: number): string {
  return toIsoTime(local * 1_000).slice(0, 19);
}

function dateText(local: number): string {
  return isoText(local).slice(0, 10);
}

function timeText(local: number): string {
  return isoText(local).slice(11).replace(/:00$/, '');
}
