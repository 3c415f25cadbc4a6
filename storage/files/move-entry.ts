/** Moves entries within a root. */
import { cp, link, lstat, rename, rm, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { codeOf, invalid, type ServiceError } from '../../engine/errors.ts';
import { isMissing, undefinedIfMissing } from '../../engine/read-file.ts';
import { quote } from '../../engine/validation/messages.ts';
import { draftBeside, isAcrossFileSystems, makeDirectory } from './file-tree.ts';
import { normalizePath, resolveEntryInside, type Root } from './roots.ts';

/**
 * Moves a file, a link or a directory with its contents within a root. Creates parent folders.
 * @returns `exists` when the destination is taken; nothing is replaced
 * @throws ServiceError INVALID_PARAMETER_VALUE for a directory that would be moved into itself
 */
export async function moveEntry(
  root: Root,
  from: string,
  to: string,
): Promise<'moved' | 'missing' | 'exists'> {
  const source = await resolveEntryInside(root, from);
  const found = await lstat(source).catch(undefinedIfMissing);
  if (found === undefined) return 'missing';
  const intoItself = (): ServiceError =>
    invalid(`The path ${quote(to)} is inside ${quote(from)}; a directory cannot be moved into itself.`);
  if (normalizePath(root, to).startsWith(`${normalizePath(root, from)}/`)) throw intoItself();
  await makeDirectory(root, posix.dirname(normalizePath(root, to)));
  const target = await resolveEntryInside(root, to);
  try {
    // A link does not replace a file that appears meanwhile; directories cannot be linked.
    if (!found.isDirectory()) await moveFile(source, target);
    else if ((await lstat(target).catch(undefinedIfMissing)) !== undefined) return 'exists';
    else await moveDirectory(source, target);
    return 'moved';
  } catch (error) {
    if (isMissing(error)) return 'missing';
    if (codeOf(error) === 'EINVAL') throw intoItself();
    if (['EEXIST', 'ENOTDIR', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) return 'exists';
    throw error;
  }
}

async function moveFile(source: string, target: string): Promise<void> {
  await link(source, target).catch(async (error: unknown) => {
    if (!isAcrossFileSystems(error)) throw error;
    await copyBeside(source, target, (draft) => link(draft, target));
  });
  await unlink(source);
}

async function moveDirectory(source: string, target: string): Promise<void> {
  await rename(source, target).catch(async (error: unknown) => {
    if (!isAcrossFileSystems(error)) throw error;
    await copyBeside(source, target, (draft) => rename(draft, target));
    await rm(source, { recursive: true, force: true });
  });
}

/** Copies an entry to a draft, so that the complete copy appears at once. */
async function copyBeside(
  source: string,
  target: string,
  publish: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = draftBeside(target);
  try {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await publish(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
