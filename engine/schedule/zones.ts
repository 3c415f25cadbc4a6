/** Time zones by Java id. */
import { invalid } from '../errors.ts';
import { editDistance } from '../validation/nearest-name.ts';
import { zoneIds } from './zone-ids.ts';

export interface Zone {
  readonly id: string;
  /** Returns the offset of local time from UTC in seconds at an instant in epoch seconds. */
  offsetAt(instant: number): number;
}

const known: ReadonlySet<string> = new Set(zoneIds);
const zones = new Map<string, Zone>();

/**
 * Returns the zone of a Java id. Ids are case-sensitive: region ids, short ids with their meaning in Java
 * (PST is Los Angeles, EST is a fixed offset), and `GMT+2`, `GMT-03:30`, `UT`, `Z`.
 * @param field name of the field, for the error message
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

const fixedOffsetPattern = /^GMT(?<sign>[+-])(?<hours>\d|[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?$/;

/** Returns the offset of an id with a fixed offset, in seconds; undefined for other ids. */
function fixedOffset(id: string): number | undefined {
  if (id === 'UTC' || id === 'GMT' || id === 'UT' || id === 'Z') return 0;
  const { sign, hours, minutes = '0' } = fixedOffsetPattern.exec(id)?.groups ?? {};
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
}

/** Creates a zone from the time zone database of the runtime. Offsets are cached because lookups are slow. */
function regionZone(id: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: id,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  const offsets = new Map<number, number>();
  return {
    id,
    offsetAt(instant) {
      const cached = offsets.get(instant);
      if (cached !== undefined) return cached;
      if (offsets.size === cachedOffsetsMax) offsets.clear();
      const offset = parseLongOffset(format.format(instant * 1_000));
      offsets.set(instant, offset);
      return offset;
    },
  };
}

/** Maximum number of cached offsets per zone. Schedules that are due together need the same few instants. */
const cachedOffsetsMax = 100;

/** Parses `2026, GMT-05:00`. Historical offsets include seconds. */
function parseLongOffset(text: string): number {
  const {
    sign,
    hours = '0',
    minutes = '0',
    seconds = '0',
  } = /GMT(?:(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d))?)?$/.exec(text)?.groups ?? {};
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}

/** Maximum length of an id for which suggestions are computed. */
const suggestionLengthMax = 60;

function unknownZone(id: string, field: string): Error {
  if (id.trim() === '')
    return invalid(
      `${field} is ${JSON.stringify(id)}; it must be a Java time zone id, for example Europe/Berlin.`,
    );
  const near =
    id.length > suggestionLengthMax ? 'for example Europe/Berlin' : `nearest: ${nearestZones(id).join(', ')}`;
  return invalid(
    `${field} is ${JSON.stringify(id.slice(0, suggestionLengthMax).toWellFormed())}; it must be a Java time zone id; ${near}.`,
  );
}

/** Suggests ids for an unknown one: GMT+02:00 for `UTC+2` and `+02:00`, otherwise the nearest region ids. */
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
