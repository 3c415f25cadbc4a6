/** End of an attempt, by its outcome and its stop reason. */
import { expect, test } from 'vitest';
import type { TaskOutcome } from '../../../../engine/run/assignment.ts';
import {
  decideAttemptEnd,
  workloadFailedMessage,
  type AttemptEnd,
} from '../../../../engine/run/attempt-end.ts';
import type { StopReason } from '../../../../engine/run/states.ts';
import { attemptStopFor } from '../../../harness/run-stops.ts';

const success: AttemptEnd = { kind: 'finish', result: 'SUCCESS' };
const failed: AttemptEnd = {
  kind: 'finish',
  result: 'FAILED',
  failure: { kind: 'message', message: workloadFailedMessage },
};
const lost: AttemptEnd = {
  kind: 'break',
  failure: { kind: 'message', message: 'Its process vanished.', lost: true },
};

test.each<[TaskOutcome, StopReason | undefined, AttemptEnd]>([
  [{ kind: 'succeeded' }, undefined, success],
  [{ kind: 'succeeded' }, 'cancel', success],
  [{ kind: 'succeeded' }, 'timeout', success],
  [{ kind: 'failed', message: workloadFailedMessage }, undefined, failed],
  [{ kind: 'failed', message: workloadFailedMessage }, 'cancel', failed],
  [{ kind: 'failed', message: workloadFailedMessage }, 'timeout', failed],
  [{ kind: 'lost', message: 'Its process vanished.' }, undefined, lost],
  [{ kind: 'lost', message: 'Its process vanished.' }, 'cancel', lost],
  [{ kind: 'lost', message: 'Its process vanished.' }, 'timeout', lost],
])(
  'the outcome %o with the stop reason %s decides the end of the attempt',
  (outcome, stopReason, expected) => {
    expect(decideAttemptEnd(outcome, attemptStopFor(stopReason))).toEqual(expected);
  },
);

test.each<[StopReason | undefined, string]>([
  ['cancel', 'CANCELED'],
  ['timeout', 'TIMEDOUT'],
  [undefined, 'CANCELED'],
])('an attempt that was stopped for the reason %s ends as %s', (reason, result) => {
  const stopped = attemptStopFor(reason);
  const end = decideAttemptEnd({ kind: 'stopped' }, stopped);
  expect(end).toMatchObject({ kind: 'finish', result, failure: { kind: 'stop', ...stopped } });
});
