/** Directories of the files that the service fetches for tasks. */
import { join } from 'node:path';

/** Returns the directory of cluster libraries. */
export function libraryDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'libraries');
}

/** Returns the directory of cached objects of the object store. */
export function objectDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'objects');
}
