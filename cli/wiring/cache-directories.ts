/** Directories of the files that the service fetches for tasks. */
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** Returns the directory of cluster libraries. */
export function libraryDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'libraries');
}

/** Returns the directory of cached objects of the object store. */
export function objectDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'objects');
}

/** Returns the directory of the installed distributions of Spark. */
export function sparkDirectory({
  dataDirectory,
  sparkCacheDirectory,
}: Pick<Config, 'dataDirectory' | 'sparkCacheDirectory'>): string {
  return sparkCacheDirectory ?? libraryDirectory(dataDirectory);
}
