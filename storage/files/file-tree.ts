/**
 * Files below a root: found, listed, read, written in one step, removed. The words for a refusal are the
 * caller's.
 */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  chmod,
  lchown,
  link,
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  rmdir,
  unlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { codeOf, ServiceError } from '../../engine/errors.ts';
import { isMissing, openRegularFile, readRange, statIfExists } from '../../engine/read-file.ts';
import { normalizePath, resolveInside, resolveEntryInside, type Root, type TaskUser } from './roots.ts';

export interface FileEntry {
  /** Path in its root, as `/a/b`. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** Names of files that are being written begin with this and are never listed. */
const draftPrefix = '.runyard-draft-';

/**
 * The file or directory at a path, links inside the root followed. Undefined for nothing and for special
 * files.
 */
export async function findEntry(root: Root, path: string): Promise<FileEntry | undefined> {
  const inside = normalizePath(root, path);
  const stats = await statIfExists(await resolveInside(root, path));
  // The top of a root is always there, even before the first file is.
  if (stats === undefined && inside === '/')
    return { path: '/', kind: 'directory', size: 0, createdAt: 0, modifiedAt: 0 };
  return stats === undefined ? undefined : toEntry(inside, stats);
}

/** What stands directly in a directory, by name. Links that lead outside and special files are left out. */
export async function listEntries(root: Root, directory: string): Promise<FileEntry[]> {
  const inside = normalizePath(root, directory);
  const real = await resolveInside(root, directory);
  const found = await readdir(real, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const entries: FileEntry[] = [];
  for (const { name } of found.filter((entry) => !entry.name.startsWith(draftPrefix)).sort(compareByName)) {
    const path = posix.join(inside, name);
    const stats = await lstat(join(real, name)).catch(() => undefined);
    const entry =
      stats?.isSymbolicLink() === true
        ? await findEntry(root, path).catch(() => undefined)
        : stats && toEntry(path, stats);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/**
 * Bytes of a file from `offset` (bytes) on, at most `length` of them. Undefined when there is no such file.
 */
export async function readBytes(
  root: Root,
  path: string,
  offset: number,
  length: number,
): Promise<Buffer | undefined> {
  const file = await openResolved(root, path);
  if (file === undefined) return undefined;
  try {
    return await readRange(file, offset, length);
  } finally {
    await file.close();
  }
}

/**
 * Opens a file of a root for reading. A folder may become a link after the proof, so the path is proven again
 * then.
 */
async function openResolved(root: Root, path: string): Promise<FileHandle | undefined> {
  const real = await resolveInside(root, path);
  const file = await openRegularFile(real);
  if (file === undefined) return undefined;
  const proven = await resolveInside(root, path).catch(() => undefined);
  if (proven === real) return file;
  await file.close();
  return undefined;
}

/**
 * Writes a file so that a reader finds all of it or what was there before. Makes the folders above it.
 * @returns `exists` when something is there and is not to be replaced; a directory never is
 */
export async function writeBytes(
  root: Root,
  path: string,
  bytes: Uint8Array,
  overwrite: boolean,
): Promise<'written' | 'exists'> {
  await makeDirectory(root, posix.dirname(normalizePath(root, path)));
  const target = await resolveEntryInside(root, path);
  const draft = join(dirname(target), `${draftPrefix}${randomUUID()}`);
  try {
    await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true });
    if (root.taskUser !== undefined) await grantAccess(root.taskUser, draft, { mode: 0o640 });
    // A link is refused where a name is taken, so of two writers without overwrite only one succeeds.
    await (overwrite ? rename(draft, target) : link(draft, target));
    return 'written';
  } catch (error) {
    if (['EEXIST', 'EISDIR', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) return 'exists';
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Makes a directory and the folders above it. One that is there already is as good.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS when a file stands in the way
 */
export async function makeDirectory(root: Root, path: string): Promise<void> {
  const target = await resolveInside(root, path);
  try {
    // Nobody needs to look in but the user of the service, and that of tasks where there is one.
    const first = await mkdir(target, { recursive: true, mode: 0o700 });
    if (first !== undefined && root.taskUser !== undefined)
      await grantAccessBetween(root.taskUser, first, target);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOTDIR') throw error;
    throw new ServiceError(
      'RESOURCE_ALREADY_EXISTS',
      `Path (${path}) cannot be a directory: it, or a folder above it, is a file.`,
    );
  }
}

/** Gives a new entry to the user of tasks, or lets its group look at it. */
async function grantAccess(
  { uid, gid, owns }: TaskUser,
  path: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  if (!owns) await chmod(path, mode);
  await lchown(path, owns ? uid : -1, gid);
}

/** The same for all new directories from the first to the last. */
async function grantAccessBetween(tenant: TaskUser, first: string, last: string): Promise<void> {
  for (let path = last; path.length >= first.length; path = dirname(path))
    await grantAccess(tenant, path, { mode: 0o750 });
}

/** Removes a file or directory, and of a link the link alone. */
export async function removeEntry(
  root: Root,
  path: string,
  recursive: boolean,
): Promise<'removed' | 'missing' | 'not empty'> {
  const target = await resolveEntryInside(root, path);
  try {
    if (!(await lstat(target)).isDirectory()) await unlink(target);
    else if (recursive) await rm(target, { recursive: true, force: true });
    else await rmdir(target);
    return 'removed';
  } catch (error) {
    if (isMissing(error)) return 'missing';
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return 'not empty';
    throw error;
  }
}

function toEntry(path: string, stats: Stats): FileEntry | undefined {
  const kind = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : undefined;
  if (kind === undefined) return undefined;
  const [createdAt, modifiedAt] = [Math.floor(stats.birthtimeMs), Math.floor(stats.mtimeMs)];
  return { path, kind, size: kind === 'file' ? stats.size : 0, createdAt, modifiedAt };
}

function compareByName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
