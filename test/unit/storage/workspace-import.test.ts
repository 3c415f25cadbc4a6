/** Import into the workspace: stored files, existing paths, overwrite. */
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rejectionOf } from './test-roots.ts';
import { createTestWorkspace, notebook, pythonHeader } from './test-workspace.ts';

test.each([
  ['PYTHON', 'nb.py', pythonHeader],
  ['SQL', 'nb.sql', '-- Databricks notebook source\n'],
  ['JAVASCRIPT', 'nb.js', '// Databricks notebook source\n'],
  ['SCALA', 'nb.scala', '// Databricks notebook source\n'],
  ['R', 'nb.r', '# Databricks notebook source\n'],
] as const)(
  'import stores a %s notebook as %s with the header in its first line; its path has no extension',
  async (language, file, header) => {
    const { workspace, files, base } = await createTestWorkspace();
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
  ['an existing header is kept', { text: `${pythonHeader}x` }, 'nb.py', `${pythonHeader}x`],
  [
    'an existing header after a byte order mark is kept',
    { text: `\uFEFF${pythonHeader}x` },
    'nb.py',
    `\uFEFF${pythonHeader}x`,
  ],
  [
    'a byte order mark is removed before the header is added',
    { text: '\uFEFFx' },
    'nb.py',
    `${pythonHeader}x`,
  ],
  [
    'an existing header with CRLF is kept',
    { text: '# Databricks notebook source\r\nx' },
    'nb.py',
    '# Databricks notebook source\r\nx',
  ],
  [
    'the extension determines the language',
    { path: '/nb.sql', language: undefined, text: 'select 1' },
    'nb.sql',
    '-- Databricks notebook source\nselect 1',
  ],
  ['an extension in the path is not added again', { path: '/nb.py' }, 'nb.py', `${pythonHeader}print(1)\n`],
  [
    'an .ipynb file is stored unchanged',
    { format: 'JUPYTER', text: '{"cells":[]}' },
    'nb.ipynb',
    '{"cells":[]}',
  ],
  [
    'AUTO keeps the path and the bytes',
    { path: '/data.csv', format: 'AUTO', text: 'a,b' },
    'data.csv',
    'a,b',
  ],
] as const)('import: %s', async (_, changes, file, text) => {
  const { workspace, files, base } = await createTestWorkspace();
  await workspace.import(notebook('/nb', changes));
  expect(await files()).toEqual([file]);
  expect(await readFile(join(base, 'data/workspace', file), 'utf8')).toBe(text);
});

test('imported files are accessible to the user of the service only', async () => {
  const { workspace, base } = await createTestWorkspace();
  await workspace.import(notebook('/Users/nb'));
  const modes = await Promise.all(
    ['', 'Users', 'Users/nb.py'].map(
      async (path) => (await stat(join(base, 'data/workspace', path))).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600]);
});

test('import refuses a SOURCE notebook without a language or an extension', async () => {
  const { workspace } = await createTestWorkspace();
  expect(await rejectionOf(workspace.import(notebook('/nb', { language: undefined })))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining('Missing required field: language.'),
  });
});

test.each([
  ['the same notebook', notebook('/a/nb')],
  ['the notebook in another language', notebook('/a/nb', { language: 'SQL' })],
  ['a file with its name', notebook('/a/nb', { format: 'AUTO' })],
  ['the file that stores it', notebook('/a/nb.py', { format: 'AUTO' })],
])('import without overwrite refuses an existing path: %s', async (_, request) => {
  const { workspace, files } = await createTestWorkspace();
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
] as const)('overwrite replaces a notebook by %s and removes its old file', async (_, changes, left) => {
  const { workspace, files } = await createTestWorkspace();
  await workspace.import(notebook('/a/nb'));
  await workspace.import(notebook('/a/nb', { ...changes, overwrite: true, text: 'second' }));
  expect(await files('a')).toEqual(left);
  expect((await workspace.export('/a/nb')).content.toString()).toContain('second');
});

test('a plain file and a notebook whose names differ only in the extension are both kept', async () => {
  const { workspace, files } = await createTestWorkspace();
  await workspace.import(notebook('/nb.py', { format: 'AUTO' }));
  await workspace.import(notebook('/nb', { language: 'SQL' }));
  expect(await files()).toEqual(['nb.py', 'nb.sql']);
});

test('overwrite of notebooks imported with different extensions replaces only the same extension', async () => {
  const { workspace, files } = await createTestWorkspace();
  for (const language of ['PYTHON', 'SQL', 'PYTHON'] as const) {
    await workspace.import(
      notebook(language === 'SQL' ? '/nb.sql' : '/nb.py', { language, overwrite: true }),
    );
  }
  expect(await files()).toEqual(['nb.py', 'nb.sql']);
});

test('overwrite of a notebook next to a file with its new name replaces both', async () => {
  const { workspace, files } = await createTestWorkspace();
  await workspace.import(notebook('/nb.sql', { format: 'AUTO', text: 'plain' }));
  await workspace.import(notebook('/nb'));
  await workspace.import(notebook('/nb', { language: 'SQL', text: 'new', overwrite: true }));
  expect(await files()).toEqual(['nb.sql']);
  expect((await workspace.export('/nb')).content.toString()).toContain('new');
});

test.each([
  ['a notebook', notebook('/a', { overwrite: true })],
  ['a file', notebook('/a', { format: 'AUTO', overwrite: true })],
  ['the root directory', notebook('/', { overwrite: true })],
])('overwrite refuses to replace a directory by %s', async (_, request) => {
  const { workspace } = await createTestWorkspace();
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.import(request))).toMatchObject({
    code: 'RESOURCE_ALREADY_EXISTS',
    message: `Path (${request.path}) already exists; it is a directory.`,
  });
});

test('one of 20 concurrent imports of a path succeeds, and no temporary file is left', async () => {
  const { workspace, files } = await createTestWorkspace();
  const imports = await Promise.allSettled(
    Array.from({ length: 20 }, () => workspace.import(notebook('/a/nb'))),
  );
  expect(imports.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await files('a')).toEqual(['nb.py']);
});

test('import and mkdirs below a file are refused with the path of the file', async () => {
  const { workspace } = await createTestWorkspace();
  await workspace.import(notebook('/a', { format: 'AUTO' }));
  const message = 'Path (/a) cannot be a directory: it, or a folder above it, is a file.';
  expect(await rejectionOf(workspace.import(notebook('/a/nb')))).toMatchObject({
    code: 'RESOURCE_ALREADY_EXISTS',
    message,
  });
  expect(await rejectionOf(workspace.mkdirs('/a/b/c'))).toMatchObject({ code: 'RESOURCE_ALREADY_EXISTS' });
});

test('mkdirs creates the parents, accepts an existing directory, and refuses the path of a notebook', async () => {
  const { workspace } = await createTestWorkspace();
  await workspace.mkdirs('/a/b');
  await workspace.mkdirs('/a/b');
  expect(await workspace.getStatus('/a/b')).toMatchObject({ type: 'DIRECTORY', path: '/a/b' });
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.mkdirs('/a/nb'))).toMatchObject({ code: 'RESOURCE_ALREADY_EXISTS' });
});

test('import refuses paths that lead outside the workspace', async () => {
  const { workspace, base, putFile } = await createTestWorkspace();
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
