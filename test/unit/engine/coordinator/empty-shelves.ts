/** A librarian of clusters that have no libraries, for tests that are about something else. */
import { noLibraries } from '../../../../engine/cluster/libraries.ts';
import type { Librarian } from '../../../../engine/ports/libraries.ts';

export const emptyShelves: Librarian = {
  equip: async () => ({ kind: 'ready', paths: noLibraries }),
  abandon: async () => undefined,
  pathsOf: async () => noLibraries,
};
