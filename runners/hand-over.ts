/** Gives the directories of an attempt to the user that its task runs as. */
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../engine/read-file.ts';
import type { TaskUser } from './isolation.ts';

/** Deeper than anything that a runner prepares. */
const depthMax = 6;

/**
 * Gives a directory and what a runner has prepared in it to a user, unless a process has been started there: from then on
 * its content is the task's. No link is followed, and nothing that has other names changes hands.
 */
export async function handOver(directory: string, user: TaskUser): Promise<void> {
  const started = await stat(join(directory, 'pid')).then(() => true, () => false);
  if (!started) await giveAway(directory, user, depthMax);
}

/** Gives the directory alone away. */
export async function handOverTop(directory: string, user: TaskUser): Promise<void> {
  await giveAway(directory, user, 0);
}

async function giveAway(path: string, user: TaskUser, depth: number): Promise<void> {
  // Without O_NONBLOCK a named pipe would hold the call.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    // A link, a socket, or gone meanwhile.
    if (isMissing(error) || (error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENXIO'))) return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    const found = await file.stat();
    const ours = found.uid !== user.uid && (found.isDirectory() || (found.isFile() && found.nlink === 1));
    if (ours) await file.chown(user.uid, user.gid);
    if (!found.isDirectory() || depth === 0) return;
    for (const name of await readdir(path)) await giveAway(join(path, name), user, depth - 1);
  } finally {
    await file.close();
  }
}
