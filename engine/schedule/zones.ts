/** Time zones by their Java ids: how far local time is ahead of UTC at an instant. */
import { invalid } from '../errors.ts';
import { editDistance } from '../validation/nearest-name.ts';
import { zoneIds } from './zone-ids.ts';

export interface Zone {
  readonly id: string;
  /** Seconds that local time is ahead of UTC at an instant, which is in whole epoch seconds. */
  offsetAt(instant: number): number;
}

const known: ReadonlySet<string> = new Set(zoneIds);
const zones = new Map<string, Zone>();

/**
 * The zone of a Java id, whose case counts: region ids, the old short ones as Java means them (PST is Los
 * Angeles, EST is fixed), and `GMT+2`, `GMT-03:30`, `UT`, `Z`.
 * @param field how the refusal names where the id stands
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the nearest known ids
 */
export function zoneOf(id: string, field = 'schedule.timezone_id'): Zone {
  const offset = fixedOffset(id);
  if (offset !== undefined) return { id, offsetAt: () => offset };
  if (!known.has(id)) throw unknownZone(id, field);
  const zone = zones.get(id) ?? regionZone(id);
  zones.set(id, zone);
  return zone;
}

const custom = /^GMT(?<sign>[+-])(?<hours>\d|[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?$/;

/** The offset of an id that needs no table, in seconds; undefined for other ids. */
function fixedOffset(id: string): number | undefined {
  if (id === 'UTC' || id === 'GMT' || id === 'UT' || id === 'Z') return 0;
  const { sign, hours, minutes = '0' } = custom.exec(id)?.groups ?? {};
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
}

/**
 * A zone that the tables of the runtime know. Making the format is dear, and asking it thousands of times in
 * a second is, too.
 */
function regionZone(id: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: id,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  const asked = new Map<number, number>();
  return {
    id,
    offsetAt(instant) {
      const answered = asked.get(instant);
      if (answered !== undefined) return answered;
      if (asked.size === cachedOffsetsMax) asked.clear();
      const offset = parseLongOffset(format.format(instant * 1_000));
      asked.set(instant, offset);
      return offset;
    },
  };
}

/** Offsets of a zone that are remembered: schedules that are due together ask for the same few instants. */
const cachedOffsetsMax = 100;

/** Reads `2026, GMT-05:00`; before standard times there were seconds, too. */
function parseLongOffset(text: string): number {
  const {
    sign,
    hours = '0',
    minutes = '0',
    seconds = '0',
  } = /GMT(?:(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d))?)?$/.exec(text)?.groups ?? {};
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}

/** Most characters of an id that are compared with the known ones. */
const longest = 60;

function unknownZone(id: string, field: string): Error {
  if (id.trim() === '')
    return invalid(
      `${field} is ${JSON.stringify(id)}; it must be a Java time zone id, for example Europe/Berlin.`,
    );
  const near = id.length > longest ? 'for example Europe/Berlin' : `nearest: ${nearestZones(id).join(', ')}`;
  return invalid(
    `${field} is ${JSON.stringify(id.slice(0, longest).toWellFormed())}; it must be a Java time zone id; ${near}.`,
  );
}

/**
 * What somebody most likely meant: `UTC+2` and `+02:00` are GMT+02:00 to Java, and places are known by their
 * cities.
 */
function nearestZones(id: string): string[] {
  const {
    sign,
    hours,
    minutes = '00',
  } = /^(?:UTC|GMT|UT|Z)?(?<sign>[+-])(?<hours>\d{1,2})(?::?(?<minutes>\d\d))?$/i.exec(id)?.groups ?? {};
  const offset = `GMT${sign}${hours?.padStart(2, '0')}:${minutes}`;
  if (fixedOffset(offset) !== undefined) return [offset];
  return zoneIds
    .map((zone) => ({
      zone,
      changes: Math.min(editDistance(id, zone), editDistance(cityOf(id), cityOf(zone)) + 0.5),
    }))
    .sort((one, other) => one.changes - other.changes)
    .slice(0, 3)
    .map(({ zone }) => zone);
}

function cityOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).replaceAll(' ', '_');
}
