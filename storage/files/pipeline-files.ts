/**
 * Files of pipelines: spec files and definitions in the workspace, tables and event logs in managed_fs, and
 * the orders in attempt directories.
 */
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { invalid } from '../../engine/errors.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { PipelineEvent } from '../../engine/pipeline/events.ts';
import { baseFolderOf, isGlob, globToRegExp } from '../../engine/pipeline/glob.ts';
import type { SourceFile } from '../../engine/pipeline/source-location.ts';
import { specFileNames, type PipelineLibrary } from '../../engine/pipeline/pipeline-spec.ts';
import { parsePreparedUpdate, updateFileNames } from '../../engine/pipeline/update-plan.ts';
import type { PipelineFiles } from '../../engine/ports/pipelines.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { listEntries, findEntry, readBytes } from './file-tree.ts';
import { notebookPaths } from './notebook-format.ts';
import { normalizePath, resolveInside, type Root, type Roots } from './roots.ts';

const orderBytesMax = 64 * 2 ** 20;
const eventLogBytesMax = 64 * 2 ** 20;
const specBytesMax = 2 ** 20;

/** Creates the pipeline files. @param bytesMax maximum size of the definitions of one pipeline */
export function createPipelineFiles(
  roots: Pick<Roots, 'workspace' | 'managedFs'> & { readonly objstore: Roots['objstore'] | undefined },
  bytesMax: number,
): PipelineFiles {
  const { workspace, managedFs, objstore } = roots;
  return {
    readableRoots: {
      managedFs: managedFs.directory,
      ...(objstore !== undefined && { objstore: objstore.directory }),
    },
    findSpec: (path) => readSpec(workspace, path),
    readSources: ({ libraries }, folder) => readLibraries(workspace, libraries, folder, bytesMax),
    async resolveStorage(uri) {
      if (normalizePath(managedFs, canonicalUri(uri), uri) === '/')
        throw invalid(`The storage ${uri} is the top of managed_fs; it must be a directory below it.`);
      return resolveInside(managedFs, canonicalUri(uri), uri);
    },
    readPreparedUpdate: async (directory) =>
      parsePreparedUpdate((await readHead(join(directory, updateFileNames.order), orderBytesMax)).text),
    async savePreparedUpdate(directory, update) {
      const draft = join(directory, `${updateFileNames.order}.${randomUUID()}`);
      await writeFile(draft, JSON.stringify(update), { mode: 0o600 });
      await rename(draft, join(directory, updateFileNames.order));
    },
    async readEvents(storage, updateId) {
      const { text } = await readHead(
        await resolveInside(
          managedFs,
          `${normalizePath(managedFs, canonicalUri(storage))}/events/${updateId}.jsonl`,
        ),
        eventLogBytesMax,
      );
      // The last line may be incomplete while the update writes, or after a kill. Only the process of the
      // update writes this file.
      return text
        .split('\n')
        .map(tryParseJson)
        .filter(
          (event): event is PipelineEvent =>
            typeof event === 'object' && event !== null && 'event_type' in event,
        );
    },
  };
}

async function readLibraries(
  root: Root,
  libraries: readonly PipelineLibrary[],
  folder: string,
  bytesMax: number,
): Promise<SourceFile[]> {
  const paths = new Set<string>();
  for (const library of libraries)
    for (const path of await listLibraryPaths(root, library, folder)) paths.add(path);
  const files: SourceFile[] = [];
  let left = bytesMax;
  for (const path of [...paths].sort()) {
    const bytes = (await readBytes(root, path, 0, left + 1)) ?? Buffer.alloc(0);
    left -= bytes.length;
    if (left < 0)
      throw invalid(
        `The files of the pipeline have more than ${bytesMax} bytes together, which is as much as may be; the last one is ${path}.`,
      );
    files.push({ path, text: bytes.toString('utf8') });
  }
  return files;
}

async function readSpec(root: Root, path: string): Promise<SourceFile | undefined> {
  const entry = await findEntry(root, path);
  if (entry === undefined) return undefined;
  if (entry.kind === 'file') return { path: entry.path, text: await readSpecText(root, entry.path) };
  const names = new Set((await listEntries(root, entry.path)).map((each) => posix.basename(each.path)));
  const found = specFileNames.filter((name) => names.has(name));
  const [name, another] = found;
  if (name === undefined)
    throw invalid(
      `The folder ${entry.path} holds no spec file of a pipeline; it must have one named ${specFileNames.join(', ')}.`,
    );
  if (another !== undefined)
    throw invalid(
      `The folder ${entry.path} holds several spec files of a pipeline (${found.join(', ')}); name the one that is meant.`,
    );
  const file = posix.join(entry.path, name);
  return { path: file, text: await readSpecText(root, file) };
}

async function readSpecText(root: Root, path: string): Promise<string> {
  return ((await readBytes(root, path, 0, specBytesMax)) ?? Buffer.alloc(0)).toString('utf8');
}

async function listLibraryPaths(
  root: Root,
  { glob, file, notebook }: PipelineLibrary,
  folder: string,
): Promise<string[]> {
  if (glob === undefined) {
    const named = file?.path ?? notebook?.path ?? '';
    const path = normalizePath(root, posix.resolve(folder, named), named);
    for (const candidate of file === undefined ? notebookPaths(path) : [path]) {
      if ((await findEntry(root, candidate))?.kind !== 'file') continue;
      if (!/\.(sql|py|ipynb)$/i.test(candidate))
        throw invalid(
          `${candidate} is no definition of a pipeline: that is an SQL file, whose name ends with .sql.`,
        );
      return [candidate];
    }
    throw invalid(
      `The ${file === undefined ? 'notebook' : 'file'} ${named} of the pipeline was not found in the workspace. Import it with POST /api/2.0/workspace/import.`,
    );
  }
  const written = normalizePath(root, posix.resolve(folder, glob.include), glob.include);
  const isFolder = !isGlob(written) && (await findEntry(root, written))?.kind === 'directory';
  const pattern = isFolder ? posix.join(written, '**') : written;
  const matching = globToRegExp(pattern);
  const found = (
    await listFilesBelow(root, isGlob(pattern) ? baseFolderOf(pattern) : posix.dirname(pattern))
  ).filter((path) => matching.test(path));
  if (found.length === 0)
    throw invalid(`The library ${glob.include} of the pipeline matches no file of the workspace.`);
  return found.filter((path) => /\.(sql|py)$/i.test(path));
}

async function listFilesBelow(root: Root, folder: string): Promise<string[]> {
  if ((await findEntry(root, folder))?.kind !== 'directory') return [];
  const paths: string[] = [];
  for (const { kind, path } of await listEntries(root, folder)) {
    if (posix.basename(path).startsWith('.')) continue;
    if (kind === 'file') paths.push(path);
    else paths.push(...(await listFilesBelow(root, path)));
  }
  return paths;
}
