/** Behavior common to all operations: request tolerance, security headers, health, and metrics. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probePath } from '../../../engine/validation/aliases.ts';
import { adminToken, idFrom, startApiHarness, type ApiHarness } from './api-harness.ts';

const authorization = `Bearer ${adminToken}`;

const job = { name: 'j', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } };

let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});

afterAll(() => service.close());

describe('request tolerance', () => {
  test.each([
    'text/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-8',
    undefined,
  ])('a JSON body with content type %s is parsed', async (type) => {
    const headers = type === undefined ? { authorization } : { authorization, 'content-type': type };
    const answer = await service.send({
      method: 'POST',
      url: '/api/2.0/jobs/create',
      payload: JSON.stringify(job),
      headers,
    });
    expect(answer).toMatchObject({ status: 200, body: { job_id: expect.any(Number) } });
  });

  test('numbers and booleans as text are converted, nested settings included', async () => {
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

  test('GET parameters in the body are read; the query takes precedence', async () => {
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

  test('a repeated query parameter is merged; different values are refused', async () => {
    const send = (url: string) => service.send({ url, headers: { authorization } });
    expect((await send('/api/2.1/jobs/get?job_id=4711&job_id=4711')).body['message']).toBe(
      'Job 4711 does not exist.',
    );
    expect((await send('/api/2.1/jobs/get?job_id=1&job_id=2')).body).toEqual({
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'job_id is given 2 times with different values; send it once.',
    });
  });

  test('an empty page_token selects the first page, and True is a boolean', async () => {
    expect(
      (await service.get('2.1/jobs/list', { page_token: '', limit: '25', expand_tasks: 'True' })).status,
    ).toBe(200);
  });
});

describe('security headers', () => {
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
  ])('%s forbids framing, loading and caching', async (_, request) => {
    expect((await service.send(request)).headers).toMatchObject(told);
  });

  test('the description forbids framing, and is revalidated by its ETag', async () => {
    const { headers } = await service.send({ url: '/api/openapi.json' });
    expect(headers).toMatchObject({ ...told, 'cache-control': 'no-cache', etag: expect.any(String) });
  });

  test('the API reference forbids framing', async () => {
    const { headers } = await service.send({ url: '/api/docs' });
    expect(headers).toMatchObject({
      ...told,
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });
});

describe('without a token', () => {
  test('/healthz and /readyz respond', async () => {
    expect(await service.send({ url: '/healthz' })).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await service.send({ url: '/readyz' })).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  test('/healthz responds to HEAD', async () => {
    expect((await service.send({ method: 'HEAD', url: '/healthz' })).status).toBe(200);
  });

  test('/readyz returns the reason while the service is not ready', async () => {
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

  test('the probe of clients describes the service without a token', async () => {
    expect(await service.send({ url: probePath })).toMatchObject({
      status: 200,
      body: {
        oidc_endpoint: `${service.ports.workspaceInfo.publicUrl()}/oidc`,
        workspace_id: service.ports.workspaceInfo.workspaceId,
        host_type: 'workspace',
      },
    });
  });

  test.each(['/.well-known/other', '/oidc/.well-known/oauth-authorization-server'])(
    '%s returns a 404 error document without a token',
    async (url) => {
      expect(await service.send({ url })).toMatchObject({
        status: 404,
        body: { error_code: 'ENDPOINT_NOT_FOUND' },
      });
    },
  );

  test.each([
    ['an unknown path', 'POST', '/api/2.0/nowhere'],
    ['an unknown method', 'PUT', '/api/2.0/jobs/list'],
  ] as const)('%s is 404 before its body is parsed', async (_, method, url) => {
    const payload = '{"broken';
    expect(await service.send({ method, url, payload, headers: { authorization } })).toMatchObject({
      status: 404,
      body: { error_code: 'ENDPOINT_NOT_FOUND' },
    });
    expect((await service.send({ method, url, payload })).status).toBe(401);
  });

  test('/metrics needs a token unless it is configured as open', async () => {
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
