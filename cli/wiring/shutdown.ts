/** Orderly shutdown: parts are stopped in the reverse order of their start. */

/** Stops a part. May throw or reject. */
export type StopPart = () => Promise<void> | void;

export interface Shutdown {
  /** Registers the stop function of a part that has started. */
  add(stopPart: StopPart): void;
  /** Stops every part. Idempotent. @throws the first error, after all parts are stopped */
  run(): Promise<void>;
}

export function createShutdown(): Shutdown {
  const parts: StopPart[] = [];
  return {
    add: (stopPart) => {
      parts.push(stopPart);
    },
    run: () => stopAll(takeLast(parts)),
  };
}

/**
 * Stops parts one after the other; an error in one does not leave the others running.
 * @throws the first error, after all parts are stopped
 */
export async function stopAll(parts: Iterable<StopPart>): Promise<void> {
  const failures: unknown[] = [];
  for (const stopPart of parts) {
    try {
      await stopPart();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Takes the parts from the list, the last one first. */
function* takeLast(parts: StopPart[]): Generator<StopPart> {
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) yield part;
}
