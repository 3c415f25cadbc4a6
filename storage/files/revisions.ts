/**
 * Revisions of notebooks: the content that each import wrote and replaced, by the time of the change. The
 * newest one is the notebook itself, also when it was copied into the workspace by hand.
 */
import { posix } from 'node:path';
import { ServiceError } from '../../engine/errors.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { listEntries, findEntry, readBytes, removeEntry, writeBytes } from './file-tree.ts';
import { notebookExtensions, notebookPaths } from './notebook-format.ts';
import { resolveInside, type Roots } from './roots.ts';
import { fixedLimits } from '../../engine/limits.ts';

type WorkspaceRoots = Pick<Roots, 'workspace' | 'revisions'>;

/**
 * Separator between the folder of a notebook and its name, so that a notebook and a folder with the same
 * name do not collide.
 */
const revisionsFolder = '.revisions';

/** Returns the folder with the revisions of a workspace file. */
function revisionFolderOf(path: string): string {
  return posix.join(posix.dirname(path), revisionsFolder, posix.basename(path));
}

/**
 * Saves the current content of a workspace path as a revision, unless it is saved already or is no notebook.
 */
export async function saveRevision({ workspace, revisions }: WorkspaceRoots, path: string): Promise<void> {
  if (!notebookExtensions.some((extension) => path.toLowerCase().endsWith(extension))) return;
  const entry = await findEntry(workspace, path);
  if (entry?.kind !== 'file' || entry.size > fixedLimits.revisionBytes) return;
  const bytes = await readBytes(workspace, path, 0, entry.size);
  if (bytes === undefined) return;
  const folder = revisionFolderOf(entry.path);
  await writeBytes(revisions, posix.join(folder, `${entry.modifiedAt}${posix.extname(path)}`), bytes, false);
  const kept = await listRevisions(revisions, folder);
  for (const { path: old } of kept.slice(0, Math.max(0, kept.length - fixedLimits.revisionsPerNotebook)))
    await removeEntry(revisions, old, false);
}

/** Removes the revisions of a workspace file, or of all files below a folder. */
export async function removeRevisions({ revisions }: WorkspaceRoots, path: string): Promise<void> {
  for (const each of [revisionFolderOf(path), path]) {
    if ((await findEntry(revisions, each)) !== undefined) await removeEntry(revisions, each, true);
  }
}

interface Revision {
  /** Time of the revision, epoch ms. */
  readonly time: number;
  /** Path in the root of the revisions. */
  readonly path: string;
}

async function listRevisions(root: Roots['revisions'], folder: string): Promise<Revision[]> {
  if ((await findEntry(root, folder))?.kind !== 'directory') return [];
  return (await listEntries(root, folder))
    .filter(({ kind }) => kind === 'file')
    .map(({ path }) => ({ time: Number.parseInt(posix.basename(path), 10), path }))
    .filter(({ time }) => Number.isSafeInteger(time))
    .sort((a, b) => a.time - b.time);
}

/**
 * Finds the newest revision of a notebook that is not later than `at` (epoch ms).
 * @param path in the workspace, with or without its extension
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST when there is no such revision or notebook
 */
export async function findRevisionAt(
  { workspace, revisions }: WorkspaceRoots,
  path: string,
  at: number,
): Promise<string> {
  const found: { readonly time: number; readonly file: string }[] = [];
  for (const candidate of notebookPaths(path)) {
    for (const { time, path: kept } of await listRevisions(revisions, revisionFolderOf(candidate)))
      found.push({ time, file: await resolveInside(revisions, kept) });
    // Sorted after them: of two changes within a millisecond the later one wins.
    const file = await resolveInside(workspace, candidate);
    const now = await statIfExists(file);
    if (now?.isFile() === true) found.push({ time: Math.floor(now.mtimeMs), file });
  }
  found.sort((a, b) => a.time - b.time);
  const newest = found.findLast(({ time }) => time <= at);
  if (newest !== undefined) return newest.file;
  const [oldest] = found;
  throw new ServiceError(
    'RESOURCE_DOES_NOT_EXIST',
    oldest === undefined
      ? `Notebook ${path} was not found in the workspace, and no revision of it is kept.`
      : `Notebook ${path} has no revision of ${at} or before; the oldest that is kept is of ${oldest.time} (revision_timestamp, epoch ms).`,
  );
}
