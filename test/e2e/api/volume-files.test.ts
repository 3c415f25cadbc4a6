/** Files and directories by the path in the URL: fs/files and fs/directories. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileOperations } from '../../../api/files/file-operations.ts';
import { createManagedFsOperations } from '../../../api/managed-fs/managed-fs-operations.ts';
import { systemClock } from '../../../engine/clock.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import { createManagedFileStore } from '../../../storage/files/managed-files.ts';
import { createRoots } from '../../../storage/files/roots.ts';
import { createUploads } from '../../../storage/files/uploads.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  adminToken,
  startApiHarness,
  type ApiHarness,
  type ApiResponse,
} from '../../unit/api/api-harness.ts';

const authorization = `Bearer ${adminToken}`;
const volume = '/Volumes/main/default/v';
/** 2026-03-01T12:00:00.750Z: the headers have whole seconds. */
const changedAt = 1_772_366_400_750;
const changedText = 'Sun, 01 Mar 2026 12:00:00 GMT';

let directory: string;
let service: ApiHarness;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-volumes-'));
  const roots = createRoots({ dataDirectory: directory, allowedRoots: [] });
  const ports = { managedFiles: createManagedFileStore(roots), uploads: createUploads(roots, systemClock) };
  service = await startApiHarness({
    operations: [...createFileOperations(ports), ...createManagedFsOperations(ports)],
  });
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

type Method = 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE';

function call(
  method: Method,
  path: string,
  options: { readonly payload?: string | Buffer; readonly headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
  const { payload, headers } = options;
  return service.send({
    method,
    url: `/api/2.0/fs/${path}`,
    headers: { authorization, ...headers },
    ...(payload !== undefined && { payload }),
  });
}

const stored = (path: string): string => join(directory, 'managed_fs', path);

describe('a file', () => {
  test('is uploaded byte for byte, described, downloaded, replaced and deleted', async () => {
    const contents = Buffer.from([0, 255, 10, 13, 128, 0x7b]);
    const path = `files${volume}/raw.bin`;
    const json = { 'content-type': 'application/json' };
    expect(await call('PUT', path, { payload: contents, headers: json })).toMatchObject({
      status: 200,
      body: {},
    });
    expect(await readFile(stored(`${volume}/raw.bin`))).toEqual(contents);
    await utimes(stored(`${volume}/raw.bin`), 0, changedAt / 1_000);
    const described = {
      'content-type': 'application/octet-stream',
      'content-length': '6',
      'last-modified': changedText,
    };
    expect(await call('HEAD', path)).toMatchObject({ status: 200, headers: described });
    expect(await call('GET', path)).toMatchObject({ status: 200, headers: described });
    expect((await call('PUT', path, { payload: 'new' })).status).toBe(200);
    expect((await call('GET', path)).body).toEqual({ text: 'new' });
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('HEAD', path)).status).toBe(404);
  });

  test.each([
    ['/Volumes/a/b/c/größe & 50%.txt', 'a path with reserved characters'],
    ['/dbfs/plain.txt', 'a path below /dbfs'],
    [`/Volumes/${'n'.repeat(250)}/f`, 'a long name'],
    ['/Volumes/a/./x/../file', 'dots'],
  ])('has the path %s: %s', async (path) => {
    for (const url of [encodeURI(path), `/${encodeURIComponent(path.slice(1))}`]) {
      expect((await call('PUT', `files${url}`, { payload: url })).status).toBe(200);
      expect((await call('GET', `files${url}`)).body).toEqual({ text: url });
      const read = await service.get('2.0/dbfs/read', { path });
      expect(read.body['data']).toBe(Buffer.from(url).toString('base64'));
    }
  });

  test.each<[string, string, Method, Parameters<typeof call>[2], number, RegExp]>([
    ['outside the mount points', 'files/Users/a', 'PUT', { payload: 'x' }, 400, /below \/dbfs or \/Volumes/],
    ['outside managed_fs', 'files/Volumes/%2e%2e%2f%2e%2e/etc', 'GET', {}, 400, /leads outside managed_fs/],
    ['with a null byte', 'files/Volumes/a%00', 'PUT', { payload: 'x' }, 400, /null byte/],
    ['that does not exist', 'files/Volumes/none', 'GET', {}, 404, /No file exists on path \/Volumes\/none/],
    ['that does not exist', 'files/Volumes/none', 'DELETE', {}, 404, /nothing exists there/],
    ['of a directory', 'files/Volumes/d', 'GET', {}, 404, /it is a directory/],
    ['of a directory', 'files/Volumes/d', 'PUT', { payload: 'x' }, 409, /already exists at the input path/],
    ['that is taken', 'files/Volumes/d/f?overwrite=false', 'PUT', { payload: 'x' }, 409, /already exists/],
    [
      'that is taken',
      'files/Volumes/d/f?action=initiate-upload&overwrite=false',
      'POST',
      {},
      409,
      /already exists/,
    ],
    ['with an unknown action', 'files/Volumes/d/f?action=complete-upload', 'POST', {}, 400, /action/],
    ['with a wrong flag', 'files/Volumes/d/f?overwrite=maybe', 'PUT', { payload: 'x' }, 400, /overwrite/],
    ['of a file', 'directories/Volumes/d/f', 'GET', {}, 404, /it is a file/],
    ['of a file', 'directories/Volumes/d/f', 'PUT', {}, 409, /cannot be a directory/],
    ['with contents', 'directories/Volumes/d', 'DELETE', {}, 400, /is not empty; delete its contents first/],
    ['that does not exist', 'directories/Volumes/none', 'DELETE', {}, 404, /No directory exists/],
    ['with a wrong token', 'directories/Volumes/d?page_token=x', 'GET', {}, 400, /page_token is "x"/],
    [
      'changed since',
      'files/Volumes/d/f',
      'GET',
      { headers: { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
      412,
      /changed after Thu/,
    ],
    [
      'read behind its end',
      'files/Volumes/d/f',
      'GET',
      { headers: { range: 'bytes=9-' } },
      416,
      /the file has 3 bytes/,
    ],
  ])('a path %s is refused: %s %s', async (_, path, method, options, status, message) => {
    await call('PUT', 'files/Volumes/d/f', { payload: 'old' });
    const answer = await call(method, path, options);
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } });
    expect(await readFile(stored('/Volumes/d/f'), 'utf8')).toBe('old');
  });

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['bytes=5-2', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('is downloaded in the range %s with status %i', async (range, status, text, contentRange) => {
    await call('PUT', 'files/Volumes/range', { payload: '0123456789' });
    await utimes(stored('/Volumes/range'), 0, changedAt / 1_000);
    const headers = { range, 'if-unmodified-since': changedText };
    const answer = await call('GET', 'files/Volumes/range', { headers });
    expect(answer).toMatchObject({ status, body: { text } });
    expect(answer.headers['content-range']).toBe(contentRange);
    expect(answer.headers['content-length']).toBe(String(text.length));
  });

  test('may be empty', async () => {
    expect((await call('PUT', 'files/Volumes/empty')).status).toBe(200);
    expect(await call('GET', 'files/Volumes/empty')).toMatchObject({
      status: 200,
      headers: { 'content-length': '0' },
      body: { text: '' },
    });
  });
});

describe('a directory', () => {
  test('is created with its parents, listed page by page, and deleted when it is empty', async () => {
    const path = `directories${volume}/pages`;
    expect((await call('HEAD', path)).status).toBe(404);
    for (let round = 0; round < 2; round += 1) expect((await call('PUT', path)).status).toBe(200);
    expect((await call('HEAD', path)).status).toBe(200);
    expect((await call('GET', `${path}/`)).body).toEqual({ contents: [] });
    for (const name of ['b', 'a', 'ä', 'c'])
      await call('PUT', `files${volume}/pages/${encodeURI(name)}`, { payload: name });
    await call('PUT', `${path}/sub`);
    const names: unknown[] = [];
    let token = '';
    do {
      const { body } = await call('GET', `${path}?page_size=2&page_token=${token}`);
      expect(body['contents']).toSatisfy((entries: unknown[]) => entries.length <= 2);
      names.push(...Object(body['contents']).map(({ name }: { name: string }) => name));
      token = String(body['next_page_token'] ?? '');
    } while (token !== '');
    expect(names).toEqual(['a', 'b', 'c', 'sub', 'ä']);
    const { body } = await call('GET', `${path}?page_size=9999`);
    expect(body['contents']).toEqual(
      expect.arrayContaining([
        {
          path: `${volume}/pages/a`,
          name: 'a',
          is_directory: false,
          file_size: 1,
          last_modified: expect.any(Number),
        },
        { path: `${volume}/pages/sub`, name: 'sub', is_directory: true, last_modified: expect.any(Number) },
      ]),
    );
    expect(body).not.toHaveProperty('next_page_token');
    expect((await call('DELETE', `${path}/sub`)).status).toBe(200);
    expect((await call('HEAD', `${path}/sub`)).status).toBe(404);
  });

  test('below /dbfs lists paths below /dbfs', async () => {
    await call('PUT', 'files/dbfs/shown/a', { payload: 'x' });
    expect((await call('GET', 'directories/dbfs/shown')).body).toMatchObject({
      contents: [{ path: '/dbfs/shown/a' }],
    });
  });
});

describe('an upload over HTTP', () => {
  let address: string;

  beforeAll(async () => {
    address = await service.app.listen({ host: '127.0.0.1', port: 0 });
  });

  /** Starts an upload; the caller writes the body. */
  function startUpload(path: string, headers: Record<string, string | number> = {}) {
    const request = httpRequest(new URL(`/api/2.0/fs/files${path}`, address), {
      method: 'PUT',
      headers: { authorization, ...headers },
    });
    const answered = once(request, 'response').then(([response]: IncomingMessage[]) => response?.statusCode);
    answered.catch(() => undefined);
    return { request, answered };
  }

  test('may be larger than other requests, and appears only when it is complete', async () => {
    const { request, answered } = startUpload('/Volumes/large');
    const block = Buffer.alloc(2 ** 20, 'x');
    for (let index = 0; index < 11; index += 1) request.write(block);
    expect((await call('HEAD', 'files/Volumes/large')).status).toBe(404);
    request.end();
    expect(await answered).toBe(200);
    expect((await call('HEAD', 'files/Volumes/large')).headers['content-length']).toBe(String(11 * 2 ** 20));
  });

  test('that breaks off leaves nothing behind', async () => {
    const drafts = async () => readdir(join(directory, 'uploads'));
    const { request } = startUpload('/Volumes/broken', { 'content-length': 100 });
    request.on('error', () => undefined);
    request.write('part');
    await eventually(drafts, { until: (names) => names.length === 1 });
    request.destroy();
    await eventually(drafts, { until: (names) => names.length === 0 });
    expect((await call('HEAD', 'files/Volumes/broken')).status).toBe(404);
  });

  test('that is announced with more than 5 GB is refused before it is received', async () => {
    const { request, answered } = startUpload('/Volumes/huge', {
      'content-length': fixedLimits.fileUploadBytes + 1,
    });
    request.on('error', () => undefined);
    request.flushHeaders();
    expect(await answered).toBe(413);
    request.destroy();
  });
});
