/** Clock that stands still until a test moves it. */
import type { Clock } from '../../engine/clock.ts';

export interface ManualClock extends Clock {
  /** Moves the time forward and calls each due action at its own time. */
  advance(milliseconds: number): void;
  /** Sets the time without calling an action, as when the clock of a machine steps back. */
  setTime(now: number): void;
  /** Number of pending actions. */
  pendingCount(): number;
  /** Due time of the next pending action (epoch ms); undefined when none is pending. */
  nextDueTime(): number | undefined;
}

/** Creates a clock. @param start epoch milliseconds */
export function createManualClock(start = 1_770_000_000_000): ManualClock {
  const waiting = new Set<{ readonly at: number; readonly action: () => void }>();
  let now = start;
  const firstDue = (until: number) =>
    [...waiting].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at)[0];
  return {
    now: () => now,
    runAt(at, action) {
      const entry = { at, action };
      waiting.add(entry);
      return () => {
        waiting.delete(entry);
      };
    },
    advance(milliseconds) {
      const until = now + milliseconds;
      for (let due = firstDue(until); due !== undefined; due = firstDue(until)) {
        waiting.delete(due);
        now = Math.max(now, due.at);
        due.action();
      }
      now = until;
    },
    setTime(time) {
      now = time;
    },
    pendingCount: () => waiting.size,
    nextDueTime: () => firstDue(Infinity)?.at,
  };
}
