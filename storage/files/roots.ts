/** The directories that files live in, and the proof that a path stays inside one of them. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf, invalid, type ServiceError } from '../../engine/errors.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import { quote } from '../../engine/validation/messages.ts';
import { isMissing, undefinedIfMissing } from '../../engine/read-file.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** A directory that paths are confined to. */
export interface Root {
  /** Absolute path on this machine; it need not exist yet. Never shown to a caller. */
  readonly directory: string;
  /** As messages call it. */
  readonly title: string;
  /** A scheme that paths of this root may carry. */
  readonly scheme?: string;
  /** A first folder that paths may carry and that means the root itself. */
  readonly rootAlias?: string;
  /** Whom what the service makes here is made for; undefined when tasks run as the user of the service. */
  readonly taskUser?: TaskUser | undefined;
}

/** The user that tasks run as, where that is not the user of the service. */
export interface TaskUser {
  readonly uid: number;
  readonly gid: number;
  /** True: it owns what is made. False: it may look at it. */
  readonly owns: boolean;
}

export interface Roots {
  readonly workspace: Root;
  /** Earlier contents of notebooks. */
  readonly revisions: Root;
  readonly managedFs: Root;
  readonly objstore: Root;
  readonly clusters: Root;
  readonly runs: Root;
  /** Directories outside the data directory that tasks may name files in. */
  readonly allowed: readonly Root[];
}

export interface RootOptions {
  readonly dataDirectory: string;
  readonly allowedRoots: readonly string[];
  /** The user that tasks run as, where that is not the user of the service. */
  readonly taskUser?: Pick<TaskUser, 'uid' | 'gid'> | undefined;
}

/** The roots of one data directory. Creates nothing: directories appear with the first file in them. */
export function createRoots(places: RootOptions): Roots {
  const tenant = (owns: boolean): Pick<Root, 'taskUser'> => ({
    taskUser: places.taskUser && { ...places.taskUser, owns },
  });
  const below = (name: string): string => resolve(places.dataDirectory, name);
  return {
    workspace: {
      directory: below('workspace'),
      title: 'the workspace',
      rootAlias: 'Workspace',
      ...tenant(false),
    },
    revisions: { directory: below('revisions'), title: 'the revisions of notebooks', ...tenant(false) },
    managedFs: {
      directory: below('managed_fs'),
      title: 'managed_fs',
      scheme: 'managed_fs:',
      ...tenant(true),
    },
    objstore: { directory: below('objstore'), title: 'objstore' },
    clusters: { directory: below('clusters'), title: 'the directory of clusters' },
    runs: { directory: below('runs'), title: 'the directory of runs' },
    allowed: places.allowedRoots.map((directory) => ({
      directory: resolve(directory),
      title: 'the allowed root',
    })),
  };
}

/**
 * The one spelling of a path of a root: `/a/b`, with the scheme, `.`, `../..` and doubled slashes resolved.
 * @param written the path as the caller wrote it, when that is something else; messages repeat it
 * @throws ServiceError INVALID_PARAMETER_VALUE when it is not absolute, climbs out, or cannot be a file name
 */
export function normalizePath(root: Root, given: string, written = given): string {
  const uri = canonicalUri(given);
  const path = root.scheme !== undefined && uri.startsWith(root.scheme) ? uri.slice(root.scheme.length) : uri;
  if (!path.startsWith('/')) throw invalidPath(written, 'must begin with a slash');
  if (path.includes('\0')) throw invalidPath(written, 'must not hold a null byte');
  if (Buffer.byteLength(path) > fixedLimits.filePathBytes)
    throw invalidPath(written, `has more than ${fixedLimits.filePathBytes} bytes`);
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (Buffer.byteLength(name) > fixedLimits.fileNameBytes)
      throw invalidPath(written, `has a name of more than ${fixedLimits.fileNameBytes} bytes`);
    if (name === '../..' && names.pop() === undefined)
      throw invalidPath(written, `leads outside ${root.title}`);
    if (name !== '' && name !== '.' && name !== '../..') names.push(name);
  }
  while (root.rootAlias !== undefined && names[0] === root.rootAlias) names.shift();
  return `/${names.join('/')}`;
}

/**
 * The real path on this machine of a path of a root, with all symbolic links resolved and proven to lie
 * inside. What it leads to need not exist.
 * @param written as for `normalizePath`; the path on this machine is never in a message
 * @throws ServiceError INVALID_PARAMETER_VALUE when it leads outside or cannot be followed
 */
export async function resolveInside(root: Root, path: string, written = path): Promise<string> {
  const target = join(root.directory, normalizePath(root, path, written));
  const [base, real] = await Promise.all([
    resolveLinks(root.directory, written),
    resolveLinks(target, written),
  ]).catch((error: unknown) => {
    const reason = unresolvableReasons[codeOf(error) ?? ''];
    throw reason === undefined ? error : invalidPath(written, reason);
  });
  if (real !== base && !real.startsWith(base === sep ? sep : base + sep))
    throw invalidPath(written, `leads outside ${root.title}`);
  return real;
}

/**
 * As `resolveInside`, except that a link in the last place is not followed: for what is created, replaced or removed.
 * @throws ServiceError INVALID_PARAMETER_VALUE as `resolveInside`, and for the root itself
 */
export async function resolveEntryInside(root: Root, path: string): Promise<string> {
  const inside = normalizePath(root, path);
  if (inside === '/') throw invalidPath(path, `is the top of ${root.title} itself, which stays as it is`);
  return join(await resolveInside(root, dirname(inside)), basename(inside));
}

/** System error -> what it says of a path. */
const unresolvableReasons: Readonly<Record<string, string>> = {
  ELOOP: 'holds a link that leads back to itself',
  ENAMETOOLONG: 'is too long',
  EACCES: 'may not be read by the service',
};

/** The real path of the part that exists, with the rest behind it. */
async function resolveLinks(target: string, written: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // A link to nothing must not count as a free name: whoever creates that file would create it where the link
  // points.
  const link = await lstat(target).catch(undefinedIfMissing);
  if (link?.isSymbolicLink() === true) throw invalidPath(written, 'holds a link that leads nowhere');
  return join(await resolveLinks(dirname(target), written), basename(target));
}

function invalidPath(written: string, reason: string): ServiceError {
  return invalid(`The path ${quote(written)} ${reason}.`);
}
