/** Crash injection for one engine: it can crash at any store call, and the test can wait until it is idle. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.ts';

/**
 * Store call at which the engine crashes, counted from 1 from now on; the call takes effect when `after` is
 * true.
 */
export interface CrashPoint {
  readonly call: number;
  readonly after: boolean;
}

export interface CrashInjector {
  isCrashed(): boolean;
  /** Crashes at once: later calls of the engine have no effect. */
  crashNow(): void;
  /** Crashes at a later call; undefined removes the crash point. */
  crashAtCall(crash: CrashPoint | undefined): void;
  /** Wraps a store so that calls have no effect after the crash. */
  wrapStore<Store extends object>(store: Store): Store;
  /** Wraps a clock so that timers do not fire after the crash. */
  wrapClock(clock: Clock): Clock;
  /** Resolves when no store call is pending and none follows. */
  waitUntilIdle(): Promise<void>;
}

export function createCrashInjector(): CrashInjector {
  const never = new Promise<never>(() => undefined);
  const pending = new Set<Promise<unknown>>();
  let isCrashed = false;
  let calls = 0;
  let crashPoint: CrashPoint | undefined;
  const call = async (work: () => unknown): Promise<unknown> => {
    if (isCrashed) return never;
    calls += 1;
    const last = calls === crashPoint?.call;
    if (last && crashPoint?.after === false) isCrashed = true;
    if (isCrashed) return never;
    const working = Promise.resolve(work());
    pending.add(working);
    try {
      await working;
      if (last) isCrashed = true;
    } finally {
      pending.delete(working);
    }
    return isCrashed ? never : working;
  };
  return {
    isCrashed: () => isCrashed,
    crashNow() {
      isCrashed = true;
    },
    crashAtCall(crash) {
      crashPoint = crash && { ...crash, call: calls + crash.call };
    },
    wrapStore: (store) =>
      new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function'
            ? (...given: unknown[]) => call(() => Reflect.apply(value, target, given))
            : value;
        },
      }),
    wrapClock: ({ now, runAt }) => ({
      now,
      runAt: (instant, action) =>
        runAt(instant, () => {
          if (!isCrashed) action();
        }),
    }),
    async waitUntilIdle() {
      for (let seen = -1; seen !== calls || pending.size > 0;) {
        seen = calls;
        await Promise.allSettled(pending);
        // Work that follows an answer without another store call is done after one turn of the event loop.
        await turn();
      }
    },
  };
}
