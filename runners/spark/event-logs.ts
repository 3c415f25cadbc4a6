/** Event logs of Spark applications. */
import { readdir } from 'node:fs/promises';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import { newestApplicationId } from '../../engine/run/spark-application.ts';

/** Returns the id of the newest application that wrote to a directory; undefined when there is none. */
export async function applicationIdIn(directory: string): Promise<string | undefined> {
  return newestApplicationId((await readdir(directory).catch(undefinedIfMissing)) ?? []);
}
