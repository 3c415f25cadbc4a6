/** Due fires that become runs, missed fires, and the next fire after a change of settings. */
import { describe, expect, test } from 'vitest';
import { decideDueFires } from '../../../../engine/schedule/due-fires.ts';
import { decideReschedule } from '../../../../engine/schedule/reschedule.ts';
import { scheduleOf } from '../../../../engine/job/job-schedule.ts';
import type { MisfirePolicy, Schedule } from '../../../../engine/schedule/schedule.ts';

const cron = (expression: string, misfirePolicy: MisfirePolicy = 'FIRE_ONCE', paused = false): Schedule => ({
  kind: 'cron',
  expression,
  zone: 'UTC',
  paused,
  misfirePolicy,
});
const at = (text: string): number => Date.parse(`2027-${text}Z`);
const hourly = '0 0 * * * ?';

/** Returns the decided fires and the next fire, as day and time. */
function decided(schedule: Schedule, due: string, now: string): [string[], string | undefined] {
  const { fires, next } = decideDueFires(schedule, at(due), at(now));
  const text = (time: number): string => new Date(time).toISOString().slice(5, 19);
  return [fires.map(text), next === undefined ? undefined : text(next)];
}

describe('on time', () => {
  test.each([
    [
      'a fire at its time runs',
      hourly,
      '03-01T06:00',
      '03-01T06:00:00.004',
      ['03-01T06:00:00'],
      '03-01T07:00:00',
    ],
    [
      'a fire that is a minute late runs',
      hourly,
      '03-01T06:00',
      '03-01T06:01:00',
      ['03-01T06:00:00'],
      '03-01T07:00:00',
    ],
    [
      'two fires that are both on time run',
      '0 * * * * ?',
      '03-01T06:00',
      '03-01T06:01:00',
      ['03-01T06:00:00', '03-01T06:01:00'],
      '03-01T06:02:00',
    ],
    [
      'fires closer than ten seconds are dropped',
      '* * * * * ?',
      '03-01T06:00',
      '03-01T06:00:00',
      ['03-01T06:00:00'],
      '03-01T06:00:10',
    ],
    [
      'fires closer than ten seconds are dropped at uneven intervals',
      '0,7,9,12 * * * * ?',
      '03-01T06:00',
      '03-01T06:00:00',
      ['03-01T06:00:00'],
      '03-01T06:00:12',
    ],
    [
      'after the last fire there is no next fire',
      '0 0 6 1 3 ? 2027',
      '03-01T06:00',
      '03-01T06:00:00',
      ['03-01T06:00:00'],
      undefined,
    ],
  ])('%s', (_name, expression, due, now, fires, next) => {
    for (const policy of ['FIRE_ONCE', 'SKIP', 'FIRE_ALL'] as const)
      expect(decided(cron(expression, policy), due, now)).toEqual([fires, next]);
  });
});

describe('missed', () => {
  test.each([
    ['FIRE_ONCE', ['03-01T09:00:00']],
    ['SKIP', []],
    ['FIRE_ALL', ['03-01T06:00:00', '03-01T07:00:00', '03-01T08:00:00', '03-01T09:00:00']],
  ] as const)('%s of four missed fires runs the expected ones', (policy, fires) => {
    expect(decided(cron(hourly, policy), '03-01T06:00', '03-01T09:30')).toEqual([fires, '03-01T10:00:00']);
  });

  test('SKIP runs a fire that is on time', () => {
    expect(decided(cron(hourly, 'SKIP'), '03-01T06:00', '03-01T09:00:30')).toEqual([
      ['03-01T09:00:00'],
      '03-01T10:00:00',
    ]);
  });

  test('FIRE_ALL runs at most the latest 100 missed fires', () => {
    const [fires, next] = decided(cron('* * * * * ?', 'FIRE_ALL'), '01-01T00:00', '12-31T23:59:59');
    expect([fires.length, fires.at(-1)?.slice(0, 8), next?.slice(0, 11)]).toEqual([
      100,
      '12-31T23',
      '01-01T00:00',
    ]);
    expect(new Set(fires).size).toBe(100);
  });

  test('a schedule that never fires again has no next fire', () => {
    expect(decided(cron('0 0 6 1 3 ? 2027'), '03-01T06:00', '04-01T00:00')).toEqual([
      ['03-01T06:00:00'],
      undefined,
    ]);
  });
});

test('an interval keeps its phase after missed fires', () => {
  const schedule: Schedule = {
    kind: 'interval',
    milliseconds: 7 * 60_000,
    paused: false,
    misfirePolicy: 'FIRE_ONCE',
  };
  expect(decided(schedule, '03-01T06:00', '03-01T06:00:01')).toEqual([['03-01T06:00:00'], '03-01T06:07:00']);
  expect(decided(schedule, '03-01T06:00', '03-01T06:30')).toEqual([['03-01T06:28:00'], '03-01T06:35:00']);
});

describe('a change of settings', () => {
  const now = at('03-01T05:30');
  test.each<[string, Schedule | undefined, Schedule | undefined, unknown]>([
    ['a new schedule gets its first fire', undefined, cron(hourly), { next: at('03-01T06:00') }],
    ['an unchanged schedule keeps its next fire', cron(hourly), cron(hourly), 'kept'],
    ['a changed misfire policy keeps the next fire', cron(hourly), cron(hourly, 'SKIP'), 'kept'],
    [
      'a paused schedule has no next fire',
      cron(hourly),
      cron(hourly, 'FIRE_ONCE', true),
      { next: undefined },
    ],
    [
      'a resumed schedule continues from now',
      cron(hourly, 'FIRE_ONCE', true),
      cron(hourly),
      { next: at('03-01T06:00') },
    ],
    ['a changed expression counts from now', cron(hourly), cron('0 45 * * * ?'), { next: at('03-01T05:45') }],
    ['a removed schedule is removed', cron(hourly), undefined, 'removed'],
    [
      'a schedule that never fires again can be resumed',
      cron('0 0 6 1 1 ? 2026', 'SKIP', true),
      cron('0 0 6 1 1 ? 2026'),
      { next: undefined },
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(decideReschedule(before, after, now)).toEqual(expected);
  });

  test.each([false, true])('a new expression that never fires is refused (paused: %s)', (paused) => {
    expect(() => decideReschedule(undefined, cron('0 1 0 8 Apr ? 2021', 'FIRE_ONCE', paused), now)).toThrow(
      'The provided cron expression: 0 1 0 8 Apr ? 2021 will never fire.',
    );
  });
});

test.each([
  [
    { schedule: { quartz_cron_expression: hourly, timezone_id: 'UTC', pause_status: 'PAUSED' as const } },
    cron(hourly, 'FIRE_ONCE', true),
  ],
  [
    { trigger: { periodic: { interval: 2, unit: 'HOURS' as const } } },
    { kind: 'interval', milliseconds: 7_200_000, paused: false, misfirePolicy: 'FIRE_ONCE' },
  ],
  [{}, undefined],
])('scheduleOf(%j) returns the schedule', (settings, expected) => {
  expect(scheduleOf(settings)).toEqual(expected);
});
