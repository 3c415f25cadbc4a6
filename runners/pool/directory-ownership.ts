/** Transfers ownership of directories between the service and the user of tasks. */
import { constants } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../engine/read-file.ts';
import type { TaskUser } from '../process/isolation.ts';

/** Maximum depth of directories prepared by runners. */
const depthMax = 6;

type Owner = Pick<TaskUser, 'uid' | 'gid'>;

/**
 * Makes a user the owner of a directory and its content, unless a process was started there: from then on the
 * task controls the content. Skips symbolic links and files with several hard links.
 */
export async function grantOwnership(directory: string, user: Owner): Promise<void> {
  const started = await stat(join(directory, 'pid')).then(
    () => true,
    () => false,
  );
  if (!started) await changeOwner(directory, user, depthMax);
}

/** Lets a user create files in a directory of the service, but not remove or replace those of the service. */
export async function shareDirectory(directory: string, { gid }: Owner): Promise<void> {
  const file = await openWithoutLinks(directory);
  try {
    const found = await file?.stat();
    if (found?.isDirectory() !== true || (found.gid === gid && (found.mode & 0o7777) === 0o1770)) return;
    await file?.chown(serviceOwner().uid, gid);
    await file?.chmod(0o1770);
  } finally {
    await file?.close();
  }
}

/** Makes the service the owner of a directory with its content: readable for all, writable for none else. */
export async function takeOwnership(directory: string): Promise<void> {
  await changeOwner(directory, serviceOwner(), Infinity, async (file, { isDirectory, mode }) =>
    file.chmod(isDirectory ? 0o755 : (mode & 0o100) === 0 ? 0o444 : 0o555),
  );
}

function serviceOwner(): Owner {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

type OnOwnerChanged = (
  file: FileHandle,
  found: { readonly isDirectory: boolean; readonly mode: number },
) => Promise<void>;

async function changeOwner(path: string, owner: Owner, depth: number, after?: OnOwnerChanged): Promise<void> {
  const file = await openWithoutLinks(path);
  if (file === undefined) return;
  try {
    const found = await file.stat();
    const isDirectory = found.isDirectory();
    if (isDirectory || (found.isFile() && found.nlink === 1)) {
      if (found.uid !== owner.uid) await file.chown(owner.uid, owner.gid);
      await after?.(file, { isDirectory, mode: found.mode });
    }
    if (!isDirectory || depth === 0) return;
    for (const name of await readdir(path)) await changeOwner(join(path, name), owner, depth - 1, after);
  } finally {
    await file.close();
  }
}

/** Opens a file or directory; undefined for a link, a socket, or a missing path. */
async function openWithoutLinks(path: string): Promise<FileHandle | undefined> {
  // Without O_NONBLOCK a named pipe would block the call.
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      if (
        isMissing(error) ||
        (error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENXIO'))
      )
        return undefined;
      throw error;
    },
  );
}
