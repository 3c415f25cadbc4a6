/** Waiting by the clock: for a time, or until a condition holds. */
import type { Clock } from '../../engine/clock.ts';

/** Resolves after `milliseconds`, or at once when `signal` aborts; the caller checks the signal. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.runAt(clock.now() + milliseconds, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Checks `holds` every 10 ms for at most `milliseconds`. Returns whether it became true. */
export async function waitUntil(
  clock: Clock,
  milliseconds: number,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const deadline = clock.now() + milliseconds;
  while (!(await holds())) {
    if (clock.now() >= deadline) return false;
    await sleep(clock, 10);
  }
  return true;
}
