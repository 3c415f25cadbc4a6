/** Files of managed_fs for the operations put, read, list, move and delete. */
import { invalid, ServiceError } from '../../engine/errors.ts';
import type { ManagedFileStore, OpenFile } from '../../engine/ports/files.ts';
import {
  listEntries,
  findEntry,
  makeDirectory,
  openResolved,
  readBytes,
  removeEntry,
  writeBytes,
  type FileEntry,
} from './file-tree.ts';
import { moveEntry } from './move-entry.ts';
import type { Root, Roots } from './roots.ts';

export function createManagedFileStore(roots: Pick<Roots, 'managedFs'>): ManagedFileStore {
  const root = roots.managedFs;
  return {
    async put(path, contents, overwrite) {
      if ((await writeBytes(root, path, contents, overwrite)) === 'written') return;
      throw entryExists(path);
    },
    async move(from, to) {
      const outcome = await moveEntry(root, from, to);
      if (outcome === 'missing') throw notFound(from);
      if (outcome === 'exists') throw entryExists(to);
    },
    read: (path, offset, length) => read(root, path, offset, length),
    open: (path) => openFile(root, path),
    listAfter: (path, after, limit) => listEntries(root, path, { after, limit }),
    getStatus: (path) => requireEntry(root, path),
    async list(path) {
      const entry = await requireEntry(root, path);
      return entry.kind === 'directory' ? listEntries(root, entry.path) : [entry];
    },
    async delete(path, recursive) {
      if ((await removeEntry(root, path, recursive)) !== 'not empty') return;
      throw new ServiceError(
        'INVALID_STATE',
        `${path} is a directory that is not empty; set recursive to true to delete it with all it holds.`,
      );
    },
    mkdirs: (path) => makeDirectory(root, path),
  };
}

async function openFile(root: Root, path: string): Promise<OpenFile> {
  await requireFile(root, path);
  const file = await openResolved(root, path);
  if (file === undefined) throw notFound(path);
  const { size, mtimeMs } = await file.stat();
  return {
    size,
    modifiedAt: Math.floor(mtimeMs),
    read: (start, end) => file.createReadStream({ start, end }),
    close: () => file.close(),
  };
}

async function requireFile(root: Root, path: string): Promise<void> {
  const { kind } = await requireEntry(root, path);
  if (kind === 'directory') throw invalid(`${path} is a directory; only a file can be read.`);
}

async function read(root: Root, path: string, offset: number, length: number): Promise<Buffer> {
  await requireFile(root, path);
  const bytes = await readBytes(root, path, offset, length);
  if (bytes === undefined) throw notFound(path);
  return bytes;
}

async function requireEntry(root: Root, path: string): Promise<FileEntry> {
  const entry = await findEntry(root, path);
  if (entry === undefined) throw notFound(path);
  return entry;
}

/** Creates the error of a path that is taken; the operations on fs/ have a code of their own. */
export function entryExists(
  path: string,
  code: 'RESOURCE_ALREADY_EXISTS' | 'ALREADY_EXISTS' = 'RESOURCE_ALREADY_EXISTS',
): ServiceError {
  return new ServiceError(code, `A file or directory already exists at the input path ${path}.`);
}

function notFound(path: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `No file or directory exists on path ${path}.`);
}
