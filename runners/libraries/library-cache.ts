/**
 * The cache that all clusters share: what is in it is complete, never changes, and is known by its content.
 */
import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, cp, lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../engine/errors.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import { takeOwnership } from '../pool/directory-ownership.ts';

/** The parts of the cache, each a directory of entries. Those of `tries` are processes of installers. */
export const cacheSections = ['files', 'unpacked', 'python', 'java', 'r', 'tries'] as const;
/** What the tools keep for themselves, beside the parts: their caches, and a home for a user who has none. */
export const toolDirectories = ['pip', 'maven', 'coursier', 'home'] as const;
export type CacheSection = (typeof cacheSections)[number];

/** The absolute path of an entry; it need not exist. */
export function entryPathOf(root: string, part: CacheSection, key: string): string {
  return join(root, part, key);
}

/** The key of what is made from all of this: one that a file may be named by. */
export function cacheKeyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Whether a path of the cache is there; if so, it counts as used now. */
export async function touchEntry(path: string, now: number): Promise<boolean> {
  return utimes(path, now / 1_000, now / 1_000).then(() => true, missingAsFalse);
}

function missingAsFalse(error: unknown): boolean {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
  throw error;
}

/**
 * Takes a copy of a file into the cache, under its name, and returns its path there. The same content is kept
 * once.
 */
export async function cacheFile(root: string, file: string, name: string, now: number): Promise<string> {
  return cacheCopy(
    root,
    async (draft) => {
      await mkdir(draft, { recursive: true });
      // A copy, because whoever changes the file later must not change what clusters have.
      await copyFile(file, join(draft, name), constants.COPYFILE_FICLONE);
      return cacheKeyOf(name, await hashFile(join(draft, name)));
    },
    now,
  ).then((entry) => join(entry, name));
}

/** The same for a folder with all that it holds but links. */
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
 * Puts a finished draft under its name; when somebody else was faster, theirs stays. False when there is
 * neither.
 * @param isForeign whether another user has made it
 */
export async function publishEntry(draft: string, entry: string, isForeign = false): Promise<boolean> {
  if ((await lstat(entry).catch(undefinedIfMissing)) !== undefined) return true;
  if (isForeign) await takeOwnership(draft);
  // Links lead out of the cache: they are left as they are.
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

/** Every regular file below a folder; none when there is no such folder. */
export async function listFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing);
  return (entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
