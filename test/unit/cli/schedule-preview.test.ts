/** Tests of `runyard schedule preview`, which needs no service. */
import { expect, test } from 'vitest';
import { createTraversableDirectory, runCommand } from './cli-process.ts';

const preview = async (...words: string[]) =>
  runCommand(['schedule', 'preview', ...words], await createTraversableDirectory());

test('preview prints description, fire times and notes about clock changes', async () => {
  expect(
    await preview(
      '0 30 2 ? * SUN',
      '--zone',
      'Europe/Berlin',
      '--after',
      '2027-03-19T00:00:00Z',
      '--count',
      '2',
    ),
  ).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      '0 30 2 ? * SUN (Europe/Berlin): at 02:30 every Sunday',
      '2027-03-21T02:30:00+01:00',
      '2027-04-04T02:30:00+02:00  On 2027-03-28 02:30 does not exist and is skipped: the clocks go forward from 02:00 to 03:00.',
      '',
    ].join('\n'),
  });
});

test('preview --json prints the document of the API', async () => {
  const { code, stdout } = await preview('0 0 6 * * ?', '--after', '1798761600000', '--count', '1', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      description: 'at 06:00 every day',
      fire_times: [{ time: 1_798_783_200_000, local: '2027-01-01T06:00:00+00:00' }],
    },
  ]);
});

test.each([
  [['0 60 * * * ?'], 1, /^runyard: Invalid quartz_cron_expression: "0 60 \* \* \* \?"\. Field 2 \(minute\)/],
  [['0 0 6 * * ?', '--zone', 'Berlin'], 1, /^runyard: timezone_id is "Berlin"; .*Europe\/Berlin/],
  [['0 0 6 * * ?', '--count', '0'], 2, /^runyard: .*It is a number from 1 to 100\./],
  [['0 0 6 * * ?', '--after', 'tomorrow'], 2, /^runyard: .*A time is like/],
  [[], 2, /missing required argument/],
])('%j ends with %d and one line', async (words, code, message) => {
  const result = await preview(...words);
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toMatch(message);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
});
