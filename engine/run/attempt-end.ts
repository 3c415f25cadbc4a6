/** What follows from the end of an attempt. */
import type { TaskOutcome } from './assignment.ts';
import { stopMessage } from './roll-up.ts';
import { resultOfStop, type ResultState, type StopReason } from './states.ts';

export type AttemptEnd =
  /** The task is over with this result; cleanup follows. */
  | { readonly kind: 'finish'; readonly result: ResultState; readonly message: string }
  /** The service failed it: INTERNAL_ERROR. */
  | { readonly kind: 'break'; readonly message: string };

/** The state_message of a task whose own work failed; clients know this wording. */
export const workloadFailedMessage = 'Workload failed, see run output for details';

/**
 * Decides how an attempt ends.
 * @param stopReason why it was asked to stop, if it was. Work that came to its own end first keeps that end.
 */
export function decideAttemptEnd(outcome: TaskOutcome, stopReason: StopReason | undefined): AttemptEnd {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'finish', result: 'SUCCESS', message: '' };
    case 'failed':
      return { kind: 'finish', result: 'FAILED', message: outcome.message };
    case 'stopped': {
      const reason = stopReason ?? 'cancel';
      return { kind: 'finish', result: resultOfStop[reason], message: stopMessage[reason] };
    }
    case 'lost':
      return { kind: 'break', message: outcome.message };
    default:
      return outcome satisfies never;
  }
}
