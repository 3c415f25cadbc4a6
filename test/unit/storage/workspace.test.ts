/** The workspace: what is imported, how it is found and shown, and how it goes. */
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorkspaceImport, WorkspaceStore } from '../../../engine/ports/files.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import { rejectionOf, createTestRoots, type TestRoots } from './test-roots.ts';

const pythonHeader = '# Databricks notebook source\n';

async function fresh(): Promise<
  TestRoots & { workspace: WorkspaceStore; files(folder?: string): Promise<string[]> }
> {
  const tools = await createTestRoots();
  return {
    ...tools,
    workspace: createWorkspaceStore(tools.roots, { requestBytes: 1_000 }),
    files: async (folder = '') => (await readdir(join(tools.base, 'data/workspace', folder))).sort(),
  };
}

function notebook(path: string, changes: Partial<WorkspaceImport> & { text?: string } = {}): WorkspaceImport {
  const { text = 'print(1)\n', ...rest } = changes;
  return {
    path,
    content: Buffer.from(text),
    format: 'SOURCE',
    language: 'PYTHON',
    overwrite: false,
    ...rest,
  };
}

test.each([
  ['PYTHON', 'nb.py', pythonHeader],
  ['SQL', 'nb.sql', '-- Databricks notebook source\n'],
  ['JAVASCRIPT', 'nb.js', '// Databricks notebook source\n'],
  ['SCALA', 'nb.scala', '// Databricks notebook source\n'],
  ['R', 'nb.r', '# Databricks notebook source\n'],
] as const)(
  'a %s notebook is kept as %s with the header in its first line, and found without extension',
  async (language, file, header) => {
    const { workspace, files, base } = await fresh();
    await workspace.import(notebook('/Users/u/nb', { language, text: 'x' }));
    expect(await files('Users/u')).toEqual([file]);
    expect(await readFile(join(base, 'data/workspace/Users/u', file), 'utf8')).toBe(`${header}x`);
    const shown = { type: 'NOTEBOOK', path: '/Users/u/nb', language };
    expect(await workspace.getStatus('/Workspace/Users/u/nb')).toMatchObject(shown);
    expect(await workspace.getStatus(`/Users/u/${file}`)).toMatchObject(shown);
    expect(await workspace.list('/Users/u')).toMatchObject([shown]);
  },
);

test.each([
  ['a header that is there stays the only one', { text: `${pythonHeader}x` }, 'nb.py', `${pythonHeader}x`],
  [
    'a header behind a byte order mark counts',
    { text: `\uFEFF${pythonHeader}x` },
    'nb.py',
    `\uFEFF${pythonHeader}x`,
  ],
  ['no byte order mark stands behind the header', { text: '\uFEFFx' }, 'nb.py', `${pythonHeader}x`],
  [
    'a header with other line ends counts',
    { text: '# Databricks notebook source\r\nx' },
    'nb.py',
    '# Databricks notebook source\r\nx',
  ],
  [
    'the extension says the language',
    { path: '/nb.sql', language: undefined, text: 'select 1' },
    'nb.sql',
    '-- Databricks notebook source\nselect 1',
  ],
  ['the extension is not written twice', { path: '/nb.py' }, 'nb.py', `${pythonHeader}print(1)\n`],
  ['an .ipynb is kept as it is', { format: 'JUPYTER', text: '{"cells":[]}' }, 'nb.ipynb', '{"cells":[]}'],
  [
    'AUTO keeps the path and the bytes',
    { path: '/data.csv', format: 'AUTO', text: 'a,b' },
    'data.csv',
    'a,b',
  ],
] as const)('import: %s', async (_, changes, file, text) => {
  const { workspace, files, base } = await fresh();
  await workspace.import(notebook('/nb', changes));
  expect(await files()).toEqual([file]);
  expect(await readFile(join(base, 'data/workspace', file), 'utf8')).toBe(text);
});

test('what is imported is for the user of the service alone', async () => {
  const { workspace, base } = await fresh();
  await workspace.import(notebook('/Users/nb'));
  const modes = await Promise.all(
    ['', 'Users', 'Users/nb.py'].map(
      async (path) => (await stat(join(base, 'data/workspace', path))).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600]);
});

test('a SOURCE notebook of which nothing tells the language is refused', async () => {
  const { workspace } = await fresh();
  expect(await rejectionOf(workspace.import(notebook('/nb', { language: undefined })))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining('Missing required field: language.'),
  });
});

test.each([
  [
    'a file with the header',
    '/a.py',
    `${pythonHeader}x`,
    { type: 'NOTEBOOK', path: '/a', language: 'PYTHON' },
  ],
  ['a plain Python file', '/a.py', 'x', { type: 'FILE', path: '/a.py', language: undefined }],
  ['a file that is shorter than a header', '/a.sql', '', { type: 'FILE', path: '/a.sql' }],
  ['the header of another language', '/a.sql', `${pythonHeader}x`, { type: 'FILE', path: '/a.sql' }],
  ['the header in the second line', '/a.py', `\n${pythonHeader}`, { type: 'FILE', path: '/a.py' }],
  ['a Jupyter file', '/a.ipynb', '{}', { type: 'NOTEBOOK', path: '/a', language: 'PYTHON' }],
  ['any other file', '/a', `${pythonHeader}x`, { type: 'FILE', path: '/a' }],
])('%s is shown for what it is', async (_, path, text, shown) => {
  const { workspace } = await fresh();
  await workspace.import(notebook(path, { format: 'AUTO', text }));
  expect(await workspace.getStatus(path)).toMatchObject({ ...shown, size: Buffer.byteLength(text) });
  expect(await workspace.list('/')).toMatchObject([shown]);
});

test('every path that is shown leads back to its object', async () => {
  const { workspace, putFile } = await fresh();
  for (const file of ['nb.py', 'two.py', 'two.sql', 'dir.py', 'dir/x', 'plain', 'plain.py']) {
    await putFile(
      `data/workspace/${file}`,
      `${file.endsWith('.sql') ? '--' : '#'} Databricks notebook source\n${file}`,
    );
  }
  const objects = await workspace.list('/');
  expect(objects.map(({ path }) => path)).toEqual([
    '/dir',
    '/dir.py',
    '/nb',
    '/plain',
    '/plain.py',
    '/two',
    '/two.sql',
  ]);
  for (const object of objects) expect(await workspace.getStatus(object.path)).toEqual(object);
});

test.each([
  ['the same notebook', notebook('/a/nb')],
  ['the notebook in another language', notebook('/a/nb', { language: 'SQL' })],
  ['a file of its name', notebook('/a/nb', { format: 'AUTO' })],
  ['the file that it is kept in', notebook('/a/nb.py', { format: 'AUTO' })],
])('a taken path is refused without overwrite: %s', async (_, request) => {
  const { workspace, files } = await fresh();
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.import(request))).toMatchObject({
    code: 'RESOURCE_ALREADY_EXISTS',
    message: `Path (${request.path}) already exists; set overwrite to true to replace it.`,
  });
  expect(await files('a')).toEqual(['nb.py']);
});

test.each([
  ['the same language', { language: 'PYTHON' }, ['nb.py']],
  ['another language', { language: 'SQL' }, ['nb.sql']],
  ['a plain file', { format: 'AUTO' }, ['nb']],
] as const)('overwrite replaces a notebook by %s and leaves nothing of it', async (_, changes, left) => {
  const { workspace, files } = await fresh();
  await workspace.import(notebook('/a/nb'));
  await workspace.import(notebook('/a/nb', { ...changes, overwrite: true, text: 'second' }));
  expect(await files('a')).toEqual(left);
  expect((await workspace.export('/a/nb')).content.toString()).toContain('second');
});

test('overwriting a plain file leaves the notebook of the same beginning alone', async () => {
  const { workspace, files } = await fresh();
  await workspace.import(notebook('/nb.py', { format: 'AUTO' }));
  await workspace.import(notebook('/nb', { language: 'SQL' }));
  expect(await files()).toEqual(['nb.py', 'nb.sql']);
});

test('notebooks that are named with their extension do not replace one another', async () => {
  const { workspace, files } = await fresh();
  for (const language of ['PYTHON', 'SQL', 'PYTHON'] as const) {
    await workspace.import(
      notebook(language === 'SQL' ? '/nb.sql' : '/nb.py', { language, overwrite: true }),
    );
  }
  expect(await files()).toEqual(['nb.py', 'nb.sql']);
});

test('a replaced notebook is what its path leads to, whatever files stood around it', async () => {
  const { workspace, files } = await fresh();
  await workspace.import(notebook('/nb.sql', { format: 'AUTO', text: 'plain' }));
  await workspace.import(notebook('/nb'));
  await workspace.import(notebook('/nb', { language: 'SQL', text: 'new', overwrite: true }));
  expect(await files()).toEqual(['nb.sql']);
  expect((await workspace.export('/nb')).content.toString()).toContain('new');
});

test.each([
  ['a notebook', notebook('/a', { overwrite: true })],
  ['a file', notebook('/a', { format: 'AUTO', overwrite: true })],
  ['the top', notebook('/', { overwrite: true })],
])('a directory is never overwritten by %s', async (_, request) => {
  const { workspace } = await fresh();
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.import(request))).toMatchObject({
    code: 'RESOURCE_ALREADY_EXISTS',
    message: `Path (${request.path}) already exists; it is a directory.`,
  });
});

test('of many imports of one path at once exactly one succeeds, and no draft is left', async () => {
  const { workspace, files } = await fresh();
  const imports = await Promise.allSettled(
    Array.from({ length: 20 }, () => workspace.import(notebook('/a/nb'))),
  );
  expect(imports.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await files('a')).toEqual(['nb.py']);
});

test('a file in the way of a folder is refused by its path', async () => {
  const { workspace } = await fresh();
  await workspace.import(notebook('/a', { format: 'AUTO' }));
  const message = 'Path (/a) cannot be a directory: it, or a folder above it, is a file.';
  expect(await rejectionOf(workspace.import(notebook('/a/nb')))).toMatchObject({
    code: 'RESOURCE_ALREADY_EXISTS',
    message,
  });
  expect(await rejectionOf(workspace.mkdirs('/a/b/c'))).toMatchObject({ code: 'RESOURCE_ALREADY_EXISTS' });
});

test('directories are made with those above, once and again, but not over a notebook', async () => {
  const { workspace } = await fresh();
  await workspace.mkdirs('/a/b');
  await workspace.mkdirs('/a/b');
  expect(await workspace.getStatus('/a/b')).toMatchObject({ type: 'DIRECTORY', path: '/a/b' });
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.mkdirs('/a/nb'))).toMatchObject({ code: 'RESOURCE_ALREADY_EXISTS' });
});

test('an empty workspace has a top and nothing in it', async () => {
  const { workspace } = await fresh();
  expect(await workspace.getStatus('/')).toMatchObject({ type: 'DIRECTORY', path: '/' });
  expect(await workspace.list('/Workspace')).toEqual([]);
});

test('an export answers with what is kept, and a list of a notebook with itself', async () => {
  const { workspace } = await fresh();
  await workspace.import(notebook('/a/nb', { text: 'x' }));
  expect(await workspace.export('/Workspace/a/nb')).toEqual({
    content: Buffer.from(`${pythonHeader}x`),
    fileType: 'py',
  });
  expect(await workspace.list('/a/nb')).toMatchObject([{ path: '/a/nb' }]);
});

test('a directory and what is larger than a request cannot be exported', async () => {
  const { workspace, putFile } = await fresh();
  await putFile('data/workspace/a/big', 'x'.repeat(1_001));
  expect(await rejectionOf(workspace.export('/a'))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining('is a directory'),
  });
  expect(await rejectionOf(workspace.export('/a/big'))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: 'Path (/a/big) has 1001 bytes; at most 1000 can be exported.',
  });
});

test('a directory that is not empty goes only with recursive', async () => {
  const { workspace, files } = await fresh();
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.delete('/a', false))).toMatchObject({ code: 'INVALID_STATE' });
  await workspace.delete('/a/nb', false);
  await workspace.delete('/a', false);
  await workspace.import(notebook('/b/c/nb'));
  await workspace.delete('/b', true);
  expect(await files()).toEqual([]);
});

test.each(['getStatus', 'list', 'export', 'delete'] as const)(
  '%s of a missing path is refused by its name',
  async (verb) => {
    const { workspace } = await fresh();
    for (const path of ['/a/b', `/${'n'.repeat(255)}`]) {
      expect(await rejectionOf(workspace[verb](path, true))).toMatchObject({
        code: 'RESOURCE_DOES_NOT_EXIST',
        message: `Path (${path}) doesn't exist.`,
      });
    }
  },
);

test.each(['getStatus', 'list', 'export', 'delete', 'mkdirs'] as const)(
  '%s does not leave the workspace',
  async (verb) => {
    const { workspace, base, putFile } = await fresh();
    const secret = await putFile('outside/secret.py');
    await mkdir(join(base, 'data/workspace'), { recursive: true });
    await symlink(join(base, 'outside'), join(base, 'data/workspace/link'));
    for (const path of ['/../../outside/secret.py', '/link/secret.py', '/link/secret', '/a\0b']) {
      expect(await rejectionOf(workspace[verb](path, true))).toMatchObject({
        code: 'INVALID_PARAMETER_VALUE',
      });
    }
    expect(await readFile(secret, 'utf8')).toBe('outside/secret.py');
  },
);

test('an import does not leave the workspace', async () => {
  const { workspace, base, putFile } = await fresh();
  const secret = await putFile('outside/secret.py');
  await mkdir(join(base, 'data/workspace'), { recursive: true });
  await symlink(join(base, 'outside'), join(base, 'data/workspace/link'));
  await symlink(secret, join(base, 'data/workspace/file.py'));
  for (const path of ['/../x', '/link/x', '/link/secret', '/file']) {
    expect(await rejectionOf(workspace.import(notebook(path, { overwrite: true })))).toMatchObject({
      code: 'INVALID_PARAMETER_VALUE',
    });
  }
  expect(await readdir(join(base, 'outside'))).toEqual(['secret.py']);
});

test('a list leaves out links that lead outside and what is no file', async () => {
  const { workspace, base, putFile } = await fresh();
  await putFile('data/workspace/a/file', 'x');
  await putFile('outside/secret');
  await symlink(join(base, 'outside/secret'), join(base, 'data/workspace/a/out'));
  await symlink(join(base, 'nothing'), join(base, 'data/workspace/a/dangling'));
  await symlink('file', join(base, 'data/workspace/a/in'));
  expect((await workspace.list('/a')).map(({ path }) => path)).toEqual(['/a/file', '/a/in']);
});

test('deleting the top is refused', async () => {
  const { workspace } = await fresh();
  expect(await rejectionOf(workspace.delete('/', true))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining('is the top of the workspace itself'),
  });
});
