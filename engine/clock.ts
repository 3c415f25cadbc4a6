/** The only module that reads the time. Rules take `now` as an argument; effects receive a Clock. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `action` once, no earlier than `at` (epoch ms); the returned function cancels it. */
  runAt(at: number, action: () => void): () => void;
}

/** Maximum delay of a Node timer (2^31 - 1 ms, 24.8 days). */
const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  runAt(at, action) {
    let timer: NodeJS.Timeout;
    const schedule = (delay: number): void => {
      timer = setTimeout(check, Math.min(maxTimerMs, Math.max(0, delay)));
    };
    // A Node timer may fire a millisecond early.
    const check = (): void => {
      const delay = at - Date.now();
      if (delay > 0) schedule(delay);
      else action();
    };
    schedule(at - Date.now());
    return () => clearTimeout(timer);
  },
};

/** Formats an instant as ISO-8601 in UTC. */
export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Converts an instant to a Date, for libraries that require one. */
export function toDate(at: number): Date {
  return new Date(at);
}
