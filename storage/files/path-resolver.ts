/** Resolution of the paths that tasks name: by scheme, in the workspace, or below an allowed root. */
import { relative, resolve } from 'node:path';
import { invalid, ServiceError } from '../../engine/errors.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import { quote } from '../../engine/validation/messages.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { notebookPaths } from './notebook-format.ts';
import type { ObjectStore } from './object-store.ts';
import { findRevisionAt } from './revisions.ts';
import { normalizePath, resolveInside, type Root, type Roots } from './roots.ts';

/**
 * Kind of target. `notebook`: a workspace path that may lack its extension; with `at`, the newest revision
 * not later than that (epoch ms). `entry`: a file or a folder.
 */
export type LocateTarget = 'file' | 'notebook' | 'entry' | { readonly notebook: true; readonly at: number };

type LocateKind = 'file' | 'notebook' | 'entry';

/** Candidate location of a path. */
interface SourceLocation {
  readonly root: Root;
  /** Path in the root. */
  readonly path: string;
  /** Describes how to put a file there, for the message of a missing file. */
  readonly remedy: string;
  readonly isWorkspace?: true;
}

const importRemedy = 'Import it with POST /api/2.0/workspace/import and start the run again.';
const importOrAllowRemedy =
  'Import it with POST /api/2.0/workspace/import, or name its directory in RUNYARD_ALLOWED_ROOTS, and start the run again.';
const putRemedy = 'Put it there with POST /api/2.0/managed_fs/put and start the run again.';

/**
 * Creates the function that resolves a file named in a task to an absolute path on this machine:
 * `managed_fs:/x`, `objstore://bucket/x` (each in any known spelling, also below a mount point), a workspace
 * path, or `/x` and `file:/x` below an allowed root. It throws ServiceError RESOURCE_DOES_NOT_EXIST for a
 * missing file and INVALID_PARAMETER_VALUE for a forbidden one; the messages go to the run's state.
 * @param objects the store behind objstore://; undefined uses a directory
 */
export function createPathResolver(
  roots: Roots,
  objects?: ObjectStore,
): (uri: string, target: LocateTarget) => Promise<string> {
  return async (uri, target) => {
    const object =
      objects === undefined ? undefined : /^objstore:\/\/([^/]*)(\/.*)?$/s.exec(canonicalUri(uri));
    if (objects !== undefined && object) return objects.fetch(object[1] ?? '', object[2] ?? '', uri);
    const kind = typeof target === 'object' ? 'notebook' : target;
    const place = await resolveLocation(uri, kind, roots);
    const path = normalizePath(place.root, place.path, uri);
    if (typeof target === 'object') return findRevisionAt(roots, path, target.at);
    const candidates = kind === 'notebook' ? notebookPaths(path) : [path];
    for (const candidate of candidates) {
      const real = await resolveInside(place.root, candidate, uri);
      const found = await statIfExists(real);
      if (found?.isFile() === true || (kind === 'entry' && found?.isDirectory() === true)) return real;
    }
    throw new ServiceError(
      'RESOURCE_DOES_NOT_EXIST',
      await describeMissingFile(uri, kind, place, candidates),
    );
  };
}

async function resolveLocation(uri: string, kind: LocateKind, roots: Roots): Promise<SourceLocation> {
  const path = uri.replace(/^file:\/*/, '/');
  if (kind === 'notebook' && path.startsWith('/'))
    return { root: roots.workspace, path, remedy: importRemedy, isWorkspace: true };
  const allowed = path.startsWith('/') ? findAllowedLocation(path, roots) : undefined;
  if (allowed !== undefined) return allowed;
  const canonical = canonicalUri(uri);
  if (canonical.startsWith('managed_fs:'))
    return { root: roots.managedFs, path: canonical, remedy: putRemedy };
  if (canonical.startsWith('objstore://')) return resolveBucketLocation(uri, canonical, roots);
  if (path.startsWith('/'))
    return { root: roots.workspace, path, remedy: importOrAllowRemedy, isWorkspace: true };
  throw invalid(
    `The path ${quote(uri)} must be a workspace path that begins with a slash, or begin with managed_fs:/, objstore:// or file:/.`,
  );
}

async function resolveBucketLocation(uri: string, canonical: string, roots: Roots): Promise<SourceLocation> {
  const [, bucket = '', path = '/'] = /^objstore:\/\/([^/]*)(\/.*)?$/s.exec(canonical) ?? [];
  if (['', '.', '..'].includes(bucket))
    throw invalid(`The path ${quote(uri)} names no bucket: it must be objstore://<bucket>/<path>.`);
  const directory = await resolveInside(roots.objstore, `/${bucket}`, uri);
  const remedy = `Put it below objstore/${bucket} in the service's data directory and start the run again.`;
  return { root: { directory, title: 'its bucket' }, path, remedy };
}

/** Finds the location of an absolute path below an allowed root. */
function findAllowedLocation(path: string, roots: Roots): SourceLocation | undefined {
  const absolute = resolve(path);
  const root = roots.allowed.find(
    ({ directory }) => absolute === directory || absolute.startsWith(directory.replace(/\/?$/, '/')),
  );
  if (root === undefined) return undefined;
  return {
    root,
    path: `/${relative(root.directory, absolute)}`,
    remedy: 'Put it there and start the run again.',
  };
}

async function describeMissingFile(
  uri: string,
  kind: LocateKind,
  place: SourceLocation,
  candidates: readonly string[],
): Promise<string> {
  const where = place.isWorkspace ? ' in the workspace' : '';
  if (kind === 'notebook')
    return `Notebook ${uri} was not found${where} (looked for ${candidates.join(', ')}). ${place.remedy}`;
  const found = await statIfExists(await resolveInside(place.root, place.path, uri));
  if (found?.isDirectory() === true) return `${uri} is a directory; a file is needed here.`;
  return `File ${uri} was not found${where}. ${place.remedy}`;
}
