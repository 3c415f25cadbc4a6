/** Resolution of paths inside a root; refusals repeat the path as the caller wrote it. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { normalizePath, resolveInside, resolveEntryInside } from '../../../storage/files/roots.ts';
import { rejectionOf, createTestRoots } from './test-roots.ts';

test.each([
  ['/a/b', '/a/b'],
  ['/', '/'],
  ['//a///b/', '/a/b'],
  ['/a/./b', '/a/b'],
  ['/a/../b', '/b'],
  ['/Workspace/a', '/a'],
  ['/Workspace', '/'],
  ['/Workspace/Workspace/a', '/a'],
  ['/x/../Workspace/a', '/a'],
  ['/Workspaces/a', '/Workspaces/a'],
  ['/a/Workspace', '/a/Workspace'],
  // Names are used as given and not decoded again.
  ['/%2e%2e/%2e%2e/etc', '/%2e%2e/%2e%2e/etc'],
  ['/..%2fetc', '/..%2fetc'],
  ['/..\\..\\etc', '/..\\..\\etc'],
  ['/．．/etc', '/．．/etc'],
  ['/.../a', '/.../a'],
  ['/..a/b..', '/..a/b..'],
])('the workspace path %s is %s', async (written, path) => {
  const { roots } = await createTestRoots();
  expect(normalizePath(roots.workspace, written)).toBe(path);
});

test.each([
  ['/a', '/a'],
  ['managed_fs:/a', '/a'],
  ['managed_fs:///a/b', '/a/b'],
  ['dbfs:/a', '/a'],
  ['/dbfs', '/'],
  ['/dbfs/a', '/a'],
  ['dbfs:/dbfs/a', '/a'],
  ['/x/../dbfs/a', '/a'],
  ['file:/dbfs/a', '/a'],
  ['/Volumes/main/v/a', '/Volumes/main/v/a'],
  ['file:/Volumes/main/v/a', '/Volumes/main/v/a'],
  ['/dbfs/Volumes/main/v/a', '/Volumes/main/v/a'],
])('the managed_fs path %s is %s', async (written, path) => {
  const { roots } = await createTestRoots();
  expect(normalizePath(roots.managedFs, written)).toBe(path);
});

const name256 = 'n'.repeat(256);
test.each([
  ['climbs out', '/..', 'The path "/.." leads outside the workspace.'],
  [
    'climbs out from below',
    '/a/b/../../../etc/passwd',
    'The path "/a/b/../../../etc/passwd" leads outside the workspace.',
  ],
  [
    'climbs out behind its own name',
    '/Workspace/../../etc',
    'The path "/Workspace/../../etc" leads outside the workspace.',
  ],
  ['holds a null byte', '/a\0.py', String.raw`The path "/a\u0000.py" must not hold a null byte.`],
  ['is relative', 'a/b', 'The path "a/b" must begin with a slash.'],
  ['is empty', '', 'The path "" must begin with a slash.'],
  ['is of another root', 'managed_fs:/a', 'The path "managed_fs:/a" must begin with a slash.'],
  [
    'has a very long name',
    `/${name256}`,
    `The path "/${'n'.repeat(78)}... has a name of more than 255 bytes.`,
  ],
  [
    'has a name that is long in bytes',
    `/${'é'.repeat(128)}`,
    `The path "/${'é'.repeat(78)}... has a name of more than 255 bytes.`,
  ],
])('a path that %s is refused', async (_, path, message) => {
  const { roots } = await createTestRoots();
  expect(await rejectionOf(resolveInside(roots.workspace, path))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message,
  });
});

test.each([
  ['longer than any path', 'deep/'.repeat(2_000), 'has more than 4096 bytes.'],
  ['too long together with its root', 'deep/'.repeat(819), 'is too long.'],
])('a path that is %s is refused as such', async (_, path, reason) => {
  const { roots } = await createTestRoots();
  expect(await rejectionOf(resolveInside(roots.workspace, `/${path}`))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining(reason),
  });
});

test('a path is accepted although its target or its root does not exist', async () => {
  const { roots, base } = await createTestRoots();
  expect(await resolveInside(roots.workspace, '/a/b/c')).toBe(join(base, 'data/workspace/a/b/c'));
});

test('a path below a file is accepted, because it leads nowhere', async () => {
  const { roots, putFile } = await createTestRoots();
  const file = await putFile('data/workspace/a');
  expect(await resolveInside(roots.workspace, '/a/b')).toBe(join(file, 'b'));
});

test('a root is not part of another root whose name is its prefix', async () => {
  const { roots, base, putFile } = await createTestRoots();
  await putFile('data/workspace/a');
  await putFile('data/workspace-of-another-user/secret');
  await symlink(join(base, 'data/workspace-of-another-user'), join(base, 'data/workspace/link'));
  expect(await rejectionOf(resolveInside(roots.workspace, '/link/secret'))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
  });
});

test('a root behind a symbolic link is accepted', async () => {
  const { roots, base } = await createTestRoots();
  await mkdir(join(base, 'disk'));
  await mkdir(join(base, 'data'));
  await symlink(join(base, 'disk'), join(base, 'data/workspace'));
  expect(await resolveInside(roots.workspace, '/a')).toBe(join(base, 'disk/a'));
});

test.each([
  ['a link to a file outside', 'file', 'leads outside the workspace'],
  ['a file behind a link to a directory outside', 'folder/secret', 'leads outside the workspace'],
  ['a new file behind a link to a directory outside', 'folder/new/file', 'leads outside the workspace'],
  ['a link to a file outside that does not exist yet', 'dangling', 'holds a link that leads nowhere'],
  ['what is behind a link to nothing', 'dangling/x', 'holds a link that leads nowhere'],
  ['a link to itself', 'loop', 'holds a link that leads back to itself'],
  ['a link that leaves by a relative path', 'relative', 'leads outside the workspace'],
])('%s is refused and the message does not tell where it leads', async (_, path, reason) => {
  const { roots, base, putFile } = await createTestRoots();
  await putFile('outside/secret');
  await putFile('data/workspace/inside');
  const links = {
    file: join(base, 'outside/secret'),
    folder: join(base, 'outside'),
    dangling: join(base, 'outside/nothing'),
    loop: 'loop',
    relative: '../../outside/secret',
  };
  for (const [name, target] of Object.entries(links))
    await symlink(target, join(base, 'data/workspace', name));
  const refusal = await rejectionOf(resolveInside(roots.workspace, `/${path}`));
  expect(refusal).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: `The path "/${path}" ${reason}.`,
  });
  expect(String(refusal)).not.toContain(base);
});

test('a link to a target inside the root is followed', async () => {
  const { roots, base, putFile } = await createTestRoots();
  const file = await putFile('data/workspace/real/file');
  await symlink(join(base, 'data/workspace/real'), join(base, 'data/workspace/link'));
  expect(await resolveInside(roots.workspace, '/link/file')).toBe(file);
});

test('a link as the entry itself is checked without being followed', async () => {
  const { roots, base, putFile } = await createTestRoots();
  await putFile('outside/secret');
  await putFile('data/workspace/a/file');
  const link = join(base, 'data/workspace/a/link');
  await symlink(join(base, 'outside/secret'), link);
  expect(await resolveEntryInside(roots.workspace, '/a/link')).toBe(link);
});

test.each(['/', '/Workspace', '/a/..', '//.'])('the root is refused as an entry: %j', async (path) => {
  const { roots } = await createTestRoots();
  expect(await rejectionOf(resolveEntryInside(roots.workspace, path))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: `The path "${path}" is the top of the workspace itself, which stays as it is.`,
  });
});
