/** Preview of a schedule: description of the expression, fires, and notes about clock changes. */
import { describe, expect, test } from 'vitest';
import { describeQuartz } from '../../../../engine/schedule/describe-quartz.ts';
import { previewSchedule } from '../../../../engine/schedule/preview.ts';
import { parseQuartz } from '../../../../engine/schedule/quartz.ts';

test.each([
  ['0 15 10 ? * 6L', 'at 10:15 on the last Friday of every month'],
  ['0 15 10 ? * 6L 2027-2030', 'at 10:15 on the last Friday of every month from 2027 to 2030'],
  ['0 15 10 * * ? 2027', 'at 10:15 every day in 2027'],
  ['0 0/5 14,18 * * ?', 'every 5 minutes in the hours 14 and 18'],
  ['0 */5 8-18 ? * MON-FRI', 'every 5 minutes from 08:00 to 18:55 from Monday to Friday'],
  ['0 15 10 ? * MON-FRI', 'at 10:15 from Monday to Friday'],
  ['0 0 0 ? * FRI-MON', 'at 00:00 on Monday and Friday to Sunday'],
  ['0 0 0 ? * L', 'at 00:00 every Saturday'],
  ['0 0 0 ? * 6#3', 'at 00:00 on the third Friday of every month'],
  ['0 0 0 L * ?', 'at 00:00 on the last day of every month'],
  ['0 0 0 L-2 * ?', 'at 00:00 on the day that is 2 before the last of every month'],
  ['0 0 0 LW * ?', 'at 00:00 on the last working day (Monday to Friday) of every month'],
  ['0 0 0 15W 6 ?', 'at 00:00 on the Monday to Friday nearest to day 15 of June'],
  [
    '0 0 6 1,10-12,28 NOV-FEB ?',
    'at 06:00 on days 1, 10 to 12 and 28 of January, February, November and December',
  ],
  ['30 0,30 6 * * ?', 'at 06:00:30 and 06:30:30 every day'],
  ['* * * * * ?', 'every second'],
  ['*/10 * * * * ?', 'every 10 seconds'],
  ['0 * * * * ?', 'every minute'],
  ['0 5/15 * * * ?', 'every 15 minutes from minute 5'],
  ['0 0 * * * ?', 'every hour at minute 0'],
  ['0 20 */2 * * ?', 'every 2 hours, at minute 20'],
  ['0 0 0 1 1 ? 2028/2', 'at 00:00 on day 1 of January every 2 years from 2028 to 2298'],
])('the description of %s is: %s', (expression, words) => {
  expect(describeQuartz(parseQuartz(expression))).toBe(words);
});

const fires = (expression: string, zone: string, after: string, count: number) =>
  previewSchedule(expression, zone, Date.parse(after), count).fire_times;

describe('notes', () => {
  test('the fire after a skipped time has a note', () => {
    expect(fires('0 30 2 * * ?', 'Europe/Berlin', '2027-03-27T00:00Z', 3)).toEqual([
      { time: 1_806_111_000_000, local: '2027-03-27T02:30:00+01:00' },
      {
        time: 1_806_280_200_000,
        local: '2027-03-29T02:30:00+02:00',
        note: 'On 2027-03-28 02:30 does not exist and is skipped: the clocks go forward from 02:00 to 03:00.',
      },
      { time: 1_806_366_600_000, local: '2027-03-30T02:30:00+02:00' },
    ]);
  });

  test('several skipped times share one note', () => {
    expect(fires('0 */15 * * * ?', 'Europe/Berlin', '2027-03-28T00:50Z', 2)).toEqual([
      {
        time: 1_806_195_600_000,
        local: '2027-03-28T03:00:00+02:00',
        note: 'On 2027-03-28 02:00 and later times before 03:00 do not exist and are skipped: the clocks go forward from 02:00 to 03:00.',
      },
      { time: 1_806_196_500_000, local: '2027-03-28T03:15:00+02:00' },
    ]);
  });

  test('the fire of a repeated time has a note', () => {
    expect(fires('0 30 2 * * ?', 'Europe/Berlin', '2027-10-30T12:00Z', 2)).toEqual([
      {
        time: 1_824_946_200_000,
        local: '2027-10-31T02:30:00+01:00',
        note: 'The clocks go back from 03:00 to 02:00: 02:30 occurs twice, and only the second occurrence fires.',
      },
      { time: 1_825_032_600_000, local: '2027-11-01T02:30:00+01:00' },
    ]);
  });

  test('a fire less than 10 seconds after the previous run has a note that it is not run', () => {
    const notes = fires('0/4 * * * * ?', 'UTC', '2027-01-01T00:00Z', 5).map(({ note }) => note !== undefined);
    expect(notes).toEqual([false, true, true, false, true]);
  });
});

test('local times have negative and half-hour offsets', () => {
  expect(fires('0 0 12 * * ?', 'GMT-03:30', '2027-01-01T00:00Z', 1)).toEqual([
    { time: 1_798_817_400_000, local: '2027-01-01T12:00:00-03:30' },
  ]);
});

test('the preview ends with the last fire of the schedule', () => {
  expect(fires('0 0 12 30 12 ? 2027-2028', 'UTC', '2027-01-01T00:00Z', 10)).toHaveLength(2);
});

test.each([
  ['0 1 0 8 Apr ? 2021', 'UTC', 'The provided cron expression: 0 1 0 8 Apr ? 2021 will never fire.'],
  [
    '0 30 2 14 3 ? 2027',
    'America/New_York',
    'The provided cron expression: 0 30 2 14 3 ? 2027 will never fire.',
  ],
  ['0 0 0 ? * ?', 'UTC', /^Invalid quartz_cron_expression: /],
  ['0 0 0 * * ?', 'Europe/Berln', /^timezone_id is "Europe\/Berln"; .*Europe\/Berlin/],
])('%s in %s is refused', (expression, zone, message) => {
  expect(() => fires(expression, zone, '2027-01-01T00:00Z', 1)).toThrow(message);
});
