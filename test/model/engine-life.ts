/** The life of one engine: it can die at any call of a store, and it is known when it is quiet. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.ts';

/**
 * Where an engine dies: at its n-th call of a store from now on, counted from 1, before or after it took
 * effect.
 */
export interface Crash {
  readonly call: number;
  readonly after: boolean;
}

export interface Life {
  isOver(): boolean;
  /** Dies at once: nothing that it does from now on reaches anybody. */
  end(): void;
  /** Dies at a call that comes; undefined: it does not. */
  endAt(crash: Crash | undefined): void;
  /** A store that is only reached while the engine lives. */
  mortal<Store extends object>(store: Store): Store;
  /** A clock that forgets the engine when it is dead. */
  mortalClock(clock: Clock): Clock;
  /** Resolves when no call is under way and none follows by itself. */
  quiet(): Promise<void>;
}

export function createLife(): Life {
  const never = new Promise<never>(() => undefined);
  const pending = new Set<Promise<unknown>>();
  let over = false;
  let calls = 0;
  let dies: Crash | undefined;
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
    isOver: () => over,
    end() {
      over = true;
    },
    endAt(crash) {
      dies = crash && { ...crash, call: calls + crash.call };
    },
    mortal: (store) =>
      new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function'
            ? (...given: unknown[]) => call(() => Reflect.apply(value, target, given))
            : value;
        },
      }),
    mortalClock: ({ now, runAt }) => ({
      now,
      runAt: (instant, action) =>
        runAt(instant, () => {
          if (!over) action();
        }),
    }),
    async quiet() {
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
