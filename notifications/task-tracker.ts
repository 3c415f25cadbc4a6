/**
 * What goes on beside everything else: work that nobody awaits until the end, calls that flow together, and
 * an alarm.
 */
import type { Clock } from '../engine/clock.ts';
import { messageOf } from '../engine/errors.ts';
import type { Log } from '../engine/ports/log.ts';

/** Calls back at the earliest of the times that it was told. */
export function createEarliestTimer(clock: Clock, ring: () => void) {
  let closed = false;
  let armed: { readonly at: number; readonly cancel: () => void } | undefined;
  return {
    at(at: number): void {
      if (closed || at === Infinity || (armed !== undefined && armed.at <= at)) return;
      armed?.cancel();
      armed = {
        at,
        cancel: clock.runAt(at, () => {
          armed = undefined;
          ring();
        }),
      };
    },
    close(): void {
      closed = true;
      armed?.cancel();
    },
  };
}

/** What is under way when the service stops gets this long, and as long again to give up (ms). */
const shutdownGraceMs = 2_000;

/** Work that nobody awaits until the end. */
export function createTaskTracker(clock: Clock, log: Log) {
  const tasks = new Set<Promise<void>>();
  let closing = false;
  const allOf = async (): Promise<void> => {
    while (tasks.size > 0) await Promise.all(tasks);
  };
  return {
    closing: () => closing,
    run(work: () => Promise<void>): void {
      const task = work()
        .catch((error: unknown) => {
          if (!closing)
            log.warn(
              { error: messageOf(error) },
              'Notices could not be looked after; they are with the next round.',
            );
        })
        .finally(() => tasks.delete(task));
      tasks.add(task);
    },
    /** Waits for all of it; what takes too long is told to give up, and then left. */
    async close(giveUp: () => void): Promise<void> {
      closing = true;
      const outOfTime = Promise.withResolvers<void>();
      const cancels = [
        clock.runAt(clock.now() + shutdownGraceMs, giveUp),
        clock.runAt(clock.now() + 2 * shutdownGraceMs, outOfTime.resolve),
      ];
      await Promise.race([outOfTime.promise, allOf()]);
      cancels.forEach((cancel) => cancel());
    },
  };
}

/** Calls that come while one is at work lead to one more, however many they are. */
export function singleFlight(
  run: (work: () => Promise<void>) => void,
  work: () => Promise<void>,
): () => void {
  let atWork = false;
  let again = false;
  const all = async (): Promise<void> => {
    try {
      while (again) {
        again = false;
        await work();
      }
    } finally {
      atWork = false;
    }
  };
  return () => {
    again = true;
    if (atWork) return;
    atWork = true;
    run(all);
  };
}
