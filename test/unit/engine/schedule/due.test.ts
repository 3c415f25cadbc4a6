/** Which fires become runs, when they come late too; and what a change of settings means for the next one. */
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

/** Fires and the next one, as day and time. */
function decided(timing: Schedule, due: string, now: string): [string[], string | undefined] {
  const { fires, next } = decideDueFires(timing, at(due), at(now));
  const text = (time: number): string => new Date(time).toISOString().slice(5, 19);
  return [fires.map(text), next === undefined ? undefined : text(next)];
}

describe('on time', () => {
  test.each([
    ['a fire', hourly, '03-01T06:00', '03-01T06:00:00.004', ['03-01T06:00:00'], '03-01T07:00:00'],
    ['a minute late', hourly, '03-01T06:00', '03-01T06:01:00', ['03-01T06:00:00'], '03-01T07:00:00'],
    [
      'two that came while nobody looked',
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
      'and of an uneven rhythm the same',
      '0,7,9,12 * * * * ?',
      '03-01T06:00',
      '03-01T06:00:00',
      ['03-01T06:00:00'],
      '03-01T06:00:12',
    ],
    ['the last one', '0 0 6 1 3 ? 2027', '03-01T06:00', '03-01T06:00:00', ['03-01T06:00:00'], undefined],
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
  ] as const)('%s of four fires', (policy, fires) => {
    expect(decided(cron(hourly, policy), '03-01T06:00', '03-01T09:30')).toEqual([fires, '03-01T10:00:00']);
  });

  test('SKIP still runs what is on time', () => {
    expect(decided(cron(hourly, 'SKIP'), '03-01T06:00', '03-01T09:00:30')).toEqual([
      ['03-01T09:00:00'],
      '03-01T10:00:00',
    ]);
  });

  test('FIRE_ALL makes up for the latest hundred, however long it was', () => {
    const [fires, next] = decided(cron('* * * * * ?', 'FIRE_ALL'), '01-01T00:00', '12-31T23:59:59');
    expect([fires.length, fires.at(-1)?.slice(0, 8), next?.slice(0, 11)]).toEqual([
      100,
      '12-31T23',
      '01-01T00:00',
    ]);
    expect(new Set(fires).size).toBe(100);
  });

  test('of fires that never come again there is no next', () => {
    expect(decided(cron('0 0 6 1 3 ? 2027'), '03-01T06:00', '04-01T00:00')).toEqual([
      ['03-01T06:00:00'],
      undefined,
    ]);
  });
});

test('an interval keeps its distance, whatever was missed', () => {
  const timing: Schedule = {
    kind: 'interval',
    milliseconds: 7 * 60_000,
    paused: false,
    misfirePolicy: 'FIRE_ONCE',
  };
  expect(decided(timing, '03-01T06:00', '03-01T06:00:01')).toEqual([['03-01T06:00:00'], '03-01T06:07:00']);
  expect(decided(timing, '03-01T06:00', '03-01T06:30')).toEqual([['03-01T06:28:00'], '03-01T06:35:00']);
});

describe('after a change of settings', () => {
  const now = at('03-01T05:30');
  test.each<[string, Schedule | undefined, Schedule | undefined, unknown]>([
    ['a new schedule waits for its first fire', undefined, cron(hourly), { next: at('03-01T06:00') }],
    ['one that is the same is left alone', cron(hourly), cron(hourly), 'kept'],
    ['another policy changes no time', cron(hourly), cron(hourly, 'SKIP'), 'kept'],
    ['a paused one waits for nothing', cron(hourly), cron(hourly, 'FIRE_ONCE', true), { next: undefined }],
    [
      'a resumed one goes on from now',
      cron(hourly, 'FIRE_ONCE', true),
      cron(hourly),
      { next: at('03-01T06:00') },
    ],
    ['another expression counts from now', cron(hourly), cron('0 45 * * * ?'), { next: at('03-01T05:45') }],
    ['a schedule that is taken away is gone', cron(hourly), undefined, 'removed'],
    [
      'one that has run out may be resumed',
      cron('0 0 6 1 1 ? 2026', 'SKIP', true),
      cron('0 0 6 1 1 ? 2026'),
      { next: undefined },
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(decideReschedule(before, after, now)).toEqual(expected);
  });

  test.each([false, true])('an expression that never fires is refused, paused %s', (paused) => {
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
])('the timing of %j', (settings, expected) => {
  expect(scheduleOf(settings)).toEqual(expected);
});
