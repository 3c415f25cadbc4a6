/** Library manager of clusters without libraries, for tests of other subjects. */
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { LibraryManager } from '../../../../engine/ports/libraries.ts';

export const emptyLibraryManager: LibraryManager = {
  ensureInstalled: async () => ({ kind: 'ready', paths: noLibraries }),
  stopInstallers: async () => undefined,
  getPaths: async () => noLibraries,
};
