/** Audit log of changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
import { addUser } from '../../harness/users.ts';
import { adminToken, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});

afterAll(() => service.close());

const send = (
  method: Method,
  path: string,
  payload?: object,
  token = adminToken,
): Promise<{ status: number; body: ResponseBody }> =>
  service.send({
    method,
    url: `/api/2.0/${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload !== undefined && { payload }),
  });

const job = { name: 'j', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } };

describe('the audit log', () => {
  const events = async (query: string): Promise<ResponseBody[]> =>
    (await send('GET', `audit?${query}`)).body.events;

  test('an entry contains user, action, time, address, token, and values before and after, but no secret', async () => {
    const {
      body: { job_id: jobId },
    } = await send('POST', 'jobs/create', { ...job, timeout_seconds: 5 });
    service.advanceClock(1_000);
    const changed = { job_id: jobId, new_settings: { timeout_seconds: 9, tasks: undefined } };
    await send('POST', 'jobs/update', changed);
    const [last, first] = await events('user_name=admin&limit=2');
    const tokenId = (await send('GET', 'token/list')).body.token_infos.at(-1).token_id;
    expect(last).toEqual({
      event_id: expect.any(Number),
      time: service.ports.clock.now(),
      user_name: 'admin',
      token_id: tokenId,
      source_ip: '127.0.0.1',
      action: 'POST /jobs/update',
      resource: `job_id=${jobId}`,
      status: 200,
      before: { timeout_seconds: 5 },
      after: { timeout_seconds: 9 },
    });
    expect(first).toMatchObject({
      action: 'POST /jobs/create',
      resource: `job_id=${jobId}`,
      time: last.time - 1_000,
    });
  });

  test('the creation of a token names the id of the new token', async () => {
    const own = await send('POST', 'token/create', { comment: 'nightly' });
    const other = await send('POST', 'token-management/on-behalf-of/tokens', { user_name: 'admin' });
    const [last, first] = await events('user_name=admin&limit=2');
    expect(first).toMatchObject({ resource: `token_id=${own.body.token_info.token_id}` });
    expect(last).toMatchObject({
      resource: expect.stringContaining(`token_id=${other.body.token_info.token_id}`),
    });
  });

  test('refused requests are recorded, successful reads are not', async () => {
    const token = await addUser(service.database.db, 'spy', { scopes: ['files'] });
    await send('POST', 'jobs/create', job, token);
    await send('GET', 'managed_fs/list?path=/', undefined, token);
    expect(await events('user_name=spy')).toMatchObject([{ action: 'POST /jobs/create', status: 403 }]);
  });

  test('secrets in settings are masked, and token values are never recorded', async () => {
    const cluster = (secret: string) => ({
      ...job,
      existing_cluster_id: undefined,
      new_cluster: {
        spark_version: 'v',
        node_type_id: 'n',
        num_workers: 1,
        spark_env_vars: { API_TOKEN: secret, STAGE: 'x' },
      },
    });
    const {
      body: { job_id: jobId },
    } = await send('POST', 'jobs/create', cluster('hush-one'));
    await send('POST', 'jobs/reset', { job_id: jobId, new_settings: cluster('hush-two') });
    const value = (await send('POST', 'token/create', { comment: 'x' })).body.token_value;
    const text = JSON.stringify(await service.database.db.selectFrom('audit_events').selectAll().execute());
    await events('limit=1');
    expect((await events('action=POST%20/jobs/reset&limit=1'))[0].after.new_cluster.spark_env_vars).toEqual({
      API_TOKEN: '***',
      STAGE: 'x',
    });
    expect(text).not.toMatch(/hush|runyard_[0-9a-f]{40}/);
    expect(text).not.toContain(value);
  });

  test('a query returns pages and filters by time', async () => {
    const page = (await send('GET', 'audit?limit=2')).body;
    expect(page).toMatchObject({ has_more: true, next_page_token: expect.any(String) });
    const next = (await send('GET', `audit?limit=2&page_token=${page.next_page_token}`)).body;
    expect(next.events[0].event_id).toBeLessThan(page.events[1].event_id);
    expect(await events(`start_time=${service.ports.clock.now() + 1}`)).toEqual([]);
  });
});
