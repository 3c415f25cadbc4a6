/** Files through the unmodified JavaScript SDK of the vendor: uploads in blocks, reads, moves, exports. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { WorkspaceClient } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { apiErrorOf } from './sdk-results.ts';

let runyard: TestService;
let client: WorkspaceClient;

const blockBytes = 2 ** 20;

beforeAll(async () => {
  runyard = await startTestService();
  client = new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: runyard.token } });
});

afterAll(() => runyard.stop());

/** Uploads as the clients do: create, a block for each megabyte, close. */
async function upload(path: string, contents: Buffer, overwrite: boolean): Promise<void> {
  const { handle } = await client.dbfs.create({ path, overwrite });
  for (let offset = 0; offset < contents.length; offset += blockBytes) {
    const data = contents.subarray(offset, offset + blockBytes).toString('base64');
    await client.dbfs.addBlock({ handle: handle ?? 0, data });
  }
  await client.dbfs.close({ handle: handle ?? 0 });
}

/** Reads as the clients do: up to the end, a megabyte at a time. */
async function download(path: string): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let offset = 0; ;) {
    const { bytes_read: bytes = 0, data = '' } = await client.dbfs.read({ path, offset, length: blockBytes });
    if (bytes === 0) return Buffer.concat(blocks);
    blocks.push(Buffer.from(data, 'base64'));
    offset += bytes;
  }
}

test('a file of several blocks is uploaded, read, replaced, moved and deleted', async () => {
  const contents = randomBytes(2 * blockBytes + 77);
  await upload('/Volumes/main/default/v/model.bin', contents, false);
  const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(hash(await download('dbfs:/Volumes/main/default/v/model.bin'))).toBe(hash(contents));
  expect(
    hash(await readFile(join(runyard.dataDirectory, 'managed_fs/Volumes/main/default/v/model.bin'))),
  ).toBe(hash(contents));
  await upload('/dbfs/Volumes/main/default/v/model.bin', Buffer.from('new'), true);
  await client.dbfs.move({ source_path: '/Volumes/main', destination_path: '/dbfs/kept' });
  expect((await download('/kept/default/v/model.bin')).toString()).toBe('new');
  const listed = [];
  for await (const file of client.dbfs.list({ path: '/dbfs/kept/default/v' })) listed.push(file.path);
  expect(listed).toEqual(['/kept/default/v/model.bin']);
  await client.dbfs.delete({ path: '/kept', recursive: true });
  expect(await apiErrorOf(client.dbfs.getStatus({ path: '/kept' }))).toMatchObject({
    errorCode: 'RESOURCE_DOES_NOT_EXIST',
  });
});

test('a block above 1 MB, a taken path and a handle that is not open are refused', async () => {
  await upload('/taken', Buffer.from('1'), false);
  expect(await apiErrorOf(client.dbfs.create({ path: '/taken' }))).toMatchObject({
    errorCode: 'RESOURCE_ALREADY_EXISTS',
  });
  const { handle = 0 } = await client.dbfs.create({ path: '/large' });
  const data = Buffer.alloc(blockBytes + 1).toString('base64');
  expect(await apiErrorOf(client.dbfs.addBlock({ handle, data }))).toMatchObject({
    errorCode: 'MAX_BLOCK_SIZE_EXCEEDED',
    message: 'data has 1048577 bytes; a block must have at most 1048576 bytes.',
  });
  await client.dbfs.close({ handle });
  expect(await apiErrorOf(client.dbfs.close({ handle }))).toMatchObject({
    errorCode: 'RESOURCE_DOES_NOT_EXIST',
    message: expect.stringContaining(`No upload is open with the handle ${handle}.`),
  });
});

test('files of a volume are uploaded, described, downloaded, listed and deleted', async () => {
  const directory_path = '/Volumes/main/default/files';
  const file_path = `${directory_path}/report.bin`;
  const contents = randomBytes(200_000);
  await client.files.createDirectory({ directory_path });
  // `files.upload` of this SDK sends no contents.
  const uploaded = await fetch(`${runyard.url}/api/2.0/fs/files${file_path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${runyard.token}` },
    body: contents,
  });
  expect(uploaded.status).toBe(200);
  expect(await client.files.getMetadata({ file_path })).toMatchObject({ 'content-length': '200000' });
  const { contents: stream } = await client.files.download({ file_path });
  expect(stream && (await buffer(stream))).toEqual(contents);
  const listed = [];
  for await (const entry of client.files.listDirectoryContents({ directory_path })) listed.push(entry);
  expect(listed).toMatchObject([{ path: file_path, name: 'report.bin', file_size: 200_000 }]);
  expect(await apiErrorOf(client.files.deleteDirectory({ directory_path }))).toMatchObject({
    errorCode: 'INVALID_STATE',
  });
  await client.files.delete({ file_path });
  await client.files.deleteDirectory({ directory_path });
  expect(await apiErrorOf(client.files.getMetadata({ file_path }))).toMatchObject({ statusCode: 404 });
});
