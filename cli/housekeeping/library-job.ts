/** Housekeeping job: removes cached libraries and objects that are unused and belong to no cluster. */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../engine/clock.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import { cacheSections } from '../../runners/libraries/library-cache.ts';
import { openDatabase, type DatabaseAddress } from '../../storage/postgres/database.ts';
import { listLibraryPathsInUse } from '../../storage/postgres/libraries/libraries.ts';
import { libraryDirectory, objectDirectory } from '../wiring/cache-directories.ts';

/** Data of the worker thread. */
export interface LibraryJobData {
  readonly address: DatabaseAddress;
  readonly dataDirectory: string;
  /** Retention of an entry after its last use. */
  readonly libraryRetentionMs: number;
}

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function removeUnusedLibraries({
  address,
  dataDirectory,
  libraryRetentionMs,
}: LibraryJobData): Promise<void> {
  const { db, close } = openDatabase(address, silentLog, { maxConnections: 1 });
  const library = libraryDirectory(dataDirectory);
  try {
    // The list comes first: an entry that is used from now on is too young to remove.
    const before = clock.now() - libraryRetentionMs;
    const used = await listLibraryPathsInUse(db);
    for (const directory of [
      ...cacheSections.map((part) => join(library, part)),
      objectDirectory(dataDirectory),
    ]) {
      await removeOldEntries(directory, before, (entry) =>
        used.some((path) => path === entry || path.startsWith(`${entry}/`)),
      );
    }
  } finally {
    await close();
  }
}

async function removeOldEntries(
  directory: string,
  before: number,
  inUse: (entry: string) => boolean,
): Promise<void> {
  for (const name of (await readdir(directory).catch(undefinedIfMissing)) ?? []) {
    const entry = join(directory, name);
    const found = await stat(entry).catch(undefinedIfMissing);
    if (found === undefined || found.mtimeMs >= before || inUse(entry)) continue;
    // The rename makes the removal atomic: a partial entry would be used as a complete one.
    const removed = `${entry}.leaving`;
    await rename(entry, removed);
    await rm(removed, { recursive: true, force: true });
  }
}

// Written by cli/housekeeping/housekeeping.ts.
const jobData: LibraryJobData = workerData.job.worker.workerData;
await removeUnusedLibraries(jobData);
