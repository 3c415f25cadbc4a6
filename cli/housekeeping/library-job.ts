/**
 * A housekeeping thread: removes libraries and fetched objects that nobody has used for long, and that no
 * cluster has.
 */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../engine/clock.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import { cacheSections } from '../../runners/libraries/library-cache.ts';
import { openDatabase, type DatabaseAddress } from '../../storage/postgres/database.ts';
import { listLibraryPathsInUse } from '../../storage/postgres/libraries/libraries.ts';
import { libraryDirectory, objectDirectory } from '../wiring/cache-directories.ts';

/** What the thread is told. */
export interface LibraryJobData {
  readonly address: DatabaseAddress;
  readonly dataDirectory: string;
  /** How long an entry is kept after its last use. */
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
    // Asked first: what is taken into use meanwhile is young.
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
    // In one step: half an entry would be taken for a whole one.
    const leaving = `${entry}.leaving`;
    await rename(entry, leaving);
    await rm(leaving, { recursive: true, force: true });
  }
}

// Written by cli/housekeeping/housekeeping.ts.
const jobData: LibraryJobData = workerData.job.worker.workerData;
await removeUnusedLibraries(jobData);
