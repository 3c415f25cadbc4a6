/** HTTP server: TLS, proxies, slow clients, rate limits, and paths that need no token. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../engine/limits.ts';
import { isUnencrypted, readTls } from '../../cli/wiring/tls.ts';
import { startApiHarness as startApi, adminToken } from '../unit/api/api-harness.ts';
import { startTestService } from '../harness/test-service.ts';
import { testCertificate, testKey } from '../harness/test-certificate.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-http-server-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('TLS', () => {
  test('is served with a certificate, and HSTS tells browsers to keep using it', async () => {
    const [tlsCert, tlsKey] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    await writeFile(tlsCert, testCertificate);
    await writeFile(tlsKey, testKey);
    const runyard = await startTestService({ tlsCert, tlsKey });
    expect(runyard.service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const call = request(`${runyard.service.url}/api/2.0/jobs/list`, {
      ca: testCertificate,
      headers: { authorization: `Bearer ${runyard.token}` },
    });
    call.end();
    const [response] = await once(call, 'response');
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    const old = request(`${runyard.service.url}/healthz`, { ca: testCertificate, maxVersion: 'TLSv1.1' });
    old.end();
    await expect(once(old, 'response')).rejects.toThrow();
    await runyard.stop();
  });

  test('plain HTTP sends no HSTS header', async () => {
    const service = await startApi();
    expect((await service.get('2.0/jobs/list')).headers).not.toHaveProperty('strict-transport-security');
    await service.close();
  });

  test.each([
    [
      { tlsCert: '/nowhere/cert.pem', tlsKey: undefined },
      /^RUNYARD_TLS_CERT and RUNYARD_TLS_KEY belong together/,
    ],
    [
      { tlsCert: '/nowhere/cert.pem', tlsKey: '/nowhere/key.pem' },
      /^RUNYARD_TLS_CERT names \/nowhere\/cert\.pem, which cannot be read/,
    ],
    [
      { tlsCert: '/etc/hostname', tlsKey: '/etc/hostname' },
      /^RUNYARD_TLS_CERT names \/etc\/hostname, which is not a PEM file\.$/,
    ],
  ])('%j stops the start', async (config, message) => {
    await expect(readTls(config)).rejects.toThrow(message);
  });

  test.each([
    ['127.0.0.1', {}, false],
    ['localhost', {}, false],
    ['::1', {}, false],
    ['0.0.0.0', {}, true],
    ['10.0.0.7', {}, true],
    ['127.0.0.1.example.org', {}, true],
    ['0.0.0.0', { tlsCert: '/cert.pem' }, false],
    ['0.0.0.0', { trustedProxies: ['10.0.0.0/8'] }, false],
  ])('host %s with %j warns about tokens over plain HTTP: %s', (host, given, expected) => {
    expect(isUnencrypted({ host, tlsCert: undefined, trustedProxies: [], ...given })).toBe(expected);
  });
});

describe('a reverse proxy', () => {
  const headers = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    authorization: `Bearer ${adminToken}`,
  };

  test('sets the client address and TLS when it is trusted', async () => {
    const service = await startApi({ trustedProxies: ['127.0.0.0/8'] });
    const answer = await service.send({ method: 'POST', url: '/api/2.0/token/create', payload: {}, headers });
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await service.get('2.0/audit')).body['events']).toMatchObject([{ source_ip: '203.0.113.9' }]);
    await service.close();
  });

  test('is ignored when it is not trusted', async () => {
    const service = await startApi();
    const answer = await service.send({ method: 'POST', url: '/api/2.0/token/create', payload: {}, headers });
    expect(answer.headers).not.toHaveProperty('strict-transport-security');
    expect((await service.get('2.0/audit')).body['events']).toMatchObject([{ source_ip: '127.0.0.1' }]);
    await service.close();
  });
});

describe('slow clients', () => {
  test.each([
    ['in the head', 'POST /api/2.0/jobs/create HTTP/1.1\r\nhost: x\r\n'],
    [
      'in the body',
      `POST /api/2.0/jobs/create HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${adminToken}\r\ncontent-length: 100\r\n\r\n{`,
    ],
  ])('a request that stops %s is ended with an error', async (_, beginning) => {
    const service = await startApi({
      limits: { ...defaultLimits, requestHeadSeconds: 1, requestSeconds: 1 },
    });
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const address = service.app.server.address();
    const socket: Socket = connect(
      typeof address === 'object' && address !== null ? address.port : 0,
      '127.0.0.1',
    );
    socket.write(beginning);
    let received = '';
    socket.on('data', (data: Buffer) => {
      received += data.toString();
    });
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 4(00|08) /);
    expect(received).toContain('The request was not received completely in time.');
    await service.close();
  });
});

describe('limits', () => {
  test('a token over its requests per second gets 429 until the next second; other tokens do not', async () => {
    const service = await startApi({ limits: { ...defaultLimits, requestsPerSecondPerToken: 3 } });
    const other = Object((await service.post('2.0/token/create')).body)['token_value'];
    const calls = await Promise.all([1, 2, 3].map(() => service.get('2.0/jobs/list')));
    expect(calls.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    expect(calls.find(({ status }) => status === 429)).toMatchObject({
      headers: { 'retry-after': '1' },
      body: {
        error_code: 'REQUEST_LIMIT_EXCEEDED',
        message: expect.stringContaining('The token was used for more than 3 requests within a second'),
      },
    });
    expect(
      (await service.send({ url: '/api/2.0/jobs/list', headers: { authorization: `Bearer ${other}` } }))
        .status,
    ).toBe(200);
    service.advanceClock(1_000);
    expect((await service.get('2.0/jobs/list')).status).toBe(200);
    await service.close();
  });

  test('an address with too many wrong credentials gets 429 for them; valid tokens still work', async () => {
    const service = await startApi({
      limits: { ...defaultLimits, failedCredentialsPerMinute: 3 },
      trustedProxies: ['127.0.0.1'],
    });
    const guess = (n: number, from = '203.0.113.9') =>
      service.send({
        url: '/api/2.0/jobs/list',
        headers: { authorization: `Bearer guess-${n}`, 'x-forwarded-for': from },
      });
    const answers = [await guess(1), await guess(2), await guess(3), await guess(4)];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 429]);
    expect(answers[3]).toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/) },
      body: {
        error_code: 'REQUEST_LIMIT_EXCEEDED',
        message: expect.stringMatching(
          /^More than 3 credentials from 203\.0\.113\.9 were refused within a minute\. Retry in \d+ s\.$/,
        ),
      },
    });
    expect((await guess(5, '203.0.113.10')).status).toBe(403);
    expect(
      (
        await service.send({
          url: '/api/2.0/jobs/list',
          headers: { authorization: `Bearer ${adminToken}`, 'x-forwarded-for': '203.0.113.9' },
        })
      ).status,
    ).toBe(200);
    expect(
      (await service.send({ url: '/api/2.0/jobs/list', headers: { 'x-forwarded-for': '203.0.113.9' } }))
        .status,
    ).toBe(401);
    service.advanceClock(60_000);
    expect((await guess(6)).status).toBe(403);
    await service.close();
  });
});

test('only health, the well-known probe, the API description and the console need no token', async () => {
  const service = await startApi({ consoleDirectory: directory });
  const open: string[] = [];
  for (const url of [
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/openapi.json',
    '/api/docs',
    '/.well-known/x',
    '/oidc/.well-known/x',
    '/assets/x',
    '/nowhere',
    '/api/2.0/nowhere',
    '/api/2.1/jobs/list',
    '/api/2.0/token-scopes',
    '/api/2.0/audit',
  ]) {
    if ((await service.send({ url })).status !== 401) open.push(url);
  }
  expect(open).toEqual([
    '/',
    '/healthz',
    '/readyz',
    '/api/openapi.json',
    '/api/docs',
    '/.well-known/x',
    '/oidc/.well-known/x',
    '/assets/x',
  ]);
  await service.close();
});
