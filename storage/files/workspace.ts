/**
 * The workspace: notebooks, files and folders by absolute path, stored as plain files with their extension
 * and header.
 */
import { invalid, ServiceError } from '../../engine/errors.ts';
import type { Limits } from '../../engine/limits.ts';
import type {
  StoredObject,
  WorkspaceImport,
  WorkspaceObject,
  WorkspaceStore,
} from '../../engine/ports/files.ts';
import {
  listEntries,
  findEntry,
  makeDirectory,
  readBytes,
  removeEntry,
  writeBytes,
  type FileEntry,
} from './file-tree.ts';
import {
  extensionOf,
  headerBytes,
  jupyterExtension,
  languageOfPath,
  notebookExtensions,
  notebookLanguage,
  notebookPaths,
  withHeader,
} from './notebook-format.ts';
import { removeRevisions, saveRevision } from './revisions.ts';
import { normalizePath, type Root, type Roots } from './roots.ts';

const overwriteHint = 'set overwrite to true to replace it';

/** Creates the workspace. @param limits the maximum request size is also the maximum export size */
export function createWorkspaceStore(
  roots: Pick<Roots, 'workspace' | 'revisions'>,
  limits: Pick<Limits, 'requestBytes'>,
): WorkspaceStore {
  const root = roots.workspace;
  return {
    import: (request) => importObject(roots, request),
    getStatus: async (path) => toWorkspaceObject(root, await requireObject(root, path)),
    list: (path) => listObjects(root, path),
    export: (path) => exportObject(root, path, limits.requestBytes),
    delete: (path, recursive) => removeObject(roots, path, recursive),
    async mkdirs(path) {
      const found = await findObject(root, path);
      if (found !== undefined && found.kind !== 'directory')
        throw alreadyExists(path, 'it is not a directory');
      await makeDirectory(root, path);
    },
  };
}

type WorkspaceRoots = Pick<Roots, 'workspace' | 'revisions'>;

async function importObject(roots: WorkspaceRoots, request: WorkspaceImport): Promise<void> {
  const { path, overwrite } = request;
  const root = roots.workspace;
  const inside = normalizePath(root, path);
  if (inside === '/') throw alreadyExists(path, 'it is a directory');
  const { file, content } = fileOfImport(inside, request);
  const inTheWay = [await findEntry(root, file), await findEntryShownAs(root, inside)].filter(
    (entry) => entry !== undefined,
  );
  if (inTheWay.some(({ kind }) => kind === 'directory')) throw alreadyExists(path, 'it is a directory');
  if (inTheWay.length > 0 && !overwrite) throw alreadyExists(path, overwriteHint);
  // A file that was copied or edited by hand becomes a revision as well.
  for (const entry of inTheWay) await saveRevision(roots, entry.path);
  if ((await writeBytes(root, file, content, overwrite)) === 'exists')
    throw alreadyExists(path, overwriteHint);
  await saveRevision(roots, file);
  // The same notebook in another language is stored in another file.
  for (const entry of inTheWay.filter((each) => each.path !== file))
    await removeEntry(root, entry.path, false);
}

/** Returns the file of an import and its content. */
function fileOfImport(
  path: string,
  { format, language, content }: WorkspaceImport,
): { readonly file: string; readonly content: Uint8Array } {
  if (format === 'AUTO' || format === 'RAW') return { file: path, content };
  if (format === 'JUPYTER') return { file: withExtension(path, jupyterExtension), content };
  const written = language ?? languageOfPath(path);
  if (written === undefined) {
    throw invalid(
      'Missing required field: language. A notebook in format SOURCE needs it, unless the extension of its path says it.',
    );
  }
  return { file: withExtension(path, extensionOf(written)), content: withHeader(written, content) };
}

async function listObjects(root: Root, path: string): Promise<WorkspaceObject[]> {
  const entry = await requireObject(root, path);
  const entries = entry.kind === 'directory' ? await listEntries(root, entry.path) : [entry];
  const objects: WorkspaceObject[] = [];
  for (const each of entries) objects.push(await toWorkspaceObject(root, each));
  return objects;
}

async function exportObject(root: Root, path: string, maximum: number): Promise<StoredObject> {
  const entry = await requireObject(root, path);
  if (entry.kind === 'directory')
    throw invalid(`Path (${path}) is a directory; only notebooks and files can be exported.`);
  if (entry.size > maximum)
    throw invalid(`Path (${path}) has ${entry.size} bytes; at most ${maximum} can be exported.`);
  const content = await readBytes(root, entry.path, 0, maximum);
  if (content === undefined) throw notFound(path);
  const { path: shown, language } = await toWorkspaceObject(root, entry);
  return { content, path: shown, language, fileType: /[^/]\.([^./]+)$/.exec(entry.path)?.[1] ?? '' };
}

async function removeObject(roots: WorkspaceRoots, path: string, recursive: boolean): Promise<void> {
  const root = roots.workspace;
  const entry = await requireObject(root, path);
  const outcome = await removeEntry(root, entry.path, recursive);
  if (outcome === 'missing') throw notFound(path);
  if (outcome === 'not empty') {
    throw new ServiceError(
      'INVALID_STATE',
      `Path (${path}) is a directory that is not empty; set recursive to true to delete it with all it holds.`,
    );
  }
  await removeRevisions(roots, entry.path);
}

/** Finds the entry at a path, or the notebook that is named without its extension. */
async function findObject(root: Root, path: string): Promise<FileEntry | undefined> {
  const inside = normalizePath(root, path);
  const exact = await findEntry(root, inside);
  if (exact !== undefined) return exact;
  for (const candidate of notebookPaths(inside).slice(1)) {
    const entry = await findEntry(root, candidate);
    if (entry?.kind === 'file') return entry;
  }
  return undefined;
}

/** Finds the entry with exactly this path. A plain file whose name without extension matches is not one. */
async function findEntryShownAs(root: Root, path: string): Promise<FileEntry | undefined> {
  const entry = await findObject(root, path);
  return entry !== undefined && (await toWorkspaceObject(root, entry)).path === path ? entry : undefined;
}

async function requireObject(root: Root, path: string): Promise<FileEntry> {
  const entry = await findObject(root, path);
  if (entry === undefined) throw notFound(path);
  return entry;
}

async function toWorkspaceObject(root: Root, entry: FileEntry): Promise<WorkspaceObject> {
  const { path, size, createdAt, modifiedAt } = entry;
  const common = { path, size, createdAt, modifiedAt };
  if (entry.kind === 'directory') return { ...common, type: 'DIRECTORY', language: undefined };
  const language = notebookExtensions.some((extension) => path.toLowerCase().endsWith(extension))
    ? notebookLanguage(path, (await readBytes(root, path, 0, headerBytes)) ?? new Uint8Array())
    : undefined;
  if (language === undefined) return { ...common, type: 'FILE', language };
  const short = withoutExtension(path);
  return {
    ...common,
    type: 'NOTEBOOK',
    language,
    path: (await findObject(root, short))?.path === path ? short : path,
  };
}

function withExtension(path: string, extension: string): string {
  return path.toLowerCase().endsWith(extension) ? path : path + extension;
}

function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.[^./]+$/, '');
}

function notFound(path: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Path (${path}) doesn't exist.`);
}

function alreadyExists(path: string, rule: string): ServiceError {
  return new ServiceError('RESOURCE_ALREADY_EXISTS', `Path (${path}) already exists; ${rule}.`);
}
