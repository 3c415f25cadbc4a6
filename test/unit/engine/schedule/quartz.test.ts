/** Fires of Quartz expressions, rule by rule, and error messages of invalid expressions. */
import { describe, expect, test } from 'vitest';
import { nextFire } from '../../../../engine/schedule/next-fire.ts';
import { parseQuartz } from '../../../../engine/schedule/quartz.ts';
import { zoneOf } from '../../../../engine/schedule/zones.ts';

/** Returns the first `count` fires in UTC after Friday noon; the time of midnight is omitted. */
function fires(expression: string, count = 2, after = '2026-11-20T11:41:05Z'): string[] {
  const quartz = parseQuartz(expression);
  const times: string[] = [];
  for (let at = Date.parse(after); times.length < count;) {
    const fire = nextFire(quartz, zoneOf('UTC'), at);
    if (fire === undefined) break;
    at = fire.time;
    times.push(
      new Date(at)
        .toISOString()
        .replace(/(:00)?\.000Z$/, '')
        .replace('T00:00', ''),
    );
  }
  return times;
}

const refusal = (expression: string): string => {
  try {
    parseQuartz(expression);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
};

test.each<[string, ...string[]]>([
  ['0 15 10 ? * 6L 2027-2030', '2027-01-29T10:15', '2027-02-26T10:15'],
  ['0 15 10 ? * *', '2026-11-21T10:15', '2026-11-22T10:15'],
  ['0 0/5 14,18 * * ?', '2026-11-20T14:00', '2026-11-20T14:05'],
  ['0 0-5 14 * * ?', '2026-11-20T14:00', '2026-11-20T14:01'],
  ['0 10,44 14 ? 3 WED', '2027-03-03T14:10', '2027-03-03T14:44'],
  ['0 15 10 ? * MON-FRI', '2026-11-23T10:15', '2026-11-24T10:15'],
  ['0 15 10 L * ?', '2026-11-30T10:15', '2026-12-31T10:15'],
  ['0 15 10 L-2 * ?', '2026-11-28T10:15', '2026-12-29T10:15'],
  ['0 15 10 ? * 6#3', '2026-12-18T10:15', '2027-01-15T10:15'],
  ['0 0 12 1/5 * ?', '2026-11-21T12:00', '2026-11-26T12:00'],
  ['0 0 0 LW * ?', '2026-11-30', '2026-12-31'],
  ['0 0 0 15W * ?', '2026-12-15', '2027-01-15'],
  ['0 0 0 1W * ?', '2026-12-01', '2027-01-01'],
  ['0 0 0 L-3W * ?', '2026-11-27', '2026-12-28'],
  ['0 0 0 ? * L', '2026-11-21', '2026-11-28'],
  ['0 0 0 ? * FRIL', '2026-11-27', '2026-12-25'],
  ['0 0 0 ? * 2#5', '2026-11-30', '2027-03-29'],
  ['0 0 22-2 * * ?', '2026-11-20T22:00', '2026-11-20T23:00'],
  ['0 0 22-2/2 * * ?', '2026-11-20T22:00', '2026-11-21'],
  ['0 50-10/5 * * * ?', '2026-11-20T11:50', '2026-11-20T11:55'],
  ['50-10 0 0 * * ?', '2026-11-21', '2026-11-21:01'],
  ['0 0 0 25-5 * ?', '2026-11-25', '2026-11-26'],
  ['0 0 0 ? * FRI-MON', '2026-11-21', '2026-11-22'],
  ['0 0 0 1 NOV-FEB ?', '2026-12-01', '2027-01-01'],
  ['0 0 0 ? * SUN,WED,SAT', '2026-11-21', '2026-11-22'],
  ['0 0 0 ? * 1', '2026-11-22', '2026-11-29'],
  ['0 0 0 ? * 7', '2026-11-21', '2026-11-28'],
  ['0 0 0 29 2 ?', '2028-02-29', '2032-02-29'],
  ['0 0 0 30 2 ?'],
  ['0 0 0 31 * ?', '2026-12-31', '2027-01-31'],
  ['0/7 * * * * ?', '2026-11-20T11:41:07', '2026-11-20T11:41:14'],
  ['0 0 0 ? * 2/2', '2026-11-23', '2026-11-25'],
  ['0 0 0 1 1 ? 2028/2', '2028-01-01', '2030-01-01'],
  ['0 0 0 1 1 ? 2025'],
  ['0 0 0 ? dec thu#4', '2026-12-24', '2027-12-23'],
  ['0 0 12 L-30 * ?', '2026-12-01T12:00', '2027-01-01T12:00'],
  ['1-5,50 * * * * ?', '2026-11-20T11:41:50', '2026-11-20T11:42:01'],
  ['\t0  0\n12 * * ? ', '2026-11-20T12:00', '2026-11-21T12:00'],
  ['0 0 0 31W * ?', '2026-12-31', '2027-01-29'],
  ['0 0 0 1 1 ? 2126', '2126-01-01'],
  ['0 0 0 1 1 ? 2127'],
])('%j fires at the same times as in Quartz', (expression, ...expected) => {
  expect(fires(expression)).toEqual(expected);
});

test.each([
  ['a Saturday the 1st: Monday the 3rd', '0 0 0 1W 5 ?', '2027-05-03'],
  ['a Sunday that is the last: the Friday before', '0 0 0 LW 2 ?', '2027-02-26'],
  ['a Sunday the 15th: Monday the 16th', '0 0 0 15W 8 ?', '2027-08-16'],
  ['a Saturday the 13th: Friday the 12th', '0 0 0 13W 2 ?', '2027-02-12'],
])('the working day nearest to %s is chosen', (_name, expression, day) => {
  expect(fires(expression, 1)).toEqual([day]);
});

test('milliseconds are truncated, and the next fire is strictly later', () => {
  expect(fires('* * * * * ?', 1, '2026-11-20T11:41:05.999Z')).toEqual(['2026-11-20T11:41:06']);
  expect(fires('0 0 12 * * ?', 1, '2026-11-20T12:00:00Z')).toEqual(['2026-11-21T12:00']);
});

describe('the error message names the field', () => {
  const pointed = (field: string, text: string, what: string) => `Field ${field} is "${text}": ${what}.`;
  test.each([
    ['60 0 0 * * ?', pointed('1 (second)', '60', '60 is not between 0 and 59')],
    ['0 60 * * * ?', pointed('2 (minute)', '60', '60 is not between 0 and 59')],
    ['30 29 28 * * ?', pointed('3 (hour)', '28', '28 is not between 0 and 23')],
    ['0 0 0 0 * ?', pointed('4 (day-of-month)', '0', '0 is not between 1 and 31')],
    ['0 0 0 1 13 ?', pointed('5 (month)', '13', '13 is not between 1 and 12')],
    ['0 0 0 ? * 0', pointed('6 (day-of-week)', '0', '0 is not between 1 and 7')],
    ['0 0 0 1 1 ? 1969', pointed('7 (year)', '1969', '1969 is not between 1970 and 2299')],
    ['0 0 0 1 1 ? 2300', pointed('7 (year)', '2300', '2300 is not between 1970 and 2299')],
    ['0 0 0 1 1 ? 2030-2027', pointed('7 (year)', '2030-2027', 'the range 2030-2027 runs backwards')],
    ['0 0/60 * * * ?', pointed('2 (minute)', '0/60', 'the step 60 is greater than 59')],
    ['0 */0 * * * ?', pointed('2 (minute)', '*/0', 'the step must not be 0')],
    [
      '0 0 0 1 JAN/3 ?',
      pointed('5 (month)', 'JAN/3', 'a name cannot have a step; write the number of JAN instead'),
    ],
    ['0 0 0 1 jan-3 ?', pointed('5 (month)', 'JAN-3', 'the range JAN-3 must have two numbers or two names')],
    ['0 1,,2 * * * ?', pointed('2 (minute)', '1,,2', 'a list must not have empty entries')],
    ['0 0 0 32W * ?', pointed('4 (day-of-month)', '32W', '32 is not between 1 and 31')],
    ['0 0 0 0W * ?', pointed('4 (day-of-month)', '0W', '0 is not between 1 and 31')],
    ['0 0 0 L-31 * ?', pointed('4 (day-of-month)', 'L-31', 'n of L-n is 31; at most 30 is allowed')],
    ['0 0 0 ? * 2#6', pointed('6 (day-of-week)', '2#6', '#6 is not between #1 and #5')],
    ['0 0 0 ? * 2#0', pointed('6 (day-of-week)', '2#0', '#0 is not between #1 and #5')],
    ['0 0 0 ? * 8L', pointed('6 (day-of-week)', '8L', '8 is not between 1 and 7')],
    ['0 0 ? * * ?', pointed('3 (hour)', '?', '"?" is allowed only in day-of-month and day-of-week')],
  ])('%s', (expression, what) => {
    expect(refusal(expression)).toBe(`Invalid quartz_cron_expression: "${expression}". ${what}`);
  });

  const dayFields = 'Exactly one of field 4 (day-of-month) and field 6 (day-of-week) must be "?".';
  test.each(['* * * * * *', '0 0 0 1 * 2', '0 0 0 ? * ?', '0 0 0 ?/2 * 2', '0 0 0 ?,2 * 2'])(
    '%s is refused because exactly one day field must be ?',
    (expression) => {
      expect(refusal(expression)).toBe(`Invalid quartz_cron_expression: "${expression}". ${dayFields}`);
    },
  );

  test.each([
    ['', 0],
    ['0', 1],
    ['0 6 * * ?', 5],
    ['0 0 6 * * ? 2027 *', 8],
  ])('%j has the wrong number of fields', (expression, count) => {
    expect(refusal(expression)).toBe(
      `Invalid quartz_cron_expression: "${expression}". It has ${count} fields; 6 or 7 are required: second minute hour day-of-month month day-of-week [year].`,
    );
  });

  test.each([
    '0 0 12 15,L * ?',
    '0 0 0 1,LW * ?',
    '0 0 0 1L * ?',
    '0 0 0 LL * ?',
    '0 0 0 W * ?',
    '0 0 0 L/2 * ?',
    '0 0 0 1-5W * ?',
    '0 0 0 15W/2 * ?',
    '0 0 0 1W,15W * ?',
    '0 0 0 ? * 6L,2L',
    '0 0 0 ? * 2#1,4#2',
    '0 0 0 ? * 2#1,3',
    '0 0 0 ? * #3',
    '0 0 0 ? * L,2',
    '0 0 0 ? * L-2',
    '0 0 0 ? * LW',
    '0 0 0 ? * SUNDAY',
    '0 0 0 ? * MOO',
    '0 0 0 ? * MON-FRI-SUN',
    '0 1.5 0 * * ?',
    '0 *5 0 * * ?',
    '0 ** 0 * * ?',
    'L 0 0 * * ?',
    '0 L 0 * * ?',
    '0 0 L * * ?',
    '0 0 0 1 L ?',
    '-1 0 0 * * ?',
    '0 0 0 1 1 ? *-2030',
    '0 0 0 1- * ?',
    '0 0 0 -1 * ?',
    '0 0 0 1/ * ?',
    '0 0 0 ١ * ?',
    '0 0 0 1e1 * ?',
  ])('%s is refused', (expression) => {
    expect(refusal(expression)).toMatch(/^Invalid quartz_cron_expression: ".*"\. Field [1-7] \(\S+\) is /);
  });

  test('a message about a long expression quotes only its first 80 characters', () => {
    expect(refusal('1,'.repeat(600))).toMatch(
      /^Invalid quartz_cron_expression: "(1,){40}\.\.\."\. It has 1200 characters; at most 1000 are allowed\.$/,
    );
  });
});
