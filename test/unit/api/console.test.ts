/** Files of the console: no token, a content security policy, and a page while it is not built. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiHarness, type ApiHarness } from './api-harness.ts';

let service: ApiHarness;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-console-'));
  service = await startApiHarness({ consoleDirectory: directory });
});

afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

const get = (url: string) => service.app.inject({ method: 'GET', url });

test('the page shows the build command while the console is not built, and needs no restart afterwards', async () => {
  const before = await get('/');
  expect(before.statusCode).toBe(503);
  expect(before.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(before.body).toContain('<code>npm run console</code>');
  await mkdir(join(directory, 'assets'));
  await writeFile(join(directory, 'index.html'), '<title>built</title>');
  await writeFile(join(directory, 'assets', 'index-1a2b.js'), 'export {};');
  expect((await get('/?o=1')).body).toBe('<title>built</title>');
  expect((await get('/assets/index-1a2b.js')).body).toBe('export {};');
});

test('the page allows only its own script, is revalidated, and forbids framing', async () => {
  const { headers } = await get('/');
  expect(headers['cache-control']).toBe('no-cache');
  expect(headers['x-content-type-options']).toBe('nosniff');
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]),
  );
});

test('assets with hashed names are cached permanently', async () => {
  const { headers } = await get('/assets/index-1a2b.js');
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(headers['content-type']).toMatch(/javascript/);
});

test('a run path redirects to the run in the console', async () => {
  const { statusCode, headers } = await get('/jobs/41/runs/907');
  expect([statusCode, headers.location]).toEqual([302, '../../../#job/41/run/907']);
});

test.each([
  ['/assets/none.js', 404],
  ['/assets/', 404],
  ['/assets/a/b', 404],
  ['/assets/..%2findex.html', 404],
  ['/index.html', 401],
  ['/jobs', 401],
  ['/jobs/x/runs/1', 401],
  ['/jobs/1/runs/2/3', 401],
  ['/api/2.1/none', 401],
])('%s is not part of the console and returns %i as JSON', async (path, status) => {
  const { statusCode, headers, body } = await get(path);
  expect(statusCode).toBe(status);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(body)).toEqual({ error_code: expect.any(String), message: expect.any(String) });
});

test('an unknown API path returns an error document to authenticated callers', async () => {
  expect(await service.get('2.1/none')).toMatchObject({
    status: 404,
    body: { error_code: 'ENDPOINT_NOT_FOUND' },
  });
});

test('HEAD responds like GET', async () => {
  const { statusCode, headers, body } = await service.app.inject({ method: 'HEAD', url: '/' });
  expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', '']);
});
