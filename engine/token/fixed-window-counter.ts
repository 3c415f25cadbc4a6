/**
 * Counting within a span of time, for limits such as "1,000 requests a second": one small table, emptied with
 * every span.
 */
import { fixedLimits } from '../limits.ts';

export interface FixedWindowCounter {
  /**
   * Counts one more for `key` at `now` (epoch ms). @returns how many there are in this span, and the whole
   * seconds until the next one
   */
  increment(key: string, now: number): { readonly count: number; readonly secondsLeft: number };
}

/** @param span length of the time in which is counted, ms */
export function createFixedWindowCounter(span: number): FixedWindowCounter {
  const counts = new Map<string, number>();
  let current = 0;
  return {
    increment(key, now) {
      const number = Math.floor(now / span);
      if (number !== current || counts.size >= fixedLimits.rateLimitKeys) counts.clear();
      current = number;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { count, secondsLeft: Math.max(1, Math.ceil(((number + 1) * span - now) / 1_000)) };
    },
  };
}
