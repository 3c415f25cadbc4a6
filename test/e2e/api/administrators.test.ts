/** Administrators: token permissions and workspace settings (spec 5.4). */
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

const add = async (userName: string, fields: object = {}): Promise<string> =>
  (await send('POST', users, { userName, ...fields })).body.id;

const tokenFor = async (userName: string, fields: object = {}): Promise<string> =>
  (await send('POST', 'token-management/on-behalf-of/tokens', { user_name: userName, ...fields })).body
    .token_value;

describe('spec 5.4: administrators', () => {
  test('disable tokens of all other users and limit token lifetimes', async () => {
    await add('eve');
    const token = await tokenFor('eve');
    expect((await send('GET', 'workspace-conf?keys=enableTokensConfig,maxTokenLifetimeDays')).body).toEqual({
      enableTokensConfig: 'true',
      maxTokenLifetimeDays: '',
    });
    await send('PATCH', 'workspace-conf', { enableTokensConfig: 'false' });
    expect(await send('POST', 'token/create', {}, token)).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        message:
          'User eve may not use access tokens: an administrator disabled tokens or withheld the permission.',
      },
    });
    expect((await send('GET', 'jobs/list')).status).toBe(200);
    await send('PATCH', 'workspace-conf', { enableTokensConfig: true, maxTokenLifetimeDays: 90 });
    expect((await send('GET', 'jobs/list', undefined, token)).status).toBe(200);
    expect(await send('POST', 'token/create', { lifetime_seconds: 91 * 86_400 }, token)).toMatchObject({
      status: 400,
      body: { message: 'lifetime_seconds is 7862400; at most 7776000 (90 days) are allowed.' },
    });
    const { creation_time: created, expiry_time: end } = (await send('POST', 'token/create', {}, token)).body
      .token_info;
    expect(end - created).toBe(90 * 86_400_000);
    await send('PATCH', 'workspace-conf', { maxTokenLifetimeDays: '' });
  });

  test.each([
    [
      { enableTokens: 'false' },
      /^"enableTokens" is not a workspace setting; the name must be one of enableTokensConfig, /,
    ],
    [{ enableTokensConfig: 'no' }, /^enableTokensConfig is "no"; it must be "true" or "false"\.$/],
    [
      { maxTokenLifetimeDays: '0' },
      /^maxTokenLifetimeDays is "0"; it must be a whole number of days of at least 1/,
    ],
    [{}, /^The request changes no setting/],
  ])('%j is refused, and nothing changes', async (body, message) => {
    const before = (await send('GET', 'workspace-conf')).body;
    expect(await send('PATCH', 'workspace-conf', body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
    expect((await send('GET', 'workspace-conf')).body).toEqual(before);
  });

  test('withhold the token permission from users', async () => {
    const path = 'permissions/authorization/tokens';
    const [fay, gus] = [
      await (async () => {
        await add('fay');
        return tokenFor('fay');
      })(),
      await (async () => {
        await add('gus');
        return tokenFor('gus');
      })(),
    ];
    const shownTo = async () => [
      (await send('GET', 'jobs/list', undefined, fay)).status,
      (await send('GET', 'jobs/list', undefined, gus)).status,
    ];
    const admins = {
      group_name: 'admins',
      all_permissions: [{ permission_level: 'CAN_MANAGE', inherited: true }],
    };
    expect((await send('GET', path)).body.access_control_list).toEqual([
      { group_name: 'users', all_permissions: [{ permission_level: 'CAN_USE', inherited: false }] },
      admins,
    ]);
    expect(
      (await send('PUT', path, { access_control_list: [{ user_name: 'fay', permission_level: 'CAN_USE' }] }))
        .body.access_control_list,
    ).toEqual([
      { user_name: 'fay', all_permissions: [{ permission_level: 'CAN_USE', inherited: false }] },
      admins,
    ]);
    expect(await shownTo()).toEqual([200, 403]);
    await send('PATCH', path, { access_control_list: [{ user_name: 'gus', permission_level: 'CAN_USE' }] });
    expect(await shownTo()).toEqual([200, 200]);
    for (const [entry, message] of [
      [{ user_name: 'fay', permission_level: 'CAN_MANAGE' }, /it must be CAN_USE\.$/],
      [{ user_name: 'x', permission_level: 'CAN_USE' }, /does not exist\.$/],
      [{ permission_level: 'CAN_USE' }, /exactly one is required\.$/],
    ] as const)
      expect(await send('PUT', path, { access_control_list: [entry] })).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message) },
      });
    expect(await shownTo()).toEqual([200, 200]);
    expect((await send('PATCH', path, {})).body.access_control_list).toHaveLength(3);
    expect((await send('PUT', path, {})).body.access_control_list).toEqual([admins]);
    expect(await shownTo()).toEqual([403, 403]);
    await send('PUT', path, { access_control_list: [{ group_name: 'users', permission_level: 'CAN_USE' }] });
    expect(
      (await send('GET', `${path}/permissionLevels`, undefined, gus)).body.permission_levels,
    ).toHaveLength(2);
  });
});
