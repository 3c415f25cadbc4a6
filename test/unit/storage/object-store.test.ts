/** objstore:// on an S3-compatible server: signed requests, one fetch per object version, and errors. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPathResolver } from '../../../storage/files/path-resolver.ts';
import { createObjectStore } from '../../../storage/files/object-store.ts';
import { startObjectServer, type ObjectServer } from '../../harness/s3-server.ts';
import { createManualClock } from '../../harness/manual-clock.ts';
import { rejectionOf, createTestRoots } from './test-roots.ts';

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer('key', 'secret');
});
beforeEach(() => {
  server.requestLog.length = 0;
});
afterAll(() => server.close());

async function locator(changes: { secretKey?: string; endpoint?: string } = {}) {
  const { roots, base } = await createTestRoots();
  const address = {
    endpoint: server.url,
    accessKey: 'key',
    secretKey: 'secret',
    region: 'eu-north-1',
    ...changes,
  };
  return createPathResolver(
    roots,
    createObjectStore(address, join(base, 'data', 'objects'), createManualClock()),
  );
}

test.each(['objstore://bucket/jobs/a b+ü.py', 's3://bucket/jobs/a b+ü.py', 'gs://bucket//jobs/a b+ü.py'])(
  '%s is fetched with a signed request, under its own name',
  async (uri) => {
    server.objects.set('/bucket/jobs/a b+ü.py', 'print(1)');
    const file = await (await locator())(uri, 'file');
    expect(await readFile(file, 'utf8')).toBe('print(1)');
    expect(file).toMatch(/\/objects\/[0-9a-f]{64}\/a b\+ü\.py$/);
    expect(server.requestLog).toEqual(['HEAD /bucket/jobs/a b+ü.py 200', 'GET /bucket/jobs/a b+ü.py 200']);
  },
);

test('an object is fetched again when it has changed, and only then', async () => {
  const locate = await locator();
  server.objects.set('/b/x', 'one');
  const [first, again] = [await locate('objstore://b/x', 'file'), await locate('objstore://b/x', 'file')];
  server.objects.set('/b/x', 'two');
  const changed = await locate('objstore://b/x', 'file');
  expect(again).toBe(first);
  expect([await readFile(first, 'utf8'), await readFile(changed, 'utf8')]).toEqual(['one', 'two']);
  expect(server.requestLog.filter((line) => line.startsWith('GET'))).toHaveLength(2);
});

test('an object that is replaced between the two requests is fetched in its new version', async () => {
  server.objects.set('/b/y', 'old');
  server.afterHead = () => {
    server.objects.set('/b/y', 'new');
  };
  expect(await readFile(await (await locator())('objstore://b/y', 'file'), 'utf8')).toBe('new');
  expect(server.requestLog).toContain('GET /b/y 412');
});

test('concurrent fetches of an object return the same file', async () => {
  server.objects.set('/b/z', 'z'.repeat(100_000));
  const locate = await locator();
  expect(
    new Set(await Promise.all(Array.from({ length: 5 }, () => locate('objstore://b/z', 'file')))).size,
  ).toBe(1);
});

test.each<[string, string, { secretKey?: string; endpoint?: string }, string | RegExp]>([
  [
    'a missing object',
    's3://b/gone',
    {},
    'File s3://b/gone was not found in the object store. Put it there and start the run again.',
  ],
  [
    'another key',
    's3://b/x',
    { secretKey: 'wrong' },
    'The object store refuses s3://b/x (HTTP 403): it is not there, or the keys in RUNYARD_OBJSTORE_ACCESS_KEY and RUNYARD_OBJSTORE_SECRET_KEY may not read it.',
  ],
  [
    'an unreachable server',
    's3://b/x',
    { endpoint: 'http://127.0.0.1:1' },
    /^s3:\/\/b\/x could not be fetched from the object store at 127\.0\.0\.1:1: .*(ECONNREFUSED|bad port)/,
  ],
  ['no object', 's3://b/', {}, 'The path "s3://b/" names no object: it must be objstore://<bucket>/<path>.'],
  [
    'no bucket',
    's3:///x',
    {},
    'The path "s3:///x" names the bucket ""; a bucket has letters, digits, dots and dashes.',
  ],
  [
    'a path that leaves the bucket',
    's3://b/../c/x',
    {},
    'The path "s3://b/../c/x" must not hold the folders "." and "..".',
  ],
])('%s is refused', async (_fact, uri, changes, message) => {
  server.objects.set('/b/x', 'x');
  expect(await rejectionOf((await locator(changes))(uri, 'file'))).toMatchObject({
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
});
