/** Compression of large responses, back-pressure, and tags of documents that do not change. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectEncoding } from '../../../api/http/compression.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { adminToken, startApiHarness, type ApiHarness } from './api-harness.ts';

const authorization = `Bearer ${adminToken}`;
let service: ApiHarness;
beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

test.each<[string | undefined, string | undefined]>([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['identity', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding %j selects %j', (header, encoding) => {
  expect(selectEncoding(header)).toBe(encoding);
});

describe('a large response', () => {
  const get = (encoding: string, url = '/api/openapi.json') =>
    service.app.inject({ url, headers: { authorization, 'accept-encoding': encoding } });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is sent with %s and has the content of the plain one', async (encoding, decompress) => {
    const [plain, compressed] = [await get('identity'), await get(encoding)];
    expect(compressed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
    expect(Number(compressed.headers['content-length'])).toBe(compressed.rawPayload.length);
    expect(decompress(compressed.rawPayload).toString()).toBe(plain.body);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  test('that is small is sent as it is', async () => {
    const answer = await get('br', '/api/2.1/jobs/list');
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined]);
  });

  test('that the client has is answered with 304', async () => {
    const { headers } = await get('br');
    const again = await service.app.inject({
      url: '/api/openapi.json',
      headers: { 'if-none-match': String(headers['etag']) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

test('requests beyond the limit of those under way get 429 with Retry-After, and succeed afterwards', async () => {
  const limited = await startApiHarness({}, { ...defaultLimits, requestsUnderWay: 2 });
  try {
    const { url } = { url: await limited.app.listen({ port: 0 }) };
    const send = async (): Promise<[number, string | null]> => {
      const response = await fetch(`${url}/api/2.1/jobs/list`, { headers: { authorization } });
      await response.text();
      return [response.status, response.headers.get('retry-after')];
    };
    const answers = await Promise.all(Array.from({ length: 30 }, send));
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200, 429]));
    expect(answers.filter(([status]) => status === 429).every(([, after]) => after === '1')).toBe(true);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await send()).toEqual([200, null]);
  } finally {
    await limited.close();
  }
});
