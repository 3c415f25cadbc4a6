/** Files below a root: find, list, read, write atomically, remove. Callers word the refusals. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  chmod,
  copyFile,
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
  /** Path in the root: `/a/b`. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Size in bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** Prefix of temporary files; such names are never listed. */
const draftPrefix = '.runyard-draft-';

/**
 * Finds the file or directory at a path; links inside the root are followed. Returns undefined for a missing
 * entry and for special files.
 */
export async function findEntry(root: Root, path: string): Promise<FileEntry | undefined> {
  const inside = normalizePath(root, path);
  const stats = await statIfExists(await resolveInside(root, path));
  // The root itself always exists, even before its first file.
  if (stats === undefined && inside === '/')
    return { path: '/', kind: 'directory', size: 0, createdAt: 0, modifiedAt: 0 };
  return stats === undefined ? undefined : toEntry(inside, stats);
}

/**
 * Lists the entries of a directory by name. Links that lead outside and special files are left out.
 * @param page only names behind `after`, and no more than `limit` of them
 */
export async function listEntries(
  root: Root,
  directory: string,
  { after, limit } = { after: '', limit: Infinity },
): Promise<FileEntry[]> {
  const inside = normalizePath(root, directory);
  const real = await resolveInside(root, directory);
  const found = await readdir(real, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const entries: FileEntry[] = [];
  for (const { name } of found
    .filter((entry) => entry.name > after && !entry.name.startsWith(draftPrefix))
    .sort(compareByName)) {
    if (entries.length >= limit) break;
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

/** Reads up to `length` bytes of a file from `offset` on. Returns undefined when there is no such file. */
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
 * Opens a file of a root for reading; undefined when there is none. A folder may be replaced by a link after
 * the check, so the path is checked again after the open.
 */
export async function openResolved(root: Root, path: string): Promise<FileHandle | undefined> {
  const real = await resolveInside(root, path);
  const file = await openRegularFile(real);
  if (file === undefined) return undefined;
  const proven = await resolveInside(root, path).catch(() => undefined);
  if (proven === real) return file;
  await file.close();
  return undefined;
}

/**
 * Writes a file atomically: readers see the old content or the new one. Creates parent folders.
 * @returns `exists` when an entry is there and must not be replaced; a directory never is
 */
export async function writeBytes(
  root: Root,
  path: string,
  bytes: Uint8Array,
  overwrite: boolean,
): Promise<'written' | 'exists'> {
  return publishFile(root, path, overwrite, (draft) =>
    writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true }),
  );
}

/**
 * Moves a complete file of the service, outside the root, to a path of the root. Atomic, and with the same
 * result, as `writeBytes`; with `exists` the file stays where it is.
 */
export async function placeFile(
  root: Root,
  file: string,
  path: string,
  overwrite: boolean,
): Promise<'written' | 'exists'> {
  return publishFile(root, path, overwrite, async (draft) => {
    await link(file, draft).catch(async (error: unknown) => {
      if (!isAcrossFileSystems(error)) throw error;
      await copyFile(file, draft);
    });
  }).then(async (outcome) => {
    if (outcome === 'written') await rm(file, { force: true });
    return outcome;
  });
}

/** @param make writes the content under the name that it is given */
async function publishFile(
  root: Root,
  path: string,
  overwrite: boolean,
  make: (draft: string) => Promise<void>,
): Promise<'written' | 'exists'> {
  await makeDirectory(root, posix.dirname(normalizePath(root, path)));
  const target = await resolveEntryInside(root, path);
  const draft = draftBeside(target);
  try {
    await make(draft);
    if (root.taskUser !== undefined) await grantAccess(root.taskUser, draft, { mode: 0o640 });
    // Linking fails when the name is taken, so of two writers without overwrite only one succeeds.
    await (overwrite ? rename(draft, target) : link(draft, target));
    return 'written';
  } catch (error) {
    if (['EEXIST', 'EISDIR', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) return 'exists';
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns the name of a temporary file in the directory of a target. */
export function draftBeside(target: string): string {
  return join(dirname(target), `${draftPrefix}${randomUUID()}`);
}

/** True for links and renames between file systems, such as two volumes of a container. */
export function isAcrossFileSystems(error: unknown): boolean {
  return codeOf(error) === 'EXDEV';
}

/**
 * Creates a directory with its parents. An existing one is kept.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS when a file has that path
 */
export async function makeDirectory(root: Root, path: string): Promise<void> {
  const target = await resolveInside(root, path);
  try {
    // Only the user of the service needs access, and the user of tasks where there is one.
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

/** Gives a new entry to the user of tasks, or makes it readable for that user's group. */
async function grantAccess(
  { uid, gid, owns }: TaskUser,
  path: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  if (!owns) await chmod(path, mode);
  await lchown(path, owns ? uid : -1, gid);
}

/** Applies the ownership to all new directories from the first to the last. */
async function grantAccessBetween(tenant: TaskUser, first: string, last: string): Promise<void> {
  for (let path = last; path.length >= first.length; path = dirname(path))
    await grantAccess(tenant, path, { mode: 0o750 });
}

/** Removes a file or directory; of a link only the link itself. */
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
