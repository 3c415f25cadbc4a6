/** Files of managed_fs: put, read, list and delete, inside the root only. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ManagedFileStore } from '../../../engine/ports/files.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { rejectionOf, createTestRoots, type TestRoots } from './test-roots.ts';

async function fresh(): Promise<TestRoots & { files: ManagedFileStore }> {
  const tools = await createTestRoots();
  return { ...tools, files: createManagedFileStore(tools.roots) };
}

const bytes = (text: string): Buffer => Buffer.from(text);

test.each(['/a/b', 'managed_fs:/a/b', 'managed_fs:///a/b', 'dbfs:/a/b'])(
  'put to %s creates the file /a/b',
  async (path) => {
    const { files } = await fresh();
    await files.put(path, bytes('hello'), false);
    expect(await files.read('/a/b', 0, 100)).toEqual(bytes('hello'));
    expect(await files.getStatus(path)).toMatchObject({ path: '/a/b', kind: 'file', size: 5 });
    expect(await files.list('/a')).toMatchObject([{ path: '/a/b', kind: 'file', size: 5 }]);
  },
);

test.each([
  [0, 3, 'hel'],
  [2, 3, 'llo'],
  [3, 100, 'lo'],
  [5, 10, ''],
  [6, 10, ''],
  [0, 0, ''],
])('reading "hello" from byte %i on, %i bytes, gives "%s"', async (offset, length, expected) => {
  const { files } = await fresh();
  await files.put('/a', bytes('hello'), false);
  expect((await files.read('/a', offset, length)).toString()).toBe(expected);
});

test('put and read keep bytes that are not text', async () => {
  const { files } = await fresh();
  const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  await files.put('/a', all, false);
  expect(await files.read('/a', 0, 256)).toEqual(all);
});

test('put refuses an existing file without overwrite, and a directory always', async () => {
  const { files } = await fresh();
  await files.put('/d/a', bytes('1'), false);
  expect(await rejectionOf(files.put('/d/a', bytes('2'), false))).toMatchObject({
    code: 'RESOURCE_ALREADY_EXISTS',
    message: 'A file or directory already exists at the input path /d/a.',
  });
  await files.put('/d/a', bytes('3'), true);
  expect(await files.read('/d/a', 0, 9)).toEqual(bytes('3'));
  for (const overwrite of [false, true]) {
    expect(await rejectionOf(files.put('/d', bytes('4'), overwrite))).toMatchObject({
      code: 'RESOURCE_ALREADY_EXISTS',
    });
  }
});

test('readers see a complete file during concurrent puts, and no temporary file is left', async () => {
  const { files, base } = await fresh();
  const contents = Array.from({ length: 10 }, (_, index) => String(index).repeat(100_000));
  await files.put('/d/a', bytes(contents[0] ?? ''), false);
  const puts = Promise.all(contents.map((content) => files.put('/d/a', bytes(content), true)));
  for (let round = 0; round < 20; round += 1)
    expect(contents).toContain((await files.read('/d/a', 0, 200_000)).toString());
  await puts;
  expect(await readdir(join(base, 'data/managed_fs/d'))).toEqual(['a']);
  expect(await files.list('/d')).toHaveLength(1);
});

test('files and folders are accessible to the user of the service only', async () => {
  const { files, base } = await fresh();
  await files.put('/d/a', bytes('1'), false);
  await files.put('/d/a', bytes('2'), true);
  await files.mkdirs('/e/f');
  const modes = await Promise.all(
    ['', 'd', 'd/a', 'e', 'e/f'].map(
      async (path) => (await stat(join(base, 'data/managed_fs', path))).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o700, 0o700]);
});

test('delete removes a file, requires recursive for a directory that is not empty, and accepts a missing path', async () => {
  const { files } = await fresh();
  await files.put('/d/a', bytes('1'), false);
  expect(await rejectionOf(files.delete('/d', false))).toMatchObject({ code: 'INVALID_STATE' });
  await files.delete('/d/a', false);
  await files.delete('/d', false);
  await files.put('/d/e/a', bytes('1'), false);
  await files.delete('managed_fs:/d', true);
  await files.delete('/d', true);
  expect(await files.list('/')).toEqual([]);
});

test('delete of a link keeps its target', async () => {
  const { files, base, putFile } = await fresh();
  await putFile('outside/secret');
  await putFile('data/managed_fs/d/real');
  await symlink(join(base, 'outside'), join(base, 'data/managed_fs/d/out'));
  await symlink('real', join(base, 'data/managed_fs/d/in'));
  await files.delete('/d/out', true);
  await files.delete('/d/in', true);
  expect(await readdir(join(base, 'outside'))).toEqual(['secret']);
  expect(await readdir(join(base, 'data/managed_fs/d'))).toEqual(['real']);
});

test('calls with a missing path are refused with the path', async () => {
  const { files } = await fresh();
  const refusals = await Promise.all(
    [files.read('/x', 0, 1), files.getStatus('/x'), files.list('/x')].map(rejectionOf),
  );
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      code: 'RESOURCE_DOES_NOT_EXIST',
      message: 'No file or directory exists on path /x.',
    });
  }
});

test('read refuses a directory, and mkdirs refuses a file', async () => {
  const { files } = await fresh();
  await files.mkdirs('/d');
  await files.put('/f', bytes('1'), false);
  expect(await rejectionOf(files.read('/d', 0, 1))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: '/d is a directory; only a file can be read.',
  });
  expect(await rejectionOf(files.mkdirs('/f'))).toMatchObject({ code: 'RESOURCE_ALREADY_EXISTS' });
});

test('move takes a file or a directory with its contents, and creates the parent directories', async () => {
  const { files, base } = await fresh();
  await files.put('/a/b', bytes('1'), false);
  await files.put('/a/c/d', bytes('2'), false);
  await files.move('dbfs:/a/b', '/dbfs/new/place');
  await files.move('/a', '/x/y');
  expect(await files.read('/new/place', 0, 9)).toEqual(bytes('1'));
  expect(await files.read('/x/y/c/d', 0, 9)).toEqual(bytes('2'));
  expect(await readdir(join(base, 'data/managed_fs'))).toEqual(['new', 'x']);
});

test('move of a link moves the link and keeps its target', async () => {
  const { files, base, putFile } = await fresh();
  await putFile('data/managed_fs/d/real');
  await symlink('real', join(base, 'data/managed_fs/d/link'));
  await files.move('/d/link', '/d/moved');
  expect(await readdir(join(base, 'data/managed_fs/d'))).toEqual(['moved', 'real']);
});

test.each([
  ['/missing', '/b', 'RESOURCE_DOES_NOT_EXIST', 'No file or directory exists on path /missing.'],
  ['/f', '/g', 'RESOURCE_ALREADY_EXISTS', 'A file or directory already exists at the input path /g.'],
  ['/f', '/f', 'RESOURCE_ALREADY_EXISTS', 'A file or directory already exists at the input path /f.'],
  ['/f', '/d', 'RESOURCE_ALREADY_EXISTS', 'A file or directory already exists at the input path /d.'],
  ['/d', '/e', 'RESOURCE_ALREADY_EXISTS', 'A file or directory already exists at the input path /e.'],
  ['/d', '/f', 'RESOURCE_ALREADY_EXISTS', 'A file or directory already exists at the input path /f.'],
  ['/f', '/g/h', 'RESOURCE_ALREADY_EXISTS', 'it, or a folder above it, is a file.'],
  ['/d', '/d/in/it', 'INVALID_PARAMETER_VALUE', 'a directory cannot be moved into itself.'],
  ['/d', '/loop/it', 'INVALID_PARAMETER_VALUE', 'a directory cannot be moved into itself.'],
  ['/', '/x', 'INVALID_PARAMETER_VALUE', 'is the top of managed_fs itself'],
  ['/f', '/../x', 'INVALID_PARAMETER_VALUE', 'leads outside managed_fs.'],
  ['/out/x', '/x', 'INVALID_PARAMETER_VALUE', 'leads outside managed_fs.'],
  ['/f', '/out/x', 'INVALID_PARAMETER_VALUE', 'leads outside managed_fs.'],
])('move from %s to %s is refused', async (from, to, code, message) => {
  const { files, base, putFile } = await fresh();
  await putFile('outside/x');
  for (const path of ['f', 'g', 'd/in/deep', 'e/x']) await putFile(`data/managed_fs/${path}`);
  await symlink(join(base, 'outside'), join(base, 'data/managed_fs/out'));
  await symlink('d/in', join(base, 'data/managed_fs/loop'));
  expect(await rejectionOf(files.move(from, to))).toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  expect(await files.read('/f', 0, 9)).toEqual(bytes('data/mana'));
});

test('a named pipe is treated as a missing file and blocks no call', async () => {
  const { files, base } = await fresh();
  await mkdir(join(base, 'data/managed_fs'), { recursive: true });
  execFileSync('mkfifo', [join(base, 'data/managed_fs/pipe')]);
  expect(await rejectionOf(files.read('/pipe', 0, 1))).toMatchObject({ code: 'RESOURCE_DOES_NOT_EXIST' });
  expect(await files.list('/')).toEqual([]);
});

test.each([
  '/../runs/x',
  'managed_fs:/../x',
  '/dbfs/../../x',
  '/Volumes/../../x',
  '/link/x',
  '/a\0',
  'objstore://b/x',
  `/${'n'.repeat(256)}`,
])('%j is refused by every call', async (path) => {
  const { files, base, putFile } = await fresh();
  await putFile('outside/x');
  await mkdir(join(base, 'data/managed_fs'), { recursive: true });
  await symlink(join(base, 'outside'), join(base, 'data/managed_fs/link'));
  const refusals = await Promise.all(
    [
      files.put(path, bytes('1'), true),
      files.read(path, 0, 1),
      files.getStatus(path),
      files.list(path),
      files.delete(path, true),
      files.mkdirs(path),
    ].map(rejectionOf),
  );
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'INVALID_PARAMETER_VALUE' });
});
