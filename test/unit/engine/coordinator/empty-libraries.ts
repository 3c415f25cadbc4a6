/** A librarian of clusters that have no libraries, for tests that are about something else. */
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { LibraryManager } from '../../../../engine/ports/libraries.ts';

export const emptyLibraryManager: LibraryManager = {
  ensureInstalled: async () => ({ kind: 'ready', paths: noLibraries }),
  stopInstallers: async () => undefined,
  getPaths: async () => noLibraries,
};
