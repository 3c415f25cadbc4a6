/** Fork servers in tests: waiting for them, the processes forked from them, and their end. */
import { readFileSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { dirname, join, basename } from 'node:path';
import { createLocalProvider } from '../../../runners/warm/local-provider.ts';
import { readClaim } from '../../../runners/process/process-state.ts';
import { eventually } from '../../harness/eventually.ts';

/** Returns the directories of the instances of all fork servers of a cluster. */
export async function listForkServers(clusterDirectory: string): Promise<string[]> {
  const warm = join(clusterDirectory, 'warm');
  const keys = await readdir(warm).catch(() => []);
  const instances = await Promise.all(
    keys.map(async (key) => (await readdir(join(warm, key))).map((name) => join(warm, key, name))),
  );
  return instances.flat().sort();
}

/** Waits until the newest instance of every fork server accepts connections. */
export async function waitForForkServers(clusterDirectory: string): Promise<void> {
  await eventually(
    async () => {
      const newest = new Map((await listForkServers(clusterDirectory)).map((path) => [dirname(path), path]));
      const ready = await Promise.all(
        [...newest.values()].map((path) =>
          access(join(path, 'socket')).then(
            () => true,
            () => false,
          ),
        ),
      );
      return ready.length > 0 && ready.every(Boolean);
    },
    { every: 5, until: Boolean },
  );
}

/** Ends the fork servers of a cluster as its end does. */
export async function endForkServers(clusterDirectory: string): Promise<void> {
  await createLocalProvider(dirname(clusterDirectory)).endCluster(basename(clusterDirectory));
}

/** Returns the process that claims a directory. */
export function claimantOf(directory: string): number {
  const claim = readClaim(directory);
  if (typeof claim !== 'object') throw new Error(`${directory} is not claimed.`);
  return claim.pid;
}

/** Returns the command line of the supervisor of an attempt. */
export function readCommandLine(directory: string): string {
  return readFileSync(`/proc/${claimantOf(directory)}/cmdline`, 'utf8').replaceAll('\0', ' ');
}
