/** Users, service principals and what administrators set for their tokens, through HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
import { addUser } from '../../harness/users.ts';
import { adminToken, idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

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
const patch = (id: string, ...Operations: object[]) => send('PATCH', `${users}/${id}`, { Operations });
const job = { name: 'j', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } };

describe('users', () => {
  test('are made, found, shown, changed and removed', async () => {
    const made = await send('POST', users, {
      userName: 'ada@example.org',
      displayName: 'Ada',
      emails: [{ value: 'a@b.org' }, { value: 'ada@x.org', primary: true }],
      groups: [{ value: 'admins' }],
    });
    const document = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: expect.stringMatching(/^\d+$/),
      userName: 'ada@example.org',
      displayName: 'Ada',
      active: true,
      emails: [{ value: 'ada@x.org', type: 'work', primary: true }],
      groups: [
        { display: 'admins', value: 'admins' },
        { display: 'users', value: 'users' },
      ],
    };
    expect(made).toMatchObject({ status: 200, body: document });
    const { id } = made.body;
    expect((await send('GET', `${users}/${id}`)).body).toEqual(made.body);
    for (const filter of [
      'userName eq "ADA@example.org"',
      'username EQ "ada@example.org"',
      'displayName eq "ada"',
      `id eq "${id}"`,
    ]) {
      expect((await send('GET', `${users}?filter=${encodeURIComponent(filter)}`)).body, filter).toMatchObject(
        { totalResults: 1, itemsPerPage: 1, startIndex: 1, Resources: [{ id }] },
      );
    }
    expect(
      (
        await patch(
          id,
          { op: 'Replace', path: 'displayName', value: 'Countess' },
          { op: 'remove', path: 'groups[value eq "admins"]' },
          { op: 'remove', path: 'emails' },
        )
      ).body,
    ).toMatchObject({ displayName: 'Countess', groups: [{ display: 'users' }] });
    expect(
      (await patch(id, { op: 'replace', value: { active: 'False', groups: [{ display: 'admins' }] } })).body,
    ).toMatchObject({ active: false, groups: [{ display: 'admins' }, { display: 'users' }] });
    expect(await send('DELETE', `${users}/${id}`)).toMatchObject({ status: 200, body: {} });
    expect(await send('GET', `${users}/${id}`)).toMatchObject({
      status: 404,
      body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `User ${id} does not exist.` },
    });
    expect((await send('DELETE', `${users}/${id}`)).status).toBe(404);
  });

  test('are listed by pages, without service principals', async () => {
    for (const name of ['p1', 'p2', 'p3']) await add(name);
    await send('POST', principals, { displayName: 'robot' });
    const all = (await send('GET', users)).body;
    expect(all.Resources.map(({ userName }: ResponseBody) => userName)).toEqual(
      expect.arrayContaining(['admin', 'p1', 'p2', 'p3']),
    );
    const page = (await send('GET', `${users}?startIndex=2&count=2`)).body;
    expect(page).toMatchObject({ totalResults: all.totalResults, startIndex: 2, itemsPerPage: 2 });
    expect(page.Resources).toEqual(all.Resources.slice(1, 3));
    expect((await send('GET', `${users}?count=0`)).body).toMatchObject({
      totalResults: all.totalResults,
      Resources: [],
    });
  });

  test.each<[string, Method, string, object | undefined, number, string]>([
    ['a name that is taken', 'POST', users, { userName: 'admin' }, 400, 'userName "admin" is taken.'],
    ['a name of nothing', 'POST', users, { userName: ' ' }, 400, 'Missing required field: userName.'],
    [
      'a name with a space',
      'POST',
      users,
      { userName: 'a b' },
      400,
      'userName is "a b"; spaces and control characters are not allowed.',
    ],
    ['no name', 'POST', users, {}, 400, 'Missing required field: userName.'],
    [
      'an address that is none',
      'POST',
      users,
      { userName: 'x', emails: [{ value: 'nowhere' }] },
      400,
      'emails has {"value":"nowhere"}; it must be {"value": "ada@example.org"}, an address in ASCII.',
    ],
    [
      'a group that there is not',
      'POST',
      users,
      { userName: 'x', groups: [{ value: 'team' }] },
      400,
      'groups has "team"; it must be one of users, admins.',
    ],
    [
      'a filter that is not understood',
      'GET',
      `${users}?filter=userName%20co%20%22x%22`,
      undefined,
      400,
      'filter is "userName co \\"x\\""; it must be <attribute> eq "<value>" with one of userName, displayName, applicationId, id, active.',
    ],
    ['an id that is none', 'GET', `${users}/x`, undefined, 404, 'User x does not exist.'],
    [
      'a change of the name',
      'PATCH',
      `${users}/1`,
      { Operations: [{ op: 'replace', path: 'userName', value: 'y' }] },
      400,
      'Operations[0] changes "userName"; only active, displayName, emails and groups can be changed.',
    ],
    [
      'an operation that is none',
      'PATCH',
      `${users}/1`,
      { Operations: [{ op: 'move', path: 'active' }] },
      400,
      'Operations[0].op is "move"; it must be one of add, replace, remove.',
    ],
    [
      'active that is neither',
      'PATCH',
      `${users}/1`,
      { Operations: [{ op: 'replace', path: 'active', value: 'maybe' }] },
      400,
      'active is "maybe"; it must be true or false.',
    ],
  ])('%s is refused', async (_, method, path, body, status, message) => {
    const before = (await send('GET', users)).body;
    expect(await send(method, path, body)).toMatchObject({ status, body: { message } });
    expect((await send('GET', users)).body).toEqual(before);
  });

  test('the last active administrator stays one, also when two go at once', async () => {
    const other = await startApiHarness();
    const as = (method: Method, path: string, payload?: object) =>
      other.send({
        method,
        url: `/api/2.0/${path}`,
        headers: { authorization: `Bearer ${adminToken}` },
        ...(payload !== undefined && { payload }),
      });
    const last = {
      status: 400,
      body: {
        error_code: 'INVALID_STATE',
        message: 'admin is the last active administrator; make another user an administrator first.',
      },
    };
    const {
      body: {
        Resources: [admin],
      },
    }: { body: ResponseBody } = await as('GET', users);
    expect(await as('DELETE', `${users}/${admin.id}`)).toMatchObject(last);
    expect(
      await as('PATCH', `${users}/${admin.id}`, {
        Operations: [{ op: 'replace', path: 'active', value: false }],
      }),
    ).toMatchObject(last);
    expect(
      await as('PATCH', `${users}/${admin.id}`, { Operations: [{ op: 'remove', path: 'groups' }] }),
    ).toMatchObject(last);
    await addUser(other.database.db, 'second', { admin: true });
    const { people } = other.ports;
    const second = await people.named('second');
    const ends = await Promise.allSettled(
      [Number(admin.id), second?.id ?? 0].map((id) => people.remove('user', id, 1)),
    );
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await other.close();
  });
});

describe('who is switched off', () => {
  test('none of their tokens counts, at once, until they are switched on again', async () => {
    const id = await add('bob');
    const token = await tokenFor('bob');
    expect((await send('GET', 'jobs/list', undefined, token)).status).toBe(200);
    await patch(id, { op: 'replace', path: 'active', value: false });
    expect(await send('GET', 'jobs/list', undefined, token)).toMatchObject({
      status: 403,
      body: { message: 'Invalid access token.' },
    });
    await patch(id, { op: 'replace', path: 'active', value: true });
    expect((await send('GET', 'jobs/list', undefined, token)).status).toBe(200);
  });
});

describe('who is deleted', () => {
  test('spec 2.1, 2.5: leaves jobs and runs behind without a creator, and no token that counts', async () => {
    const id = await add('carl');
    const token = await tokenFor('carl');
    const jobId = idFrom({ headers: {}, ...(await send('POST', 'jobs/create', job, token)) }, 'job_id');
    const runId = idFrom(
      { headers: {}, ...(await send('POST', 'jobs/run-now', { job_id: jobId }, token)) },
      'run_id',
    );
    expect((await send('GET', `jobs/runs/get?run_id=${runId}`)).body.creator_user_name).toBe('carl');
    await send('DELETE', `${users}/${id}`);
    expect(await send('GET', 'jobs/list', undefined, token)).toMatchObject({
      status: 403,
      body: { message: 'Invalid access token.' },
    });
    expect((await send('GET', `jobs/get?job_id=${jobId}`)).body).not.toHaveProperty('creator_user_name');
    expect((await send('GET', `jobs/runs/get?run_id=${runId}`)).body).not.toHaveProperty('creator_user_name');
    // Whoever has the name after them is somebody else.
    await add('carl');
    expect((await send('GET', `jobs/get?job_id=${jobId}`)).body).not.toHaveProperty('creator_user_name');
    expect((await send('POST', 'jobs/run-now', { job_id: jobId })).status).toBe(200);
  });
});

describe('service principals', () => {
  test('get their first token from an administrator, and make the next one themselves', async () => {
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

  test('may be given permissions on jobs', async () => {
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
    [{ user_name: 'nobody-here' }, 'user_name is "nobody-here"; this user does not exist.'],
    [{ user_name: 'admin', scopes: ['all'] }, /^scopes\[0\] is "all"; it must be one of/],
  ])('a token for %j is refused', async (body, message) => {
    expect(await send('POST', 'token-management/on-behalf-of/tokens', body)).toMatchObject({
      status: 400,
      body: { message: typeof message === 'string' ? message : expect.stringMatching(message) },
    });
  });
});

describe('the tokens of everybody', () => {
  test('are shown, changed and revoked by administrators', async () => {
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
    expect((await send('GET', 'managed_fs/list?path=/', undefined, token)).body.message).toBe(
      'Invalid access token.',
    );
    for (const gone of [path, 'token-management/tokens/x'])
      expect((await send('GET', gone)).status).toBe(404);
    expect((await send('DELETE', path)).status).toBe(404);
  });
});

describe('spec 5.4: administrators', () => {
  test('disable tokens for everybody else, and cap their life', async () => {
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
    [{ maxTokenLifetimeDays: '0' }, /^maxTokenLifetimeDays is "0"; it must be a whole number of days from 1/],
    [{}, /^The request changes no setting/],
  ])('%j is refused, and nothing changes', async (body, message) => {
    const before = (await send('GET', 'workspace-conf')).body;
    expect(await send('PATCH', 'workspace-conf', body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
    expect((await send('GET', 'workspace-conf')).body).toEqual(before);
  });

  test('withhold the permission from people', async () => {
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
      [{ user_name: 'fay', permission_level: 'CAN_MANAGE' }, /can be given\.$/],
      [{ user_name: 'x', permission_level: 'CAN_USE' }, /does not exist\.$/],
      [{ permission_level: 'CAN_USE' }, /exactly one is required\.$/],
    ] as const)
      expect(await send('PUT', path, { access_control_list: [entry] })).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message) },
      });
    expect(await shownTo()).toEqual([200, 200]);
    await send('PUT', path, { access_control_list: [{ group_name: 'users', permission_level: 'CAN_USE' }] });
    expect(
      (await send('GET', `${path}/permissionLevels`, undefined, gus)).body.permission_levels,
    ).toHaveLength(2);
  });
});

describe('the audit log', () => {
  const events = async (query: string): Promise<ResponseBody[]> =>
    (await send('GET', `audit?${query}`)).body.events;

  test('says who did what, when, from where and with which token, what was before and after, and holds no secret', async () => {
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

  test('keeps what was refused, and nothing that was only read', async () => {
    const token = await addUser(service.database.db, 'spy', { scopes: ['files'] });
    await send('POST', 'jobs/create', job, token);
    await send('GET', 'managed_fs/list?path=/', undefined, token);
    expect(await events('user_name=spy')).toMatchObject([{ action: 'POST /jobs/create', status: 403 }]);
  });

  test('masks what is secret in settings, and a value of a token stands nowhere in it', async () => {
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

  test('is shown by pages and by time', async () => {
    const page = (await send('GET', 'audit?limit=2')).body;
    expect(page).toMatchObject({ has_more: true, next_page_token: expect.any(String) });
    const next = (await send('GET', `audit?limit=2&page_token=${page.next_page_token}`)).body;
    expect(next.events[0].event_id).toBeLessThan(page.events[1].event_id);
    expect(await events(`start_time=${service.ports.clock.now() + 1}`)).toEqual([]);
  });
});
