/** Tests of the checker: sound evidence passes, and each violation is detected by its invariant. */
import { expect, test } from 'vitest';
import { brokenEvidence } from './broken-evidence.ts';
import { checkInvariants, invariants } from './check-invariants.ts';
import { internalError, soundEvidence, withAttempt, withProgramRecord } from './sound-evidence.ts';

test('sound evidence has no violation and is checked by every invariant', () => {
  const { violations, checkCounts } = checkInvariants(soundEvidence);
  expect(violations).toEqual([]);
  expect([...checkCounts.keys()].toSorted()).toEqual(Object.keys(invariants).toSorted());
});

test.each(brokenEvidence)('violation "%s" is detected by the invariant "%s"', (_name, invariant, changes) => {
  expect(
    checkInvariants({ ...soundEvidence, ...changes }).violations.map((violation) => violation.invariant),
  ).toContain(invariant);
});

test('every invariant has evidence that breaks it', () => {
  expect([...new Set(brokenEvidence.map(([, invariant]) => invariant))].toSorted()).toEqual(
    Object.keys(invariants).toSorted(),
  );
});

test('a killed task may end as INTERNAL_ERROR or fail without an exit record', () => {
  expect(
    checkInvariants({ ...soundEvidence, ...withAttempt(21, internalError), killedAttempts: new Set([21]) })
      .violations,
  ).toEqual([]);
  expect(
    checkInvariants({
      ...soundEvidence,
      ...withProgramRecord(21, { end: undefined }),
      killedAttempts: new Set([21]),
    }).violations,
  ).toEqual([]);
});
