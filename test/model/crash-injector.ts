/** The life of one engine: it can die at any call of a store, and it is known when it is quiet. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.ts';

/**
 * Where an engine dies: at its n-th call of a store from now on, counted from 1, before or after it took
 * effect.
 */
export interface CrashPoint {
  readonly call: number;
  readonly after: boolean;
}

export interface CrashInjector {
  isCrashed(): boolean;
  /** Dies at once: nothing that it does from now on reaches anybody. */
  crashNow(): void;
  /** Dies at a call that comes; undefined: it does not. */
  crashAtCall(crash: CrashPoint | undefined): void;
  /** A store that is only reached while the engine lives. */
  wrapStore<Store extends object>(store: Store): Store;
  /** A clock that forgets the engine when it is dead. */
  wrapClock(clock: Clock): Clock;
  /** Resolves when no call is under way and none follows by itself. */
  waitUntilIdle(): Promise<void>;
}

export function createCrashInjector(): CrashInjector {
  const never = new Promise<never>(() => undefined);
  const pending = new Set<Promise<unknown>>();
  let over = false;
  let calls = 0;
  let dies: CrashPoint | undefined;
  const call = async (work: () => unknown): Promise<unknown> => {
    if (over) return never;
    calls += 1;
    const last = calls === dies?.call;
    if (last && dies?.after === false) over = true;
    if (over) return never;
    const working = Promise.resolve(work());
    pending.add(working);
    try {
      await working;
      if (last) over = true;
    } finally {
      pending.delete(working);
    }
    return over ? never : working;
  };
  return {
    isCrashed: () => over,
    crashNow() {
      over = true;
    },
    crashAtCall(crash) {
      dies = crash && { ...crash, call: calls + crash.call };
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
          if (!over) action();
        }),
    }),
    async waitUntilIdle() {
      for (let seen = -1; seen !== calls || pending.size > 0;) {
        seen = calls;
        await Promise.allSettled(pending);
        // Whatever follows from an answer without asking a store again has happened after a turn of the event
        // loop.
        await turn();
      }
    },
  };
}
