/** Where the service keeps what it has fetched for tasks. */
import { join } from 'node:path';

/** Libraries of clusters. */
export function libraryDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'libraries');
}

/** Objects of an object store. */
export function objectDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'objects');
}
