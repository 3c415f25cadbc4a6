/**
 * Pacing of launches: an engine whose runs end fast accepts new ones at the rate at which they end, once it drives many.
 * Beyond the limit of the workspace every launch and every admission from the queue would take a transaction of its own,
 * and an engine under too much load would do less than one under full load.
 */
import type { Clock } from '../clock.ts';

export interface LaunchPacing {
  /** Resolves when a run may be launched: at once, unless many short runs are active, and within a second. */
  waitForTurn(): Promise<void>;
  /** Reports the end of a run. */
  recordEnd(): void;
}

export interface LaunchPacingOptions {
  readonly clock: Clock;
  /** Runs that the engine drives from which launches are paced. */
  readonly threshold: number;
  readonly countDrivenRuns: () => number;
}

/** Period in which ends are counted, ms. */
const periodMs = 250;
/** Ends in a period from which runs count as short. Long ones free nothing that is worth waiting for. */
const shortRunsMin = 25;
const waitMaxMs = 1_000;

export function createLaunchPacing({ clock, threshold, countDrivenRuns }: LaunchPacingOptions): LaunchPacing {
  const waiting = new Set<() => void>();
  let [periodStart, ends, endsBefore] = [0, 0, 0];
  const startPeriod = (now: number): void => {
    if (now < periodStart + periodMs && now >= periodStart) return;
    endsBefore = now < periodStart + 2 * periodMs ? ends : 0;
    [periodStart, ends] = [now, 0];
  };
  /** Launches that were let go and are not driven yet count as driven. */
  let launching = 0;
  return {
    waitForTurn() {
      const now = clock.now();
      startPeriod(now);
      if (countDrivenRuns() + launching < threshold || Math.max(ends, endsBefore) < shortRunsMin)
        return Promise.resolve();
      return new Promise((resolve) => {
        const go = (): void => {
          if (!waiting.delete(go)) return;
          cancel();
          launching += 1;
          resolve();
        };
        const cancel = clock.runAt(now + waitMaxMs, go);
        waiting.add(go);
      });
    },
    recordEnd() {
      startPeriod(clock.now());
      ends += 1;
      launching = 0;
      for (const go of waiting) {
        if (countDrivenRuns() + launching >= threshold) return;
        go();
      }
    },
  };
}
