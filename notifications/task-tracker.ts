/** Background work: a timer for the earliest of several times, tracked tasks, and single-flight calls. */
import type { Clock } from '../engine/clock.ts';

/** Creates a timer that fires at the earliest of the times given to `at`. */
export function createEarliestTimer(clock: Clock, onFire: () => void) {
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
          onFire();
        }),
      };
    },
    close(): void {
      closed = true;
      armed?.cancel();
    },
  };
}

/** At shutdown, tasks get this long to finish, and as long again after they were aborted (ms). */
const shutdownGraceMs = 2_000;

/**
 * Tracks tasks that no caller awaits, so that a graceful shutdown can wait for them.
 * @param onFailure called with the error of a failed task, except during the shutdown
 */
export function createTaskTracker(clock: Clock, onFailure: (error: unknown) => void) {
  const tasks = new Set<Promise<void>>();
  let closing = false;
  const finishAll = async (): Promise<void> => {
    while (tasks.size > 0) await Promise.all(tasks);
  };
  return {
    isClosing: () => closing,
    run(work: () => Promise<void>): void {
      const task = work()
        .catch((error: unknown) => {
          if (!closing) onFailure(error);
        })
        .finally(() => tasks.delete(task));
      tasks.add(task);
    },
    /** Waits for all tasks; calls `abort` after a grace period, and returns after another one in any case. */
    async close(abort: () => void): Promise<void> {
      closing = true;
      const timeout = Promise.withResolvers<void>();
      const cancels = [
        clock.runAt(clock.now() + shutdownGraceMs, abort),
        clock.runAt(clock.now() + 2 * shutdownGraceMs, timeout.resolve),
      ];
      await Promise.race([timeout.promise, finishAll()]);
      cancels.forEach((cancel) => cancel());
    },
  };
}

/** Runs `work` once at a time: calls during a run lead to one more run, however many they are. */
export function singleFlight(
  run: (work: () => Promise<void>) => void,
  work: () => Promise<void>,
): () => void {
  let running = false;
  let runAgain = false;
  const runAll = async (): Promise<void> => {
    try {
      while (runAgain) {
        runAgain = false;
        await work();
      }
    } finally {
      running = false;
    }
  };
  return () => {
    runAgain = true;
    if (running) return;
    running = true;
    run(runAll);
  };
}
