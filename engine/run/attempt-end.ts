/** Decides the end of an attempt from its outcome. */
import type { TaskOutcome } from './assignment.ts';
import { stopMessageOf } from './roll-up.ts';
import type { Run } from './run.ts';
import { resultOfStop, type ResultState, type StopReason } from './states.ts';

export type AttemptEnd =
  /** The attempt ends with this result; cleanup follows. */
  | { readonly kind: 'finish'; readonly result: ResultState; readonly message: string }
  /** The service failed (INTERNAL_ERROR). */
  | { readonly kind: 'break'; readonly message: string };

/** State message of a failed task; clients know this text. */
export const workloadFailedMessage = 'Workload failed, see run output for details';

/**
 * Decides how an attempt ends.
 * @param stopReason reason of a stop request. An attempt that ended by itself before the stop keeps its
 * outcome.
 * @param run its message of the stop, if it has one of its own
 */
export function decideAttemptEnd(
  outcome: TaskOutcome,
  stopReason: StopReason | undefined,
  run: Pick<Run, 'stopMessage'> = {},
): AttemptEnd {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'finish', result: 'SUCCESS', message: '' };
    case 'failed':
      return { kind: 'finish', result: 'FAILED', message: outcome.message };
    case 'stopped': {
      const reason = stopReason ?? 'cancel';
      return { kind: 'finish', result: resultOfStop[reason], message: stopMessageOf(run, reason) };
    }
    case 'lost':
      return { kind: 'break', message: outcome.message };
    default:
      return outcome satisfies never;
  }
}
