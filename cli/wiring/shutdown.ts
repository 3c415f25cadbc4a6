/** Orderly shutdown: parts are stopped in the reverse order of their start. */

export interface Shutdown {
  /** Registers the stop function of a part that has started. */
  add(stopPart: () => Promise<void>): void;
  /** Stops every part. Idempotent. @throws the first error, after all parts are stopped */
  run(): Promise<void>;
}

export function createShutdown(): Shutdown {
  const parts: (() => Promise<void>)[] = [];
  return {
    add: (stopPart) => {
      parts.push(stopPart);
    },
    async run() {
      const failures: unknown[] = [];
      // An error in one part must not leave the others running.
      for (let stopPart = parts.pop(); stopPart !== undefined; stopPart = parts.pop())
        await stopPart().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}
