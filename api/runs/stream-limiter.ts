/** Limit of concurrently followed logs, per user and per engine. */
import { ServiceError } from '../../engine/errors.ts';
import type { Limits } from '../../engine/limits.ts';

export interface StreamLimiter {
  /**
   * Counts a new stream; the returned function releases it.
   * @throws ServiceError REQUEST_LIMIT_EXCEEDED when a limit is reached
   */
  acquire(principalId: number): () => void;
}

/** Creates the limiter of this engine. */
export function createStreamLimiter({
  logStreams,
  logStreamsPerUser,
}: Pick<Limits, 'logStreams' | 'logStreamsPerUser'>): StreamLimiter {
  const openByUser = new Map<number, number>();
  let open = 0;
  return {
    acquire(principalId) {
      const own = openByUser.get(principalId) ?? 0;
      if (own >= logStreamsPerUser || open >= logStreams) {
        const limit =
          own >= logStreamsPerUser
            ? `limit per user: ${logStreamsPerUser}`
            : `limit of this engine: ${logStreams}`;
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `Too many open log streams (${limit}). Close one of them, or read pages of the log instead (jobs/runs/logs).`,
          5,
        );
      }
      openByUser.set(principalId, own + 1);
      open += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        open -= 1;
        const remaining = (openByUser.get(principalId) ?? 1) - 1;
        if (remaining > 0) openByUser.set(principalId, remaining);
        else openByUser.delete(principalId);
      };
    },
  };
}
