/** Service principals, and tokens of all users. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
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

const users = 'preview/scim/v2/Users';

const principals = 'preview/scim/v2/ServicePrincipals';

const add = async (userName: string, fields: object = {}): Promise<string> =>
  (await send('POST', users, { userName, ...fields })).body.id;

const tokenFor = async (userName: string, fields: object = {}): Promise<string> =>
  (await send('POST', 'token-management/on-behalf-of/tokens', { user_name: userName, ...fields })).body
    .token_value;

const job = { name: 'j', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } };

describe('service principals', () => {
  test('get their first token from an administrator and create the next one themselves', async () => {
    const made = (await send('POST', principals, { displayName: 'nightly' })).body;
    expect(made).toMatchObject({
      applicationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      displayName: 'nightly',
    });
    const first = await send('POST', 'token-management/on-behalf-of/tokens', {
      application_id: made.applicationId,
      lifetime_seconds: 3_600,
      comment: 'first',
    });
    expect(first.body.token_info).toMatchObject({
      comment: 'first',
      owner_id: Number(made.id),
      owner_name: made.applicationId,
      created_by_username: 'admin',
      last_used_day: 0,
      workspace_id: 17,
    });
    const { token_value: next } = (
      await send('POST', 'token/create', { scopes: ['jobs'] }, first.body.token_value)
    ).body;
    const { body } = await send('POST', 'jobs/create', job, next);
    expect((await send('GET', `jobs/get?job_id=${body.job_id}`)).body.creator_user_name).toBe(
      made.applicationId,
    );
    expect((await send('GET', `permissions/jobs/${body.job_id}`)).body.access_control_list[0]).toMatchObject({
      service_principal_name: made.applicationId,
      all_permissions: [{ permission_level: 'IS_OWNER' }],
    });
  });

  test('have permissions on jobs', async () => {
    const { applicationId } = (await send('POST', principals, { applicationId: 'deployer' })).body;
    expect(applicationId).toBe('deployer');
    const {
      body: { job_id: jobId },
    } = await send('POST', 'jobs/create', {
      ...job,
      access_control_list: [{ service_principal_name: 'deployer', permission_level: 'CAN_MANAGE' }],
    });
    expect((await send('GET', `permissions/jobs/${jobId}`)).body.access_control_list[1]).toMatchObject({
      service_principal_name: 'deployer',
    });
    expect(
      await send('PATCH', `permissions/jobs/${jobId}`, {
        access_control_list: [{ user_name: 'deployer', permission_level: 'CAN_VIEW' }],
      }),
    ).toMatchObject({
      status: 400,
      body: { message: 'access_control_list names the user "deployer", which does not exist.' },
    });
  });

  test.each([
    [{}, 'None of application_id, user_name is given; exactly one is required.'],
    [
      { application_id: 'a', user_name: 'b' },
      'Both of application_id, user_name is given; exactly one is required.',
    ],
    [{ application_id: 'admin' }, 'application_id is "admin"; this service principal does not exist.'],
    [{ user_name: 'unknown-user' }, 'user_name is "unknown-user"; this user does not exist.'],
    [{ user_name: 'admin', scopes: ['all'] }, /^scopes\[0\] is "all"; it must be one of/],
  ])('a token for %j is refused', async (body, message) => {
    expect(await send('POST', 'token-management/on-behalf-of/tokens', body)).toMatchObject({
      status: 400,
      body: { message: typeof message === 'string' ? message : expect.stringMatching(message) },
    });
  });
});

describe('tokens of all users', () => {
  test('are listed, updated and revoked by administrators', async () => {
    await add('dora');
    const token = await tokenFor('dora', { scopes: ['jobs'] });
    const found = (
      await send('GET', 'token-management/tokens?created_by_username=admin')
    ).body.token_infos.find((one: ResponseBody) => one.owner_name === 'dora');
    const path = `token-management/tokens/${found.token_id}`;
    expect((await send('GET', path)).body).toEqual({ token_info: found });
    expect((await send('PATCH', path, { token: { scopes: ['files'] }, update_mask: 'scopes' })).status).toBe(
      200,
    );
    expect((await send('GET', 'jobs/list', undefined, token)).body.message).toBe(
      'Provided access token does not have required scopes: jobs',
    );
    expect(await send('DELETE', path)).toMatchObject({ status: 200, body: {} });
    expect((await send('GET', 'managed_fs/list?path=/', undefined, token)).body.message).toContain(
      'Invalid access token.',
    );
    for (const gone of [path, 'token-management/tokens/x'])
      expect((await send('GET', gone)).status).toBe(404);
    expect((await send('DELETE', path)).status).toBe(404);
  });
});
