/** max_concurrent_runs decides the first state of a new run (spec 2.2). */
import { expect, test } from 'vitest';
import { decideAdmission } from '../../../engine/run/admission.ts';

test.each([
  ['the first run', 0, 1, 'start'],
  ['one below the limit', 2, 3, 'start'],
  ['the limit is reached', 1, 1, 'skip'],
  ['the limit was lowered below the number of active runs', 5, 2, 'skip'],
  ['0 makes every new run skipped', 0, 0, 'skip'],
  ['the highest limit', 999, 1000, 'start'],
  ['the highest limit is reached', 1000, 1000, 'skip'],
] as const)('%s: %i active, limit %i -> %s', (_name, activeRuns, maxConcurrentRuns, kind) => {
  expect(decideAdmission({ activeRuns, maxConcurrentRuns }).kind).toBe(kind);
});

test('spec 2.2 max_concurrent_runs: a skipped run says which limit it met, in the words that clients know', () => {
  expect(decideAdmission({ activeRuns: 1, maxConcurrentRuns: 1 })).toEqual({
    kind: 'skip', message: 'Skipping this run because the limit of 1 maximum concurrent runs has been reached.',
  });
});
