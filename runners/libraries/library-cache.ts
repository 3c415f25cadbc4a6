/** Cache shared by all clusters. Its entries are complete, immutable, and addressed by their inputs. */
import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, cp, lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../engine/errors.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import { takeOwnership } from '../pool/directory-ownership.ts';

/** Sections of the cache, directories of entries. Entries of `tries` are processes of installers. */
export const cacheSections = ['files', 'unpacked', 'python', 'java', 'r', 'spark', 'tries'] as const;
/** Directories of the tools: their caches, and a home directory for a user without one. */
export const toolDirectories = ['pip', 'maven', 'coursier', 'home'] as const;
export type CacheSection = (typeof cacheSections)[number];

/** Returns the absolute path of an entry, which may not exist. */
export function entryPathOf(root: string, part: CacheSection, key: string): string {
  return join(root, part, key);
}

/** Returns the key for inputs, usable as a file name. */
export function cacheKeyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Updates the time of last use of a path; false when it does not exist. */
export async function touchEntry(path: string, now: number): Promise<boolean> {
  return utimes(path, now / 1_000, now / 1_000).then(() => true, missingAsFalse);
}

function missingAsFalse(error: unknown): boolean {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
  throw error;
}

/** Copies a file into the cache and returns its path there. Equal content is stored once. */
export async function cacheFile(root: string, file: string, name: string, now: number): Promise<string> {
  return cacheCopy(
    root,
    async (draft) => {
      await mkdir(draft, { recursive: true });
      // A copy: later changes of the file must not affect clusters.
      await copyFile(file, join(draft, name), constants.COPYFILE_FICLONE);
      return cacheKeyOf(name, await hashFile(join(draft, name)));
    },
    now,
  ).then((entry) => join(entry, name));
}

/** Copies a folder without its links into the cache and returns its path there. */
export async function cacheFolder(root: string, folder: string, now: number): Promise<string> {
  return cacheCopy(
    root,
    async (draft) => {
      await mkdir(dirname(draft), { recursive: true });
      await cp(folder, draft, {
        recursive: true,
        filter: async (path) => !(await lstat(path)).isSymbolicLink(),
      });
      const files = (await listFilesBelow(draft)).toSorted();
      const contents: string[] = [];
      for (const file of files) contents.push(relative(draft, file), await hashFile(file));
      return cacheKeyOf('folder', ...contents);
    },
    now,
  );
}

async function cacheCopy(
  root: string,
  copy: (draft: string) => Promise<string>,
  now: number,
): Promise<string> {
  const draft = join(root, 'files', `${randomUUID()}.part`);
  try {
    const entry = entryPathOf(root, 'files', await copy(draft));
    await publishEntry(draft, entry);
    await touchEntry(entry, now);
    return entry;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Renames a complete draft to its entry; an existing entry is kept. False when there is neither.
 * @param isForeign true when another user created the draft
 */
export async function publishEntry(draft: string, entry: string, isForeign = false): Promise<boolean> {
  if ((await lstat(entry).catch(undefinedIfMissing)) !== undefined) return true;
  if (isForeign) await takeOwnership(draft);
  // chmod on links would change files outside the cache.
  else
    for (const file of await listFilesBelow(draft))
      await chmod(file, 0o444 | ((await lstat(file)).mode & 0o111));
  await mkdir(dirname(entry), { recursive: true });
  return rename(draft, entry).then(
    () => true,
    async (error: unknown) => {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTEMPTY' || code === 'EEXIST')
        return (await lstat(entry).catch(undefinedIfMissing)) !== undefined;
      throw error;
    },
  );
}

/** Lists the regular files below a folder; empty for a missing folder. */
export async function listFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing);
  return (entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
