/** Time zones by their Java ids. */
import { expect, test } from 'vitest';
import { zoneIds } from '../../../../engine/schedule/zone-ids.ts';
import { zoneOf } from '../../../../engine/schedule/zones.ts';

const winter = Date.parse('2027-01-15T12:00:00Z') / 1_000;
const summer = Date.parse('2027-07-15T12:00:00Z') / 1_000;
const hours = (id: string, instant = winter): number => zoneOf(id).offsetAt(instant) / 3_600;
const refusal = (id: string): string => {
  try {
    zoneOf(id);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
};

test('every id of the list and every zone of the runtime has an offset', () => {
  const all = [...zoneIds, ...Intl.supportedValuesOf('timeZone')];
  expect(all.filter((id) => !Number.isInteger(zoneOf(id).offsetAt(winter)))).toEqual([]);
  expect(zoneIds.length).toBeGreaterThan(600);
  expect(new Set(zoneIds).size).toBe(zoneIds.length);
});

test.each([
  ['Europe/Berlin', 1, 2],
  ['America/New_York', -5, -4],
  ['Asia/Kolkata', 5.5, 5.5],
  ['Asia/Kathmandu', 5.75, 5.75],
  ['Australia/Lord_Howe', 11, 10.5],
  ['UTC', 0, 0],
  ['GMT', 0, 0],
  ['UT', 0, 0],
  ['Z', 0, 0],
  ['GMT0', 0, 0],
  ['Zulu', 0, 0],
  ['Etc/GMT-14', 14, 14],
  ['US/Pacific', -8, -7],
  // The old short ids as Java means them.
  ['PST', -8, -7],
  ['IST', 5.5, 5.5],
  ['BST', 6, 6],
  ['ACT', 9.5, 9.5],
  ['EST', -5, -5],
  ['MST', -7, -7],
  ['HST', -10, -10],
  ['CST', -6, -5],
  ['JST', 9, 9],
  ['CTT', 8, 8],
  ['GMT+2', 2, 2],
  ['GMT+02:00', 2, 2],
  ['GMT-3:30', -3.5, -3.5],
  ['GMT+0530', 5.5, 5.5],
  ['GMT+530', 5.5, 5.5],
  ['GMT-23', -23, -23],
  ['SystemV/EST5EDT', -5, -4],
])('%s is %d hours ahead of UTC in January and %d in July', (id, january, july) => {
  expect([hours(id), hours(id, summer)]).toEqual([january, july]);
});

test.each([
  ['Europe/Berln', 'Europe/Berlin'],
  ['Berlin', 'Europe/Berlin'],
  ['america/new_york', 'America/New_York'],
  ['New York', 'America/New_York'],
  ['utc', 'UTC'],
  ['UTC+2', 'GMT+02:00'],
  ['+02:00', 'GMT+02:00'],
  ['gmt-3', 'GMT-03:00'],
])('%s is refused, and the message suggests %s', (id, nearest) => {
  expect(refusal(id)).toMatch(
    new RegExp(
      `^schedule\\.timezone_id is "${id.replaceAll('+', '\\+')}"; it must be a Java time zone id; nearest: ${nearest.replaceAll('+', '\\+')}[.,]`,
    ),
  );
});

test.each(['GMT+24', 'GMT+2:60', 'GMT+2:5', 'Mars/Base', '__proto__', 'Europe/Berlin\n', 'x'.repeat(500)])(
  '%j is refused',
  (id) => {
    expect(refusal(id)).toMatch(/^schedule\.timezone_id is .*; it must be a Java time zone id; /);
  },
);

test.each(['', '  '])('%j is refused with an example', (id) => {
  expect(refusal(id)).toBe(
    `schedule.timezone_id is ${JSON.stringify(id)}; it must be a Java time zone id, for example Europe/Berlin.`,
  );
});
