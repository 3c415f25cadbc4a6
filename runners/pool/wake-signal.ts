/** Waiting for something to have happened, or for a tick to pass: a straight loop instead of callbacks. */

export interface WakeSignal {
  /** Something happened; a ring before anybody waits is kept. */
  wake(): void;
  /** Resolves at the next ring, or after `milliseconds` at the latest. */
  wait(milliseconds: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    wake() {
      rung = true;
      wake?.();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          wake = undefined;
          rung = false;
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        wake = done;
        if (rung) done();
      }),
  };
}
