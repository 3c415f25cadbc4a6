/** Input files of a pipeline: expands names and patterns, and fingerprints files. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isMissing, statIfExists } from '../../engine/read-file.ts';
import { invalid } from '../../engine/errors.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import { quote } from '../../engine/validation/messages.ts';
import { baseFolderOf, isGlob, globToRegExp } from '../../engine/pipeline/glob.ts';
import type { UpdatePlan } from '../../engine/pipeline/update-plan.ts';

export interface InputFile {
  /** `managed_fs:/…` or `objstore://…` of this file. */
  readonly uri: string;
  /** Local path. */
  readonly path: string;
  /** Size and modification time. */
  readonly fingerprint: string;
}

interface InputLocation {
  /** Local root directory. */
  readonly directory: string;
  /** Prefix of URIs before the path. */
  readonly scheme: string;
  /** Absolute path or pattern below the directory. */
  readonly path: string;
}

function resolveLocation(
  uri: string,
  { managedFs, objstore }: Pick<UpdatePlan, 'managedFs' | 'objstore'>,
): InputLocation {
  const canonical = canonicalUri(uri);
  const isBucket = canonical.startsWith('objstore://');
  const path = posix.normalize(`/${canonical.replace(/^(managed_fs:|objstore:\/\/)/, '')}`);
  if (canonical.split('/').includes('..')) throw invalid(`The path ${quote(uri)} must not contain "..".`);
  if (isBucket) {
    if (objstore === undefined)
      throw invalid(
        `${uri} cannot be read: pipelines support objstore:// only in a directory, and this service uses an S3-compatible server. Copy the files to managed_fs.`,
      );
    return { directory: objstore, scheme: 'objstore:/', path };
  }
  return { directory: managedFs, scheme: 'managed_fs:', path };
}

/**
 * Lists the files of a name, a directory or a pattern, by name. Ignores files and matched folders with names
 * that begin with a dot or an underscore, which tools use for drafts and markers.
 */
export async function listInputFiles(
  uri: string,
  order: Pick<UpdatePlan, 'managedFs' | 'objstore'>,
): Promise<InputFile[]> {
  const location = resolveLocation(uri, order);
  const direct = isGlob(location.path)
    ? undefined
    : await statIfExists(join(location.directory, location.path));
  if (direct?.isFile() === true) return toInputFiles([location.path], location);
  const folder = isGlob(location.path) ? baseFolderOf(location.path) : location.path;
  const pattern = globToRegExp(isGlob(location.path) ? location.path : posix.join(location.path, '**'));
  const paths = await listPathsBelow(location.directory, folder);
  return toInputFiles(
    paths.filter((path) => pattern.test(path)),
    location,
  );
}

async function listPathsBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const paths: string[] = [];
  for (const entry of entries.filter(({ name }) => !/^[._]/.test(name))) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) paths.push(...(await listPathsBelow(root, path)));
    else paths.push(path);
  }
  return paths;
}

async function toInputFiles(
  paths: readonly string[],
  { directory, scheme }: InputLocation,
): Promise<InputFile[]> {
  const root = await realpath(directory);
  const files = await Promise.all(
    [...paths].sort().map(async (path): Promise<InputFile | undefined> => {
      const real = await realpath(join(directory, path)).catch(() => undefined);
      // Ignores links to outside and broken links.
      if (real === undefined || !real.startsWith(`${root}/`)) return undefined;
      const state = await fingerprintOf(real);
      return state === undefined ? undefined : { uri: `${scheme}${path}`, path: real, fingerprint: state };
    }),
  );
  return files.filter((file) => file !== undefined);
}

/** Returns size and modification time of a file; undefined when it is missing. */
export async function fingerprintOf(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return stats?.isFile() === true ? `${stats.size}-${Math.floor(stats.mtimeMs)}` : undefined;
}
