/** `runyard workspace ls|import|export|rm|mkdirs`: notebooks and files of the workspace. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, posix, sep } from 'node:path';
import { Type, type Static } from 'typebox';
import { messageOf } from '../../../engine/errors.ts';
import { confirm } from '../../client/confirm.ts';
import { formatTime } from '../../output/format-values.ts';
import { printRows, type OutputOptions } from '../../output/print-result.ts';
import { CommandError } from '../../start-error.ts';
import { printDiagnostic } from '../print-line.ts';
import { callService, queryOf } from '../service-client.ts';

const Nothing = Type.Object({});
const WorkspaceObject = Type.Object({
  path: Type.String(),
  object_type: Type.String(),
  language: Type.Optional(Type.String()),
  modified_at: Type.Optional(Type.Integer()),
});
type WorkspaceObject = Static<typeof WorkspaceObject>;
const Listed = Type.Object({ objects: Type.Optional(Type.Array(WorkspaceObject)) });
const Exported = Type.Object({ content: Type.String() });

/** Language of a notebook -> extension of its file. */
const extensions: Readonly<Record<string, string>> = {
  PYTHON: '.py',
  SQL: '.sql',
  JAVASCRIPT: '.js',
  SCALA: '.scala',
  R: '.r',
};

async function listFolder(path: string): Promise<WorkspaceObject[]> {
  const { objects = [] } = await callService(Listed, 'GET', `/workspace/list${queryOf({ path })}`);
  return objects;
}

/** Prints the objects of a folder. Resolves with the exit code. @throws CommandError */
export async function listWorkspace(path: string, options: OutputOptions): Promise<number> {
  printRows(
    await listFolder(path),
    [
      { title: 'TYPE', value: (one) => one.object_type },
      { title: 'LANGUAGE', value: (one) => one.language ?? '-' },
      { title: 'MODIFIED', value: (one) => formatTime(one.modified_at ?? 0) },
      { title: 'PATH', value: (one) => one.path },
    ],
    options,
    'The folder is empty.',
  );
  return 0;
}

/**
 * Stores a local file, or all files of a folder. Notebooks lose their extension, as everywhere in the workspace.
 * Resolves with the exit code. @throws CommandError
 */
export async function importWorkspace(
  from: string,
  to: string,
  { overwrite }: { readonly overwrite?: true },
): Promise<number> {
  const status = await stat(from).catch((error: unknown) => {
    throw new CommandError(`${from} cannot be read: ${messageOf(error)}.`);
  });
  const files = status.isDirectory()
    ? (await readdir(from, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [file, posix.join(to, file.slice(join(from).length).split(sep).join('/'))] as const)
    : [[from, to.endsWith('/') ? posix.join(to, basename(from)) : to] as const];
  for (const folder of new Set(files.map(([, path]) => posix.dirname(path))))
    await callService(Nothing, 'POST', '/workspace/mkdirs', { body: { path: folder } });
  for (const [file, path] of files) {
    const content = await readFile(file);
    await callService(Nothing, 'POST', '/workspace/import', {
      body: {
        path,
        content: content.toString('base64'),
        format: extname(file).toLowerCase() === '.ipynb' ? 'JUPYTER' : 'AUTO',
        overwrite: overwrite === true,
      },
    });
  }
  printDiagnostic(`Imported ${files.length === 1 ? '1 file' : `${files.length} files`}.`);
  return 0;
}

/** Writes a notebook, a file or a whole folder to this machine. Resolves with the exit code. @throws CommandError */
export async function exportWorkspace(
  from: string,
  to: string,
  { format }: { readonly format: string },
): Promise<number> {
  const object = await callService(WorkspaceObject, 'GET', `/workspace/get-status${queryOf({ path: from })}`);
  const objects = object.object_type === 'DIRECTORY' ? await listTree(object.path) : [object];
  for (const one of objects) {
    const isNotebook = one.object_type === 'NOTEBOOK';
    const { content } = await callService(
      Exported,
      'GET',
      `/workspace/export${queryOf({ path: one.path, format: isNotebook ? format : 'AUTO' })}`,
    );
    const target =
      object.object_type === 'DIRECTORY'
        ? join(to, ...one.path.slice(object.path.length).split('/')) +
          (isNotebook ? extensionOf(one, format) : '')
        : to;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, Buffer.from(content, 'base64'));
  }
  printDiagnostic(`Exported ${objects.length === 1 ? '1 object' : `${objects.length} objects`}.`);
  return 0;
}

async function listTree(path: string): Promise<WorkspaceObject[]> {
  const found: WorkspaceObject[] = [];
  for (const one of await listFolder(path))
    found.push(...(one.object_type === 'DIRECTORY' ? await listTree(one.path) : [one]));
  return found;
}

/** Returns the extension of an exported notebook, unless its name has one. */
function extensionOf({ path, language = '' }: WorkspaceObject, format: string): string {
  const extension =
    format === 'JUPYTER' ? '.ipynb' : format === 'HTML' ? '.html' : (extensions[language] ?? '');
  return path.endsWith(extension) ? '' : extension;
}

/** Removes an object. Resolves with the exit code. @throws CommandError */
export async function removeWorkspace(
  path: string,
  { recursive, yes }: { readonly recursive?: true; readonly yes?: true },
): Promise<number> {
  if (recursive === true && !(await confirm(`Remove ${path} with everything in it?`, yes))) return 1;
  await callService(Nothing, 'POST', '/workspace/delete', { body: { path, recursive: recursive === true } });
  return 0;
}

export async function makeWorkspaceFolder(path: string): Promise<number> {
  await callService(Nothing, 'POST', '/workspace/mkdirs', { body: { path } });
  return 0;
}
