/** Spark applications of attempts, found by their event logs: one file per application, named by its id. */

/** Name of the directory of event logs, in the directory of an attempt or driver. */
export const eventLogDirectory = 'spark-events';

/** Name of the directory of the logs of executors, in the directory of an attempt or driver. */
export const executorLogDirectory = 'executors';

/** Returns the id of the newest application among the names of event logs; undefined when there is none. */
export function newestApplicationId(names: readonly string[]): string | undefined {
  return names
    .map((name) => name.replace(/\.inprogress$/, '').replace(/\.(?:zstd|lz4|snappy|lzf)$/, ''))
    .filter((name) => /^[\w-]+$/.test(name))
    .toSorted()
    .at(-1);
}
