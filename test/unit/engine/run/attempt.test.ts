/** How an attempt ends, by what its runner says and whether it was asked to stop. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../../../engine/run/assignment.ts';
import { decideAfterAttempt, workloadFailed, type AfterAttempt } from '../../../../engine/run/attempt.ts';
import type { StopReason } from '../../../../engine/run/states.ts';

const success: AfterAttempt = { kind: 'finish', result: 'SUCCESS', message: '' };
const failed: AfterAttempt = { kind: 'finish', result: 'FAILED', message: workloadFailed };
const lost: AfterAttempt = { kind: 'break', message: 'Its process vanished.' };
const cancelled: AfterAttempt = { kind: 'finish', result: 'CANCELED', message: 'Run cancelled by user' };
const timedOut: AfterAttempt = { kind: 'finish', result: 'TIMEDOUT', message: 'Run timed out' };

test.each<[Outcome, StopReason | undefined, AfterAttempt]>([
  [{ kind: 'succeeded' }, undefined, success],
  [{ kind: 'succeeded' }, 'cancel', success],
  [{ kind: 'succeeded' }, 'timeout', success],
  [{ kind: 'failed', message: workloadFailed }, undefined, failed],
  [{ kind: 'failed', message: workloadFailed }, 'cancel', failed],
  [{ kind: 'failed', message: workloadFailed }, 'timeout', failed],
  [{ kind: 'stopped' }, 'cancel', cancelled],
  [{ kind: 'stopped' }, 'timeout', timedOut],
  [{ kind: 'stopped' }, undefined, cancelled],
  [{ kind: 'lost', message: 'Its process vanished.' }, undefined, lost],
  [{ kind: 'lost', message: 'Its process vanished.' }, 'cancel', lost],
  [{ kind: 'lost', message: 'Its process vanished.' }, 'timeout', lost],
])('%o with the stop reason %s', (outcome, stopReason, expected) => {
  expect(decideAfterAttempt(outcome, stopReason)).toEqual(expected);
});
