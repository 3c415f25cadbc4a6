/** Streaming uploads to managed_fs: handles, blocks, expiry, and the file that appears on close. */
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ManagedFileStore } from '../../../engine/ports/files.ts';
import { undefinedIfMissing } from '../../../engine/read-file.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { createUploads, type Uploads } from '../../../storage/files/uploads.ts';
import { eventually } from '../../harness/eventually.ts';
import { createManualClock, type ManualClock } from '../../harness/manual-clock.ts';
import { rejectionOf, createTestRoots, type TestRoots } from './test-roots.ts';

const [alice, bob] = [1, 2];
const minuteMs = 60_000;

interface Fixture extends TestRoots {
  readonly files: ManagedFileStore;
  readonly uploads: Uploads;
  readonly clock: ManualClock;
  /** Returns the names of stored drafts. */
  drafts(): Promise<string[]>;
}

async function fresh(maximum?: number): Promise<Fixture> {
  const tools = await createTestRoots();
  const clock = createManualClock();
  const uploads = createUploads(tools.roots, clock, maximum);
  return {
    ...tools,
    clock,
    uploads,
    files: createManagedFileStore(tools.roots),
    drafts: async () => (await readdir(tools.roots.uploads.directory).catch(undefinedIfMissing)) ?? [],
  };
}

const bytes = (text: string): Buffer => Buffer.from(text);

test.each(['/a/b', 'managed_fs:/a/b', 'dbfs:/a/b', '/dbfs/a/b'])(
  'an upload to %s appears as /a/b when it is closed, with all blocks in order',
  async (path) => {
    const { uploads, files, drafts } = await fresh();
    const handle = await uploads.create(alice, path, false);
    expect(handle).toSatisfy(Number.isSafeInteger);
    await Promise.all(
      ['one ', 'two ', 'three'].map((block) => uploads.addBlock(alice, handle, bytes(block))),
    );
    expect(await rejectionOf(files.getStatus('/a/b'))).toMatchObject({ code: 'RESOURCE_DOES_NOT_EXIST' });
    await uploads.close(alice, handle);
    expect((await files.read('/a/b', 0, 100)).toString()).toBe('one two three');
    expect(await drafts()).toEqual([]);
  },
);

test('an upload without a block is an empty file', async () => {
  const { uploads, files } = await fresh();
  await uploads.close(alice, await uploads.create(alice, '/empty', false));
  expect(await files.getStatus('/empty')).toMatchObject({ kind: 'file', size: 0 });
});

test('create refuses an existing file without overwrite, and a directory always', async () => {
  const { uploads, files, drafts } = await fresh();
  await files.put('/d/a', bytes('old'), false);
  for (const [path, overwrite] of [
    ['/d/a', false],
    ['/d', false],
    ['/d', true],
  ] as const)
    expect(await rejectionOf(uploads.create(alice, path, overwrite))).toMatchObject({
      code: 'RESOURCE_ALREADY_EXISTS',
      message: `A file or directory already exists at the input path ${path}.`,
    });
  expect(await drafts()).toEqual([]);
  const handle = await uploads.create(alice, '/d/a', true);
  await uploads.addBlock(alice, handle, bytes('new'));
  expect((await files.read('/d/a', 0, 9)).toString()).toBe('old');
  await uploads.close(alice, handle);
  expect((await files.read('/d/a', 0, 9)).toString()).toBe('new');
});

test('of two uploads to one path without overwrite, the second to close is refused', async () => {
  const { uploads, files, drafts } = await fresh();
  const [first, second] = [await uploads.create(alice, '/a', false), await uploads.create(bob, '/a', false)];
  await uploads.addBlock(alice, first, bytes('1'));
  await uploads.addBlock(bob, second, bytes('2'));
  await uploads.close(bob, second);
  expect(await rejectionOf(uploads.close(alice, first))).toMatchObject({ code: 'RESOURCE_ALREADY_EXISTS' });
  expect((await files.read('/a', 0, 9)).toString()).toBe('2');
  expect(await drafts()).toEqual([]);
});

test.each(['/', '/../x', 'objstore://b/x', 'relative', `/${'n'.repeat(256)}`])(
  'create refuses the path %s',
  async (path) => {
    const { uploads } = await fresh();
    expect(await rejectionOf(uploads.create(alice, path, true))).toMatchObject({
      code: 'INVALID_PARAMETER_VALUE',
    });
  },
);

/** What is told about a handle that is not open. */
const notOpen = (handle: number): object => ({
  code: 'RESOURCE_DOES_NOT_EXIST',
  message:
    `No upload is open with the handle ${handle}. A handle ends when it is closed, 10 minutes after its last block, ` +
    'and when the service stops; it is known only to the engine and the user that opened it. ' +
    'Start the upload again with managed_fs/create.',
});

test('a handle that is unknown, closed, or of another user is refused', async () => {
  const { uploads, files } = await fresh();
  const handle = await uploads.create(alice, '/a', false);
  for (const [user, wrong] of [
    [bob, handle],
    [alice, handle + 1],
  ] as const) {
    expect(await rejectionOf(uploads.addBlock(user, wrong, bytes('x')))).toMatchObject(notOpen(wrong));
    expect(await rejectionOf(uploads.close(user, wrong))).toMatchObject(notOpen(wrong));
  }
  await uploads.close(alice, handle);
  expect(await rejectionOf(uploads.close(alice, handle))).toMatchObject(notOpen(handle));
  expect(await files.getStatus('/a')).toMatchObject({ size: 0 });
});

test('a handle expires 10 minutes after its last block, and its data is deleted', async () => {
  const { uploads, clock, drafts } = await fresh();
  const handle = await uploads.create(alice, '/a', false);
  clock.advance(9 * minuteMs);
  await uploads.addBlock(alice, handle, bytes('x'));
  clock.advance(9 * minuteMs);
  await uploads.addBlock(alice, handle, bytes('y'));
  clock.advance(10 * minuteMs);
  expect(await rejectionOf(uploads.addBlock(alice, handle, bytes('z')))).toMatchObject(notOpen(handle));
  await eventually(drafts, { until: (names) => names.length === 0 });
});

test('a stop of the service ends every upload and deletes its data', async () => {
  const { uploads, roots, clock, drafts } = await fresh();
  const handle = await uploads.create(alice, '/a', false);
  await uploads.addBlock(alice, handle, bytes('x'));
  await uploads.closeAll();
  expect(await drafts()).toEqual([]);
  const restarted = createUploads(roots, clock);
  expect(await rejectionOf(restarted.close(alice, handle))).toMatchObject(notOpen(handle));
});

test('the start deletes the data that a killed engine left, and keeps that of an active upload', async () => {
  const { roots, clock, drafts, putFile } = await fresh();
  for (const [name, ageMs] of [
    ['left-behind', 20 * minuteMs],
    ['active', minuteMs],
  ] as const) {
    const file = await putFile(`data/uploads/${name}`);
    await utimes(file, new Date(clock.now()), new Date(clock.now() - ageMs));
  }
  await createUploads(roots, clock).deleteAbandoned();
  expect(await drafts()).toEqual(['active']);
});

test('the number of open uploads is limited', async () => {
  const { uploads } = await fresh(2);
  const first = await uploads.create(alice, '/1', false);
  await uploads.create(alice, '/2', false);
  expect(await rejectionOf(uploads.create(alice, '/3', false))).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    message: 'There are already 2 open uploads (limit: 2); close some with managed_fs/close.',
  });
  await uploads.close(alice, first);
  await uploads.create(alice, '/3', false);
});

test('the data of an upload is readable by the service only', async () => {
  const { uploads, roots, drafts } = await fresh();
  await uploads.create(alice, '/a', false);
  const [draft = ''] = await drafts();
  expect((await stat(join(roots.uploads.directory, draft))).mode & 0o777).toBe(0o600);
  expect((await stat(roots.uploads.directory)).mode & 0o777).toBe(0o700);
});
