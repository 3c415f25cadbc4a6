/** Stops of runs for tests that do not care about their details. */
import type { AttemptStop } from '../../engine/run/attempt-end.ts';
import type { Stop } from '../../engine/run/explain/failure.ts';
import type { StopReason } from '../../engine/run/states.ts';

/** Returns a stop for this reason; undefined without one. */
export function stopFor(reason: StopReason | undefined): Stop | undefined {
  switch (reason) {
    case undefined:
      return undefined;
    case 'cancel':
      return { reason, by: { user: 'ada@example.org' } };
    case 'timeout':
      return { reason, limit: { owner: 'job nightly', seconds: 3 } };
    default:
      return reason satisfies never;
  }
}

/** Returns the stop of an attempt that was running. */
export function attemptStopFor(reason: StopReason | undefined): AttemptStop | undefined {
  const stop = stopFor(reason);
  return stop && { stop, phase: { kind: 'running', message: '', durationMs: 3_000 } };
}
