/**
 * The input files of a pipeline: what a file name or pattern stands for, and how a file is when it is read.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isMissing, statIfExists } from '../../engine/read-file.ts';
import { invalid } from '../../engine/errors.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import { quote } from '../../engine/validation/messages.ts';
import { baseFolderOf, isGlob, globToRegExp } from '../../engine/pipeline/glob.ts';
import type { UpdatePlan } from '../../engine/pipeline/update-plan.ts';

export interface InputFile {
  /** `managed_fs:/…` or `objstore://…` of this one file. */
  readonly uri: string;
  /** On this machine. */
  readonly path: string;
  /** Size and time of change. */
  readonly fingerprint: string;
}

interface InputLocation {
  /** On this machine. */
  readonly directory: string;
  /** What stands before the path in a URI. */
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
  if (canonical.split('/').includes('..')) throw invalid(`The path ${quote(uri)} must not hold "..".`);
  if (isBucket) {
    if (objstore === undefined)
      throw invalid(
        `${uri} cannot be read: pipelines read objstore:// where it is a directory, and this service has an S3-compatible server behind it. Copy the files to managed_fs.`,
      );
    return { directory: objstore, scheme: 'objstore:/', path };
  }
  return { directory: managedFs, scheme: 'managed_fs:', path };
}

/**
 * The files that a name, a directory or a pattern stands for, by name. Those whose name, or the name of a
 * folder behind the fixed part, begins with a dot or an underscore are no input: tools write drafts and marks
 * under such names.
 */
export async function listInputFiles(
  uri: string,
  order: Pick<UpdatePlan, 'managedFs' | 'objstore'>,
): Promise<InputFile[]> {
  const place = resolveLocation(uri, order);
  const direct = isGlob(place.path) ? undefined : await statIfExists(join(place.directory, place.path));
  if (direct?.isFile() === true) return toInputFiles([place.path], place);
  const folder = isGlob(place.path) ? baseFolderOf(place.path) : place.path;
  const pattern = globToRegExp(isGlob(place.path) ? place.path : posix.join(place.path, '**'));
  const paths = await listPathsBelow(place.directory, folder);
  return toInputFiles(
    paths.filter((path) => pattern.test(path)),
    place,
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
      // A link that leads outside, or to nothing, is no input.
      if (real === undefined || !real.startsWith(`${root}/`)) return undefined;
      const state = await fingerprintOf(real);
      return state === undefined ? undefined : { uri: `${scheme}${path}`, path: real, fingerprint: state };
    }),
  );
  return files.filter((file) => file !== undefined);
}

/** Size and time of change of a file; undefined when there is none. */
export async function fingerprintOf(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return stats?.isFile() === true ? `${stats.size}-${Math.floor(stats.mtimeMs)}` : undefined;
}
