/** Resolution of the files that tasks name, and the messages about missing ones. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPathResolver } from '../../../storage/files/path-resolver.ts';
import { rejectionOf, createTestRoots } from './test-roots.ts';

test.each([
  ['managed_fs:/jobs/a.py', 'data/managed_fs/jobs/a.py'],
  ['managed_fs:///jobs/a.py', 'data/managed_fs/jobs/a.py'],
  ['dbfs:/jobs/a.py', 'data/managed_fs/jobs/a.py'],
  ['objstore://bucket/jobs/a.py', 'data/objstore/bucket/jobs/a.py'],
  ['gs://bucket/jobs/a.py', 'data/objstore/bucket/jobs/a.py'],
  ['s3://bucket/jobs/a.py', 'data/objstore/bucket/jobs/a.py'],
  ['abfss://box@account.example/a.py', 'data/objstore/box@account.example/a.py'],
  ['/Users/u/a.py', 'data/workspace/Users/u/a.py'],
  ['/Workspace/Users/u/a.py', 'data/workspace/Users/u/a.py'],
  ['file:/Workspace/Users/u/a.py', 'data/workspace/Users/u/a.py'],
  ['/dbfs/jobs/a.py', 'data/managed_fs/jobs/a.py'],
  ['file:/dbfs/jobs/a.py', 'data/managed_fs/jobs/a.py'],
  ['/Volumes/main/default/v/a.py', 'data/managed_fs/Volumes/main/default/v/a.py'],
  ['dbfs:/Volumes/main/default/v/a.py', 'data/managed_fs/Volumes/main/default/v/a.py'],
  ['/Workspace/dbfs/a.py', 'data/workspace/dbfs/a.py'],
])('%s is the file %s', async (uri, file) => {
  const { roots, putFile } = await createTestRoots();
  const expected = await putFile(file);
  expect(await createPathResolver(roots)(uri, 'file')).toBe(expected);
});

test.each(['', 'file:', 'file://'])(
  'a path of this machine below an allowed root is found, as "%s/..."',
  async (scheme) => {
    const { roots, base, putFile } = await createTestRoots();
    const file = await putFile('allowed/team/a.py');
    expect(await createPathResolver(roots)(`${scheme}${join(base, 'allowed/team/a.py')}`, 'file')).toBe(file);
  },
);

test('an absolute path outside the allowed roots is searched only in the workspace', async () => {
  const { roots, base, putFile } = await createTestRoots();
  const outside = await putFile('outside/a.py');
  await putFile('allowed/b.py');
  const locate = createPathResolver(roots);
  expect(await rejectionOf(locate(outside, 'file'))).toMatchObject({ code: 'RESOURCE_DOES_NOT_EXIST' });
  expect(await rejectionOf(locate(`${base}/allowed/../outside/a.py`, 'file'))).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
  });
  expect(await rejectionOf(locate(`${base}/allowed-not/a.py`, 'file'))).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
  });
});

test('an allowed root goes before a mount point', async () => {
  const { roots } = await createTestRoots();
  const allowed = [{ directory: '/Volumes/data', title: 'the allowed root' }];
  const locate = createPathResolver({ ...roots, allowed });
  expect(await rejectionOf(locate('/Volumes/data/a.py', 'file'))).toMatchObject({
    message: 'File /Volumes/data/a.py was not found. Put it there and start the run again.',
  });
  expect(await rejectionOf(locate('/Volumes/main/a.py', 'file'))).toMatchObject({
    message:
      'File /Volumes/main/a.py was not found. Put it there with POST /api/2.0/managed_fs/put and start the run again.',
  });
});

test.each(['/dbfs/nb', '/Volumes/nb'])('the notebook %s is a notebook of the workspace', async (path) => {
  const { roots, putFile } = await createTestRoots();
  const notebook = await putFile(`data/workspace${path}.py`);
  expect(await createPathResolver(roots)(path, 'notebook')).toBe(notebook);
});

test('a notebook is not read from an allowed root', async () => {
  const { roots, base, putFile } = await createTestRoots();
  await putFile('allowed/nb.py');
  expect(await rejectionOf(createPathResolver(roots)(join(base, 'allowed/nb'), 'notebook'))).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
  });
});

test.each([
  ['py alone', ['nb.py'], 'nb.py'],
  ['each language', ['nb.sql', 'nb.py', 'nb.js', 'nb.ipynb', 'nb.scala', 'nb.r'], 'nb.py'],
  ['sql and js', ['nb.js', 'nb.sql'], 'nb.sql'],
  ['js and ipynb', ['nb.ipynb', 'nb.js'], 'nb.js'],
  ['the exact name', ['nb', 'nb.py'], 'nb'],
  ['a directory of that name', ['nb/inner.py', 'nb.py'], 'nb.py'],
  ['a language that is only kept', ['nb.scala'], 'nb.scala'],
])('a notebook is found without its extension where there is %s', async (_, files, found) => {
  const { roots, base, putFile } = await createTestRoots();
  for (const file of files) await putFile(`data/workspace/u/${file}`);
  expect(await createPathResolver(roots)('/Workspace/u/nb', 'notebook')).toBe(
    join(base, 'data/workspace/u', found),
  );
});

test('an extension is added only to paths of notebooks', async () => {
  const { roots, putFile } = await createTestRoots();
  await putFile('data/workspace/a.py');
  expect(await rejectionOf(createPathResolver(roots)('/a', 'file'))).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
  });
});

test.each([
  [
    'notebook',
    '/a/b',
    'Notebook /a/b was not found in the workspace (looked for /a/b, /a/b.py, /a/b.sql, /a/b.js, /a/b.ipynb, /a/b.scala, /a/b.r). ' +
      'Import it with POST /api/2.0/workspace/import and start the run again.',
  ],
  [
    'file',
    '/a/b.py',
    'File /a/b.py was not found in the workspace. ' +
      'Import it with POST /api/2.0/workspace/import, or name its directory in RUNYARD_ALLOWED_ROOTS, and start the run again.',
  ],
  [
    'file',
    'managed_fs:/x.jar',
    'File managed_fs:/x.jar was not found. Put it there with POST /api/2.0/managed_fs/put and start the run again.',
  ],
  [
    'file',
    'gs://b/x.jar',
    "File gs://b/x.jar was not found. Put it below objstore/b in the service's data directory and start the run again.",
  ],
  ['file', 'managed_fs:/', 'managed_fs:/ is a directory; a file is needed here.'],
] as const)('a %s that is missing is named with the way out: %s', async (what, uri, message) => {
  const { roots, base } = await createTestRoots();
  await mkdir(join(base, 'data/managed_fs'), { recursive: true });
  expect(await rejectionOf(createPathResolver(roots)(uri, what))).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
    message,
  });
});

test('a notebook name of the maximum length is searched without an extension', async () => {
  const { roots } = await createTestRoots();
  const refusal = await rejectionOf(createPathResolver(roots)(`/${'n'.repeat(251)}`, 'notebook'));
  expect(refusal).toMatchObject({
    code: 'RESOURCE_DOES_NOT_EXIST',
    message: expect.stringMatching(/n\.py, .*n\.js, \/n+\.r\)/),
  });
});

test.each([
  ['managed_fs:/../runs/1/spec.json', 'leads outside managed_fs'],
  ['dbfs:/a/../../x', 'leads outside managed_fs'],
  ['objstore://bucket/../../managed_fs/x', 'leads outside its bucket'],
  ['objstore://bucket/../other/x', 'leads outside its bucket'],
  ['s3://../managed_fs/x', 'names no bucket: it must be objstore://<bucket>/<path>'],
  ['objstore:///x', 'names no bucket: it must be objstore://<bucket>/<path>'],
  ['/Users/../../postgres/data/x', 'leads outside the workspace'],
  ['file:/../../etc/passwd', 'leads outside the workspace'],
  [
    'relative.py',
    'must be a workspace path that begins with a slash, or begin with managed_fs:/, objstore:// or file:/',
  ],
  [
    'https://example.com/a.py',
    'must be a workspace path that begins with a slash, or begin with managed_fs:/, objstore:// or file:/',
  ],
])('%s is refused with the path as written', async (uri, reason) => {
  const { roots } = await createTestRoots();
  expect(await rejectionOf(createPathResolver(roots)(uri, 'file'))).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: `The path "${uri}" ${reason}.`,
  });
});

test.each([
  ['managed_fs:/link', 'data/managed_fs/link'],
  ['objstore://bucket/link', 'data/objstore/bucket/link'],
  ['objstore://link/secret', 'data/objstore/link'],
  ['/link', 'data/workspace/link'],
])('a link that leads outside is not followed: %s', async (uri, link) => {
  const { roots, base, putFile } = await createTestRoots();
  await putFile('outside/secret');
  await putFile(join(link, '..', 'something'));
  await symlink(join(base, uri.endsWith('secret') ? 'outside' : 'outside/secret'), join(base, link));
  const refusal = await rejectionOf(createPathResolver(roots)(uri, 'file'));
  expect(refusal).toMatchObject({
    code: 'INVALID_PARAMETER_VALUE',
    message: expect.stringContaining('leads outside'),
  });
  expect(String(refusal)).not.toContain(base);
});
