/** Time at which a timeout ends a run. */
import { expect, test } from 'vitest';
import { timeoutAt } from '../../../../engine/run/deadlines.ts';

test.each([
  ['without a timeout there is no deadline', 1_000, undefined, undefined],
  ['0 means no timeout', 1_000, 0, undefined],
  ['a run that has not started has no deadline', undefined, 5, undefined],
  ['the deadline is the start time plus the timeout in seconds', 1_000, 5, 6_000],
  ['a start time of 0 has a deadline', 0, 1, 1_000],
  [
    'the longest timeout has a deadline',
    1_770_000_000_000,
    2_147_483_647,
    1_770_000_000_000 + 2_147_483_647_000,
  ],
] as const)('%s', (_name, startTime, timeoutSeconds, expected) => {
  expect(timeoutAt(startTime, timeoutSeconds)).toBe(expected);
});
