/** What all operations share: credentials, forgiveness, refusals, health, metrics, documentation. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Type } from 'typebox';
import { pino } from 'pino';
import { defineOperation } from '../../../api/http/operation.ts';
import { ServiceError } from '../../../engine/errors.ts';
import { probePath } from '../../../engine/validation/aliases.ts';
import { hashToken } from '../../../engine/token/token.ts';
import { adminToken, idFrom, startApiHarness, type ApiHarness } from './api-harness.ts';

const authorization = `Bearer ${adminToken}`;
const job = { name: 'j', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } };
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

/** Stores a token with these fields for the administrator. */
async function storeToken(
  value: string,
  fields: { scopes?: string[]; expiry_time?: number; revoked_time?: number } = {},
): Promise<void> {
  const { db } = service.database;
  const { principal_id } = await db.selectFrom('principals').select('principal_id').executeTakeFirstOrThrow();
  await db
    .insertInto('tokens')
    .values({
      principal_id,
      hash: hashToken(value),
      token_id: hashToken(`id of ${value}`),
      comment: '',
      scopes: ['all-apis'],
      created_time: 0,
      expiry_time: null,
      last_accessed_time: Date.now(),
      revoked_time: null,
      ...fields,
    })
    .execute();
}

describe('credentials', () => {
  test.each([
    ['Bearer', `Bearer ${adminToken}`],
    ['bearer in lower case', `bearer ${adminToken}`],
    ['Basic, whatever the user name', `Basic ${Buffer.from(`token:${adminToken}`).toString('base64')}`],
  ])('a token is taken as %s', async (_, header) => {
    const answer = await service.send({ url: '/api/2.1/jobs/list', headers: { authorization: header } });
    expect(answer.status).toBe(200);
  });

  test.each([
    ['nothing', undefined],
    ['another scheme', 'Digest x'],
    ['a scheme without a token', 'Bearer '],
    ['Basic without a password', `Basic ${Buffer.from('token:').toString('base64')}`],
  ])('%s is 401', async (_, header) => {
    const answer = await service.send({
      url: '/api/2.1/jobs/list',
      headers: header === undefined ? {} : { authorization: header },
    });
    expect(answer).toMatchObject({
      status: 401,
      body: {
        error_code: 'UNAUTHENTICATED',
        message: 'Credential was not sent or was of an unsupported type for this API.',
      },
    });
  });

  test.each([
    ['unknown', undefined],
    ['expired', { expiry_time: 1_769_999_999_999 }],
    ['revoked', { revoked_time: 1 }],
  ])('a token that is %s is 403', async (name, fields) => {
    if (fields !== undefined) await storeToken(`${name}-token`, fields);
    const answer = await service.send({
      url: '/api/2.1/jobs/list',
      headers: { authorization: `Bearer ${name}-token` },
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { error_code: 'PERMISSION_DENIED', message: 'Invalid access token.' },
    });
  });

  test('spec 7: a token without the scope is refused with the name of the scope; with it, it is taken', async () => {
    await storeToken('sql-token', { scopes: ['sql'] });
    await storeToken('jobs-token', { scopes: ['sql', 'jobs'] });
    const refused = await service.send({
      url: '/api/2.0/jobs/list',
      headers: { authorization: 'Bearer sql-token' },
    });
    expect(refused).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        message: 'Provided access token does not have required scopes: jobs',
      },
    });
    expect(
      (await service.send({ url: '/api/2.0/jobs/list', headers: { authorization: 'Bearer jobs-token' } }))
        .status,
    ).toBe(200);
  });

  test('what a known caller may not read stands in the log, with who asked and never with the token', async () => {
    const lines: string[] = [];
    const logged = await startApiHarness({
      log: pino(
        {},
        {
          write: (line) => {
            lines.push(line);
          },
        },
      ),
    });
    const made = await logged.post('2.0/token/create', { scopes: ['files'] });
    const token = String(made.body['token_value']);
    expect(
      (await logged.send({ url: '/api/2.0/jobs/list', headers: { authorization: `Bearer ${token}` } }))
        .status,
    ).toBe(403);
    await logged.close();
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: 'Call denied.',
        userName: 'admin',
        tokenId: expect.stringMatching(/^[\da-f]{64}$/),
        method: 'GET',
        route: '/api/2.0/jobs/list',
      }),
    ]);
    expect(lines.join('')).not.toContain(token);
  });

  test('a bad credential is refused before the body is looked at', async () => {
    const answer = await service.send({
      method: 'POST',
      url: '/api/2.0/jobs/create',
      payload: '{',
      headers: { 'content-type': 'text/json' },
    });
    expect(answer.status).toBe(401);
  });
});

describe('forgiveness', () => {
  test.each([
    'text/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-8',
    undefined,
  ])('a JSON body is read as %s', async (type) => {
    const headers = type === undefined ? { authorization } : { authorization, 'content-type': type };
    const answer = await service.send({
      method: 'POST',
      url: '/api/2.0/jobs/create',
      payload: JSON.stringify(job),
      headers,
    });
    expect(answer).toMatchObject({ status: 200, body: { job_id: expect.any(Number) } });
  });

  test('numbers and booleans may be text, also deep within settings', async () => {
    const answer = await service.post('2.1/jobs/create', {
      max_concurrent_runs: '2',
      job_clusters: [
        { job_cluster_key: 'k', new_cluster: { spark_version: '1', node_type_id: 'n', num_workers: '8' } },
      ],
      tasks: [
        {
          task_key: 't',
          job_cluster_key: 'k',
          retry_on_timeout: 'True',
          notebook_task: { notebook_path: '/nb' },
        },
      ],
    });
    const shown = await service.get('2.1/jobs/get', { job_id: String(idFrom(answer, 'job_id')) });
    expect(shown.body['settings']).toMatchObject({
      max_concurrent_runs: 2,
      job_clusters: [{ new_cluster: { num_workers: 8 } }],
      tasks: [{ retry_on_timeout: true }],
    });
  });

  test('the parameters of a GET may stand in its body; the address wins', async () => {
    const inBody = {
      method: 'GET',
      url: '/api/2.1/jobs/get',
      payload: '{"job_id":4711}',
      headers: { authorization },
    } as const;
    expect((await service.send(inBody)).body['message']).toBe('Job 4711 does not exist.');
    expect((await service.send({ ...inBody, url: '/api/2.1/jobs/get?job_id=4712' })).body['message']).toBe(
      'Job 4712 does not exist.',
    );
  });

  test('a repeated query parameter counts once, unless its values differ', async () => {
    const send = (url: string) => service.send({ url, headers: { authorization } });
    expect((await send('/api/2.1/jobs/get?job_id=4711&job_id=4711')).body['message']).toBe(
      'Job 4711 does not exist.',
    );
    expect((await send('/api/2.1/jobs/get?job_id=1&job_id=2')).body).toEqual({
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'job_id is given 2 times with different values; send it once.',
    });
  });

  test('an empty page_token is the first page, True is true', async () => {
    expect(
      (await service.get('2.1/jobs/list', { page_token: '', limit: '25', expand_tasks: 'True' })).status,
    ).toBe(200);
  });
});

describe('refusals', () => {
  test.each([
    [
      'bad JSON',
      'POST',
      '/api/2.0/jobs/create',
      '{',
      400,
      'MALFORMED_REQUEST',
      /^Invalid JSON given in the body of the request - expected a map/,
    ],
    [
      'a list for a body',
      'POST',
      '/api/2.0/jobs/create',
      '[1]',
      400,
      'MALFORMED_REQUEST',
      /^Invalid JSON given in the body of the request - expected a map$/,
    ],
    [
      'null for a body',
      'POST',
      '/api/2.0/jobs/delete',
      'null',
      400,
      'INVALID_PARAMETER_VALUE',
      /^Missing required field: job_id\.$/,
    ],
    [
      'no body',
      'POST',
      '/api/2.0/jobs/delete',
      undefined,
      400,
      'INVALID_PARAMETER_VALUE',
      /^Missing required field: job_id\.$/,
    ],
    ['a list for a GET body', 'GET', '/api/2.0/jobs/get', '[]', 400, 'MALFORMED_REQUEST', /expected a map$/],
    [
      'a poisoned prototype',
      'POST',
      '/api/2.0/jobs/create',
      '{"__proto__":{}}',
      400,
      'MALFORMED_REQUEST',
      /prototype/,
    ],
    [
      'an integer that JSON would round',
      'POST',
      '/api/2.0/jobs/create',
      '{"x":9007199254740993}',
      400,
      'INVALID_PARAMETER_VALUE',
      /^x is 9007199254740993; /,
    ],
    [
      'an unknown path',
      'POST',
      '/api/2.1/jobs/foo',
      '{}',
      404,
      'ENDPOINT_NOT_FOUND',
      /^No API found for 'POST \/jobs\/foo'$/,
    ],
    [
      'an unknown method',
      'GET',
      '/api/2.0/jobs/create?x=1',
      undefined,
      404,
      'ENDPOINT_NOT_FOUND',
      /^No API found for 'GET \/jobs\/create'$/,
    ],
    [
      'an unknown version',
      'GET',
      '/api/3.0/jobs/list',
      undefined,
      404,
      'ENDPOINT_NOT_FOUND',
      /^No API found for 'GET \/api\/3\.0\/jobs\/list'$/,
    ],
    ['a broken address', 'GET', '/api/2.0/%zz', undefined, 400, 'MALFORMED_REQUEST', /not a valid url/],
  ] as const)('%s', async (_, method, url, payload, status, error_code, message) => {
    const answer = await service.send({
      method,
      url,
      headers: { authorization },
      ...(payload === undefined ? {} : { payload }),
    });
    expect(answer).toMatchObject({ status, body: { error_code, message: expect.stringMatching(message) } });
  });

  test('spec 8: a body over 10 MB is 413', async () => {
    const answer = await service.post('2.0/jobs/create', { name: 'x'.repeat(10 * 2 ** 20) });
    expect(answer).toMatchObject({
      status: 413,
      body: { error_code: 'REQUEST_TOO_LARGE', message: 'Size of the request body exceeds 10485760 bytes' },
    });
  });

  test.each([
    [
      'headers that are too large',
      `GET /healthz HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      'The headers of the request are too large.',
    ],
    ['what is not HTTP', 'hello\r\n\r\n', 'The request is not valid HTTP.'],
  ])('%s', async (_, sent, message) => {
    const listening = await startApiHarness();
    const { port } = new URL(await listening.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(sent);
    const answer = await text(socket);
    await listening.close();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n');
    expect(answer).toContain(JSON.stringify({ error_code: 'MALFORMED_REQUEST', message }));
  });

  test.each([
    ['a bug', new Error('secret of the inside'), 500, 'INTERNAL_ERROR', undefined],
    [
      'spec 7, a 500-level answer: a fault of the database that passes',
      Object.assign(new Error('secret'), { code: '57P01' }),
      503,
      'TEMPORARILY_UNAVAILABLE',
      '1',
    ],
    [
      'a limit',
      new ServiceError('REQUEST_LIMIT_EXCEEDED', 'secret is no secret here', 7),
      429,
      'REQUEST_LIMIT_EXCEEDED',
      '7',
    ],
  ])('%s', async (_, error, status, error_code, retryAfter) => {
    const lines: string[] = [];
    const failing = await startApiHarness({
      operations: [
        defineOperation({
          method: 'GET',
          path: '/fail',
          versions: ['2.0'],
          scope: 'jobs',
          summary: '',
          description: '',
          request: Type.Object({}),
          response: Type.Object({}),
          handle: () => Promise.reject(error),
        }),
      ],
      log: pino(
        {},
        {
          write: (line) => {
            lines.push(line);
          },
        },
      ),
    });
    const answer = await failing.get('2.0/fail');
    await failing.close();
    expect(answer).toMatchObject({ status, body: { error_code } });
    expect(answer.headers['retry-after']).toBe(retryAfter);
    if (status !== 429) expect(JSON.stringify(answer.body)).not.toContain('secret');
    // What is kept from the caller stands in the log, with the id of the request.
    if (status !== 429) expect(lines.find((line) => line.includes('secret'))).toContain('"reqId"');
  });
});

describe('what browsers are told', () => {
  const told = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };

  test.each([
    ['an answer', { url: '/api/2.0/jobs/list', headers: { authorization } }],
    ['a refusal', { url: '/api/2.0/jobs/get', headers: { authorization } }],
    ['a refused credential', { url: '/api/2.0/jobs/get' }],
    ['an unknown path', { url: '/nowhere', headers: { authorization } }],
    ['an address that cannot be read', { url: '/api/%zz' }],
    ['health', { url: '/healthz' }],
    ['the metrics', { url: '/metrics', headers: { authorization } }],
    ['the description', { url: '/api/openapi.json' }],
  ])('%s is shown nowhere, loads nothing and is not kept', async (_, request) => {
    expect((await service.send(request)).headers).toMatchObject(told);
  });

  test('the reference page is shown in no frame either', async () => {
    const { headers } = await service.send({ url: '/api/docs' });
    expect(headers).toMatchObject({
      ...told,
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });
});

describe('without a token', () => {
  test('/healthz and /readyz answer', async () => {
    expect(await service.send({ url: '/healthz' })).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await service.send({ url: '/readyz' })).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  test('/healthz answers to HEAD', async () => {
    expect((await service.send({ method: 'HEAD', url: '/healthz' })).status).toBe(200);
  });

  test('/readyz says why the service is not ready', async () => {
    const starting = await startApiHarness({
      checkReadiness: async () => ({ ready: false, reason: 'The database is starting.' }),
    });
    expect(await starting.send({ url: '/readyz' })).toMatchObject({
      status: 503,
      body: { reason: 'The database is starting.' },
    });
    expect((await starting.send({ url: '/healthz' })).status).toBe(200);
    await starting.close();
  });

  test('the probe of the clients is a 404 that they understand', async () => {
    expect(await service.send({ url: probePath })).toMatchObject({
      status: 404,
      body: { error_code: 'ENDPOINT_NOT_FOUND' },
    });
  });

  test('/metrics is closed, unless it is opened', async () => {
    expect((await service.send({ url: '/metrics' })).status).toBe(401);
    const opened = await startApiHarness({ metricsOpen: true });
    expect((await opened.send({ url: '/metrics' })).status).toBe(200);
    await opened.close();
  });
});

test('/metrics counts the queries of the database', async () => {
  const count = async (): Promise<number> => {
    const { body } = await service.send({ url: '/metrics', headers: { authorization } });
    return Number(/^runyard_database_queries_total (\d+)$/m.exec(String(body['text']))?.[1]);
  };
  const before = await count();
  await service.get('2.0/jobs/list');
  expect(await count()).toBeGreaterThan(before);
  expect(await count()).toBeGreaterThan(0);
});
