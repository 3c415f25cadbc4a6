/** Fires around clock changes, compared with a table and with an independent second-by-second matcher. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextFire } from '../../../../engine/schedule/next-fire.ts';
import { parseQuartz } from '../../../../engine/schedule/quartz.ts';
import { zoneIds } from '../../../../engine/schedule/zone-ids.ts';
import { zoneOf, type Zone } from '../../../../engine/schedule/zones.ts';

function fires(expression: string, zone: string, after: string, count = 2): string[] {
  const times: string[] = [];
  for (let at = Date.parse(after); times.length < count;) {
    at = nextFire(parseQuartz(expression), zoneOf(zone), at)?.time ?? Number.NaN;
    times.push(new Date(at).toISOString().slice(0, 16));
  }
  return times;
}

test.each([
  [
    'a time in the gap is skipped',
    '0 30 2 * * ?',
    'America/New_York',
    '2027-03-13T12:00Z',
    ['2027-03-15T06:30', '2027-03-16T06:30'],
  ],
  [
    'a time after the gap fires',
    '0 15 2,3 * * ?',
    'America/New_York',
    '2027-03-13T12:00Z',
    ['2027-03-14T07:15', '2027-03-15T06:15'],
  ],
  [
    'a repeated time fires at its second occurrence',
    '0 30 1 * * ?',
    'America/New_York',
    '2027-11-06T12:00Z',
    ['2027-11-07T06:30', '2027-11-08T06:30'],
  ],
  [
    'no time fires during the first pass of a repeated hour',
    '0 */15 * * * ?',
    'America/New_York',
    '2027-11-07T05:10Z',
    ['2027-11-07T06:15', '2027-11-07T06:30'],
  ],
  [
    'the search continues forward after a repeated time',
    '0 30 1 * * ?',
    'America/New_York',
    '2027-11-07T05:40Z',
    ['2027-11-08T06:30', '2027-11-09T06:30'],
  ],
  [
    'a time in a gap of half an hour is skipped',
    '0 15 2 * * ?',
    'Australia/Lord_Howe',
    '2026-10-03T00:00Z',
    ['2026-10-04T15:15', '2026-10-05T15:15'],
  ],
  // Quartz skips a whole day when a gap includes midnight, and an hour after a gap of two hours. This
  // implementation skips only times that do not exist.
  [
    'a gap up to midnight skips only the times in it',
    '0 14 * * * ?',
    'America/Scoresbysund',
    '2027-03-28T00:00Z',
    ['2027-03-28T00:14', '2027-03-28T01:14'],
  ],
  [
    'a gap of two hours skips only the times in it',
    '0 57 * * * ?',
    'Antarctica/Troll',
    '2028-03-26T00:24Z',
    ['2028-03-26T00:57', '2028-03-26T01:57'],
  ],
])('%s', (_name, expression, zone, after, expected) => {
  expect(fires(expression, zone, after)).toEqual(expected);
});

/** A field as text and as a predicate. */
interface Field {
  readonly text: string;
  readonly fits: (value: number) => boolean;
}

const size = 60;
const secondOrMinute: fc.Arbitrary<Field> = fc.oneof(
  fc.constant({ text: '*', fits: () => true }),
  fc
    .integer({ min: 0, max: 59 })
    .map((only) => ({ text: String(only), fits: (value: number) => value === only })),
  fc
    .tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 1, max: 59 }))
    .map(([from, step]) => ({
      text: `${from}/${step}`,
      fits: (value: number) => value >= from && (value - from) % step === 0,
    })),
  fc
    .tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }))
    .map(([from, to]) => ({
      text: `${from}-${to}`,
      fits: (value: number) => (value - from + size) % size <= (to - from + size) % size,
    })),
);

/** Returns the instants at which the offset of a zone changes within two years, in epoch seconds. */
function changesOf(zone: Zone): number[] {
  const changes: number[] = [];
  const end = Date.parse('2028-06-01T00:00:00Z') / 1_000;
  const day = 86_400;
  for (let at = Date.parse('2026-06-01T00:00:00Z') / 1_000; at < end; at += day) {
    if (zone.offsetAt(at) === zone.offsetAt(at + day)) continue;
    let [low, high] = [at, at + day];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (zone.offsetAt(middle) === zone.offsetAt(at)) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

/** Returns every fire of a window in local order: each existing matching local time at its last instant. */
function bruteForce(
  zone: Zone,
  change: number,
  from: number,
  until: number,
  fits: (secondOfDay: number) => boolean,
): number[] {
  const [before, after] = [zone.offsetAt(change - 1), zone.offsetAt(change)];
  const lastInstants = new Map<number, number>();
  // Continues beyond the end because a local time before it may repeat after it.
  for (let instant = from + 1; instant <= until + 2 * 3_600; instant += 1) {
    const local = instant + (instant < change ? before : after);
    if (fits(((local % 86_400) + 86_400) % 86_400)) lastInstants.set(local, instant);
  }
  const start = from + (from < change ? before : after);
  const found: number[] = [];
  for (const [local, instant] of [...lastInstants].sort(([one], [other]) => one - other)) {
    if (local > start && instant > (found.at(-1) ?? from) && instant <= until) found.push(instant);
  }
  return found;
}

describe('every fire around every clock change of every zone', () => {
  const areas = Map.groupBy(zoneIds, (id) => id.slice(0, Math.max(0, id.indexOf('/'))));
  test.each([...areas])('%s', (_area, ids) => {
    for (const id of ids) {
      const zone = zoneOf(id);
      for (const change of changesOf(zone)) {
        const [from, [second, minute], hours] = fc.sample(
          fc.tuple(
            fc.integer({ min: change - 5_000, max: change + 3_000 }),
            fc.tuple(secondOrMinute, secondOrMinute),
            fc.boolean(),
          ),
          { numRuns: 1, seed: change + id.length },
        )[0] ?? [
          change,
          [
            { text: '*', fits: () => true },
            { text: '*', fits: () => true },
          ],
          false,
        ];
        const until = change + 3_600;
        const expected = bruteForce(
          zone,
          change,
          from,
          until,
          (time) =>
            second.fits(time % 60) &&
            minute.fits(Math.floor(time / 60) % 60) &&
            (hours || Math.floor(time / 3_600) % 2 === 0),
        ).slice(0, 40);
        const quartz = parseQuartz(`${second.text} ${minute.text} ${hours ? '*' : '*/2'} * * ?`);
        const found: number[] = [];
        for (let at = from; found.length < expected.length;) {
          at = (nextFire(quartz, zone, at * 1_000)?.time ?? Number.NaN) / 1_000;
          found.push(at);
        }
        expect({ id, from, quartz: [second.text, minute.text, hours], found }).toEqual({
          id,
          from,
          quartz: [second.text, minute.text, hours],
          found: expected,
        });
      }
    }
  });
});

test('fires increase strictly, and the local time of each matches the expression', () => {
  const numbers = (max: number) => fc.integer({ min: 0, max });
  const options = {
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    weekday: 'short',
    day: 'numeric',
  } as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...zoneIds),
      numbers(59),
      numbers(59),
      numbers(23),
      fc.constantFrom('SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'),
      fc.integer({ min: 1.7e9, max: 2.5e9 }),
      (id, second, minute, hour, weekday, start) => {
        const quartz = parseQuartz(`${second} ${minute} ${hour} ? * ${weekday}`);
        const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: id });
        let at = start * 1_000;
        for (let index = 0; index < 5; index += 1) {
          const fire = nextFire(quartz, zoneOf(id), at);
          expect(fire?.time).toBeGreaterThan(at);
          at = fire?.time ?? 0;
          const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
          expect([
            Number(parts['second']),
            Number(parts['minute']),
            Number(parts['hour']),
            parts['weekday']?.toUpperCase(),
          ]).toEqual([second, minute, hour, weekday]);
        }
      },
    ),
    { numRuns: 400 },
  );
});
