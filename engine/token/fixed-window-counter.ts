/**
 * Fixed-window counter for rate limits such as 1,000 requests per second. The table is cleared per window.
 */
import { fixedLimits } from '../limits.ts';

export interface FixedWindowCounter {
  /**
   * Counts an event of `key` at `now` (epoch ms).
   * @returns count in this window, and seconds until the next
   */
  increment(key: string, now: number): { readonly count: number; readonly secondsLeft: number };
}

/** @param windowMs length of the window */
export function createFixedWindowCounter(windowMs: number): FixedWindowCounter {
  const counts = new Map<string, number>();
  let current = 0;
  return {
    increment(key, now) {
      const number = Math.floor(now / windowMs);
      if (number !== current || counts.size >= fixedLimits.rateLimitKeys) counts.clear();
      current = number;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { count, secondsLeft: Math.max(1, Math.ceil(((number + 1) * windowMs - now) / 1_000)) };
    },
  };
}
