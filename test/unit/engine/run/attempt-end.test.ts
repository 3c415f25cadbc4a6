/** End of an attempt, by its outcome and its stop reason. */
import { expect, test } from 'vitest';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import {
  decideAttemptEnd,
  workloadFailedMessage,
  type AttemptEnd,
} from '../../../../engine/run/attempt-end.ts';
import type { StopReason } from '../../../../engine/run/states.ts';

const success: AttemptEnd = { kind: 'finish', result: 'SUCCESS', message: '' };
const failed: AttemptEnd = { kind: 'finish', result: 'FAILED', message: workloadFailedMessage };
const lost: AttemptEnd = { kind: 'break', message: 'Its process vanished.' };
const cancelled: AttemptEnd = { kind: 'finish', result: 'CANCELED', message: 'Run cancelled by user' };
const timedOut: AttemptEnd = { kind: 'finish', result: 'TIMEDOUT', message: 'Run timed out' };

test.each<[TaskOutcome, StopReason | undefined, AttemptEnd]>([
  [{ kind: 'succeeded' }, undefined, success],
  [{ kind: 'succeeded' }, 'cancel', success],
  [{ kind: 'succeeded' }, 'timeout', success],
  [{ kind: 'failed', message: workloadFailedMessage }, undefined, failed],
  [{ kind: 'failed', message: workloadFailedMessage }, 'cancel', failed],
  [{ kind: 'failed', message: workloadFailedMessage }, 'timeout', failed],
  [{ kind: 'stopped' }, 'cancel', cancelled],
  [{ kind: 'stopped' }, 'timeout', timedOut],
  [{ kind: 'stopped' }, undefined, cancelled],
  [{ kind: 'lost', message: 'Its process vanished.' }, undefined, lost],
  [{ kind: 'lost', message: 'Its process vanished.' }, 'cancel', lost],
  [{ kind: 'lost', message: 'Its process vanished.' }, 'timeout', lost],
])(
  'the outcome %o with the stop reason %s decides the end of the attempt',
  (outcome, stopReason, expected) => {
    expect(decideAttemptEnd(outcome, stopReason)).toEqual(expected);
  },
);
