/** When a timeout strikes. */
import { expect, test } from 'vitest';
import { timeoutAt } from '../../../../engine/run/deadlines.ts';

test.each([
  ['no timeout', 1_000, undefined, undefined],
  ['0 means no timeout', 1_000, 0, undefined],
  ['not started yet', undefined, 5, undefined],
  ['seconds from the start time', 1_000, 5, 6_000],
  ['a start at the epoch is a start', 0, 1, 1_000],
  ['the longest timeout', 1_770_000_000_000, 2_147_483_647, 1_770_000_000_000 + 2_147_483_647_000],
] as const)('%s', (_name, startTime, timeoutSeconds, expected) => {
  expect(timeoutAt(startTime, timeoutSeconds)).toBe(expected);
});
