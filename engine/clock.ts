/** The only place that reads the time. Rules take `now` as an argument; effects are handed a Clock. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `action` once, no earlier than `at` (epoch ms); the returned function cancels it. */
  runAt(at: number, action: () => void): () => void;
}

/** Longest delay one Node timer can hold (2^31 - 1 ms, 24.8 days). */
const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  runAt(at, action) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer = setTimeout(look, Math.min(maxTimerMs, Math.max(0, left)));
    };
    // A timer of Node may come a millisecond before its time.
    const look = (): void => {
      const left = at - Date.now();
      if (left > 0) wait(left);
      else action();
    };
    wait(at - Date.now());
    return () => clearTimeout(timer);
  },
};

/** ISO-8601 UTC text of an instant, for people and for file names. */
export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

/** An instant as the object that libraries want. */
export function toDate(at: number): Date {
  return new Date(at);
}
