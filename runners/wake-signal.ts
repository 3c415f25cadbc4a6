/** Wake signal: a loop waits for it, or for a tick, instead of nesting callbacks. */

export interface WakeSignal {
  /** Ends the current wait. Without one, the next wait ends at once. */
  wake(): void;
  /** Resolves at the next `wake`, or after `milliseconds` at the latest. */
  wait(milliseconds: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let isPending = false;
  let endWait: (() => void) | undefined;
  return {
    wake() {
      isPending = true;
      endWait?.();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          endWait = undefined;
          isPending = false;
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        endWait = done;
        if (isPending) done();
      }),
  };
}
