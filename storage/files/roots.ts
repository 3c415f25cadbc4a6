/** Root directories of files, and the check that a path stays inside its root. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { codeOf, invalid, type ServiceError } from '../../engine/errors.ts';
import { canonicalUri, managedFsMountName } from '../../engine/validation/aliases.ts';
import { quote } from '../../engine/validation/messages.ts';
import { isMissing, undefinedIfMissing } from '../../engine/read-file.ts';
import { fixedLimits } from '../../engine/limits.ts';
import { attemptDirectories, type KnownPath } from '../../engine/run/known-paths.ts';

/** Directory that paths are confined to. */
export interface Root {
  /** Absolute path on this machine; it need not exist yet. It is never shown to callers. */
  readonly directory: string;
  /** Name of the root in messages. */
  readonly title: string;
  /** Scheme that paths of this root may carry. */
  readonly scheme?: string;
  /** Leading folder that paths may carry and that means the root itself. */
  readonly rootAlias?: string;
  /** Owner of entries that the service creates here; undefined when tasks run as the user of the service. */
  readonly taskUser?: TaskUser | undefined;
}

/** User that tasks run as, where it is not the user of the service. */
export interface TaskUser {
  readonly uid: number;
  readonly gid: number;
  /** True when that user owns new entries; false when it may only read them. */
  readonly owns: boolean;
}

export interface Roots {
  readonly workspace: Root;
  /** Revisions of notebooks. */
  readonly revisions: Root;
  readonly managedFs: Root;
  /** Data of open uploads to managed_fs. */
  readonly uploads: Root;
  readonly objstore: Root;
  readonly clusters: Root;
  readonly runs: Root;
  /** Directories outside the data directory from which tasks may use files. */
  readonly allowed: readonly Root[];
}

export interface RootOptions {
  readonly dataDirectory: string;
  readonly allowedRoots: readonly string[];
  /** The user that tasks run as, where that is not the user of the service. */
  readonly taskUser?: Pick<TaskUser, 'uid' | 'gid'> | undefined;
}

/** Returns the directories that messages must not show, with the names that users know. */
export function knownPathsOf({ managedFs, objstore, workspace, runs }: Roots): KnownPath[] {
  return [
    { directory: managedFs.directory, name: 'managed_fs:' },
    { directory: objstore.directory, name: 'objstore:/' },
    { directory: workspace.directory, name: '' },
    { directory: runs.directory, name: attemptDirectories },
  ];
}

/** Creates the roots of a data directory. Directories are created with their first file. */
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
      rootAlias: managedFsMountName,
      ...tenant(true),
    },
    uploads: { directory: below('uploads'), title: 'the directory of uploads' },
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
 * Normalizes a path of a root to `/a/b`: resolves the scheme, `.`, `..` and doubled slashes.
 * @param written the path as the caller wrote it, when it differs; messages repeat it
 * @throws ServiceError INVALID_PARAMETER_VALUE when it is not absolute, leaves the root, or is no valid name
 */
export function normalizePath(root: Root, given: string, written = given): string {
  const uri = root.scheme === undefined ? given : canonicalUri(given);
  const path = root.scheme !== undefined && uri.startsWith(root.scheme) ? uri.slice(root.scheme.length) : uri;
  if (!path.startsWith('/')) throw invalidPath(written, 'must begin with a slash');
  if (path.includes('\0')) throw invalidPath(written, 'must not hold a null byte');
  if (Buffer.byteLength(path) > fixedLimits.filePathBytes)
    throw invalidPath(written, `has more than ${fixedLimits.filePathBytes} bytes`);
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (Buffer.byteLength(name) > fixedLimits.fileNameBytes)
      throw invalidPath(written, `has a name of more than ${fixedLimits.fileNameBytes} bytes`);
    if (name === '..' && names.pop() === undefined) throw invalidPath(written, `leads outside ${root.title}`);
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  while (root.rootAlias !== undefined && names[0] === root.rootAlias) names.shift();
  return `/${names.join('/')}`;
}

/**
 * Resolves a path of a root to its real path on this machine. All symbolic links are resolved and must stay
 * inside. The target need not exist.
 * @param written as for `normalizePath`; messages never show the path on this machine
 * @throws ServiceError INVALID_PARAMETER_VALUE when it leads outside or cannot be resolved
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
 * Resolves as `resolveInside` does, but does not follow a link in the last segment: for entries that are
 * created, replaced or removed.
 * @throws ServiceError INVALID_PARAMETER_VALUE as `resolveInside`, and for the root itself
 */
export async function resolveEntryInside(root: Root, path: string): Promise<string> {
  const inside = normalizePath(root, path);
  if (inside === '/') throw invalidPath(path, `is the top of ${root.title} itself, which stays as it is`);
  return join(await resolveInside(root, dirname(inside)), basename(inside));
}

/** Messages for system errors about a path. */
const unresolvableReasons: Readonly<Record<string, string>> = {
  ELOOP: 'holds a link that leads back to itself',
  ENAMETOOLONG: 'is too long',
  EACCES: 'may not be read by the service',
};

/** Returns the real path of the existing part, followed by the rest. */
async function resolveLinks(target: string, written: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // A dangling link must not count as a free name: creating the file would create the link's target.
  const link = await lstat(target).catch(undefinedIfMissing);
  if (link?.isSymbolicLink() === true) throw invalidPath(written, 'holds a link that leads nowhere');
  return join(await resolveLinks(dirname(target), written), basename(target));
}

function invalidPath(written: string, reason: string): ServiceError {
  return invalid(`The path ${quote(written)} ${reason}.`);
}
