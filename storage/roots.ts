/** The directories that files live in, and the proof that a path stays inside one of them. */
import { constants } from 'node:fs';
import { lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf, invalid, type ServiceError } from '../engine/errors.ts';
import { canonicalUri } from '../engine/job/aliases.ts';
import { quote } from '../engine/job/wording.ts';

/** A directory that paths are confined to. */
export interface Root {
  /** Absolute path on this machine; it need not exist yet. Never shown to a caller. */
  readonly directory: string;
  /** As messages call it. */
  readonly title: string;
  /** A scheme that paths of this root may carry. */
  readonly scheme?: string;
  /** A first folder that paths may carry and that means the root itself. */
  readonly ownName?: string;
}

export interface Roots {
  readonly workspace: Root;
  readonly managedFs: Root;
  readonly objstore: Root;
  readonly clusters: Root;
  readonly runs: Root;
  /** Directories outside the data directory that tasks may name files in. */
  readonly allowed: readonly Root[];
}

/** Longest name of one file, in bytes: the limit of every file system in use. */
const nameBytes = 255;

/** The roots of one data directory. Creates nothing: directories appear with the first file in them. */
export function createRoots(places: { readonly dataDirectory: string; readonly allowedRoots: readonly string[] }): Roots {
  const below = (name: string): string => resolve(places.dataDirectory, name);
  return {
    workspace: { directory: below('workspace'), title: 'the workspace', ownName: 'Workspace' },
    managedFs: { directory: below('managed_fs'), title: 'managed_fs', scheme: 'managed_fs:' },
    objstore: { directory: below('objstore'), title: 'objstore' },
    clusters: { directory: below('clusters'), title: 'the directory of clusters' },
    runs: { directory: below('runs'), title: 'the directory of runs' },
    allowed: places.allowedRoots.map((directory) => ({ directory: resolve(directory), title: 'the allowed root' })),
  };
}

/**
 * The one spelling of a path of a root: `/a/b`, with the scheme, `.`, `..` and doubled slashes resolved.
 * @throws ServiceError INVALID_PARAMETER_VALUE when it is not absolute, climbs out, or cannot be a file name
 */
export function pathIn(root: Root, written: string): string {
  const uri = canonicalUri(written);
  const path = root.scheme !== undefined && uri.startsWith(root.scheme) ? uri.slice(root.scheme.length) : uri;
  if (!path.startsWith('/')) throw refusal(written, 'must begin with a slash');
  if (path.includes('\0')) throw refusal(written, 'must not hold a null byte');
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (Buffer.byteLength(name) > nameBytes) throw refusal(written, `has a name of more than ${nameBytes} bytes`);
    if (name === '..' && names.pop() === undefined) throw refusal(written, `leads outside ${root.title}`);
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  while (root.ownName !== undefined && names[0] === root.ownName) names.shift();
  return `/${names.join('/')}`;
}

/**
 * The real path on this machine of a path of a root, with all symbolic links resolved and proven to lie inside. What
 * it leads to need not exist.
 * @param path as the caller wrote it; messages repeat it, and never the path on this machine
 * @throws ServiceError INVALID_PARAMETER_VALUE when it leads outside or cannot be followed
 */
export async function prove(root: Root, path: string): Promise<string> {
  const target = join(root.directory, pathIn(root, path));
  const [base, real] = [await followLinks(root.directory, path), await followLinks(target, path)];
  if (real !== base && !real.startsWith(base === sep ? sep : base + sep)) throw refusal(path, `leads outside ${root.title}`);
  return real;
}

/**
 * As `prove`, except that a link in the last place is not followed: for what is created, replaced or removed.
 * @throws ServiceError INVALID_PARAMETER_VALUE as `prove`, and for the root itself
 */
export async function proveEntry(root: Root, path: string): Promise<string> {
  const inside = pathIn(root, path);
  if (inside === '/') throw refusal(path, `is the top of ${root.title} itself, which stays as it is`);
  return join(await prove(root, dirname(inside)), basename(inside));
}

/**
 * Opens a file of a root for reading; undefined when there is no such regular file. The caller closes it.
 * @throws ServiceError INVALID_PARAMETER_VALUE as `prove`
 */
export async function openProven(root: Root, path: string): Promise<FileHandle | undefined> {
  const file = await openRegular(await prove(root, path));
  if (file === undefined) return undefined;
  // A folder may have become a link after the proof: what was opened must be what a proof leads to now.
  const [opened, proven] = [await file.stat(), await prove(root, path).then(statOf)];
  if (proven?.ino === opened.ino && proven.dev === opened.dev) return file;
  await file.close();
  return undefined;
}

/** Opens a regular file for reading; undefined for anything else. Follows no link in the last place. The caller closes it. */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  let file;
  try {
    // Without O_NONBLOCK a named pipe would hold the call until somebody writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // ENXIO: a socket.
    if (isMissing(error) || ['ELOOP', 'ENXIO'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** What is known of a path of this machine; undefined when there is nothing. */
export async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  return stat(path).catch(missingAsUndefined);
}

/** Whether an error says that a path leads to nothing. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

function missingAsUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

const cannotFollow: Readonly<Record<string, string>> = {
  ELOOP: 'holds a link that leads back to itself',
  ENAMETOOLONG: 'is too long',
  EACCES: 'may not be read by the service',
};

/** The real path of the part that exists, with the rest behind it. */
async function followLinks(target: string, path: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    const reason = cannotFollow[codeOf(error) ?? ''];
    if (reason !== undefined) throw refusal(path, reason);
    if (!isMissing(error)) throw error;
  }
  // A link to nothing must not count as a free name: whoever creates that file would create it where the link points.
  const link = await lstat(target).catch(missingAsUndefined);
  if (link?.isSymbolicLink() === true) throw refusal(path, 'holds a link that leads nowhere');
  return join(await followLinks(dirname(target), path), basename(target));
}

function refusal(path: string, reason: string): ServiceError {
  return invalid(`The path ${quote(path)} ${reason}.`);
}
