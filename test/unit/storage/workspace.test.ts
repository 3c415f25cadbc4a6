/** Objects of the workspace: status, list, export, delete. */
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rejectionOf } from './test-roots.ts';
import { createTestWorkspace, notebook, pythonHeader } from './test-workspace.ts';

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
])('%s is listed with its type and language', async (_, path, text, shown) => {
  const { workspace } = await createTestWorkspace();
  await workspace.import(notebook(path, { format: 'AUTO', text }));
  expect(await workspace.getStatus(path)).toMatchObject({ ...shown, size: Buffer.byteLength(text) });
  expect(await workspace.list('/')).toMatchObject([shown]);
});

test('every listed path resolves to the listed object', async () => {
  const { workspace, putFile } = await createTestWorkspace();
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

test('an empty workspace has an empty root directory', async () => {
  const { workspace } = await createTestWorkspace();
  expect(await workspace.getStatus('/')).toMatchObject({ type: 'DIRECTORY', path: '/' });
  expect(await workspace.list('/Workspace')).toEqual([]);
});

test('export returns the stored file; list of a notebook returns the notebook', async () => {
  const { workspace } = await createTestWorkspace();
  await workspace.import(notebook('/a/nb', { text: 'x' }));
  expect(await workspace.export('/Workspace/a/nb')).toEqual({
    content: Buffer.from(`${pythonHeader}x`),
    fileType: 'py',
    path: '/a/nb',
    language: 'PYTHON',
  });
  expect(await workspace.list('/a/nb')).toMatchObject([{ path: '/a/nb' }]);
});

test('export refuses a directory and a file larger than the request limit', async () => {
  const { workspace, putFile } = await createTestWorkspace();
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

test('delete of a directory that is not empty requires recursive', async () => {
  const { workspace, files } = await createTestWorkspace();
  await workspace.import(notebook('/a/nb'));
  expect(await rejectionOf(workspace.delete('/a', false))).toMatchObject({ code: 'INVALID_STATE' });
  await workspace.delete('/a/nb', false);
  await workspace.delete('/a', false);
  await workspace.import(notebook('/b/c/nb'));
  await workspace.delete('/b', true);
  expect(await files()).toEqual([]);
});

test.each(['getStatus', 'list', 'export', 'delete'] as const)(
  '%s of a missing path is refused with the path',
  async (verb) => {
    const { workspace } = await createTestWorkspace();
    for (const path of ['/a/b', `/${'n'.repeat(255)}`]) {
      expect(await rejectionOf(workspace[verb](path, true))).toMatchObject({
        code: 'RESOURCE_DOES_NOT_EXIST',
        message: `Path (${path}) doesn't exist.`,
      });
    }
  },
);

test.each(['getStatus', 'list', 'export', 'delete', 'mkdirs'] as const)(
  '%s refuses paths that lead outside the workspace',
  async (verb) => {
    const { workspace, base, putFile } = await createTestWorkspace();
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

test('list omits links that lead outside and dangling links', async () => {
  const { workspace, base, putFile } = await createTestWorkspace();
  await putFile('data/workspace/a/file', 'x');
  await putFile('outside/secret');
  await symlink(join(base, 'outside/secret'), join(base, 'data/workspace/a/out'));
  await symlink(join(base, 'nothing'), join(base, 'data/workspace/a/dangling'));
  await symlink('file', join(base, 'data/workspace/a/in'));
  expect((await workspace.list('/a')).map(({ path }) => path)).toEqual(['/a/file', '/a/in']);
});

test('delete refuses the root directory', async () => {
  const { workspace } = await createTestWorkspace();
  expect(await rejectionOf(workspace.delete('/', true))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining('is the top of the workspace itself'),
  });
});
