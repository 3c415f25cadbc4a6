/** Decides the end of an attempt from its outcome. */
import type { TaskOutcome } from './assignment.ts';
import type { Failure, Stop, StopPhase } from './explain/failure.ts';
import { resultOfStop, type ResultState } from './states.ts';

export type AttemptEnd =
  /** The attempt ends with this result; cleanup follows. */
  | { readonly kind: 'finish'; readonly result: ResultState; readonly failure?: Failure }
  /** The service failed (INTERNAL_ERROR). */
  | { readonly kind: 'break'; readonly failure: Failure };

/** State message of a failed task; clients know this text. */
export const workloadFailedMessage = 'Workload failed, see run output for details';

/** A stop request, and what the task did when it was stopped. */
export interface AttemptStop {
  readonly stop: Stop;
  readonly phase: StopPhase;
}

/**
 * Decides how an attempt ends.
 * @param stopped the stop request. An attempt that ended by itself before the stop keeps its outcome.
 */
export function decideAttemptEnd(outcome: TaskOutcome, stopped: AttemptStop | undefined): AttemptEnd {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'finish', result: 'SUCCESS' };
    case 'failed':
      return {
        kind: 'finish',
        result: 'FAILED',
        failure: outcome.failure ?? messageFailure(outcome.message),
      };
    case 'stopped':
      return stopEnd(stopped ?? unknownStop);
    case 'lost':
      return { kind: 'break', failure: { kind: 'message', message: outcome.message, lost: true } };
    default:
      return outcome satisfies never;
  }
}

/** Returns the end of an attempt that was stopped. */
export function stopEnd({ stop, phase }: AttemptStop): AttemptEnd {
  return { kind: 'finish', result: resultOfStop[stop.reason], failure: { kind: 'stop', stop, phase } };
}

const unknownStop: AttemptStop = {
  stop: { reason: 'cancel', by: undefined },
  phase: { kind: 'running', message: '', durationMs: undefined },
};

function messageFailure(message: string): Failure {
  return message === ''
    ? { kind: 'message', message: 'The task failed without a message' }
    : { kind: 'message', message };
}
