/** Users: creation, update, deactivation and deletion. */
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
  test('are created, filtered, returned, updated and deleted', async () => {
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

  test('are listed in pages, without service principals', async () => {
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
      'an invalid email address',
      'POST',
      users,
      { userName: 'x', emails: [{ value: 'nowhere' }] },
      400,
      'emails has {"value":"nowhere"}; it must be {"value": "ada@example.org"}, an address in ASCII.',
    ],
    [
      'an unknown group',
      'POST',
      users,
      { userName: 'x', groups: [{ value: 'team' }] },
      400,
      'groups has "team"; it must be one of users, admins.',
    ],
    [
      'an unsupported filter',
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
      'an unknown operation',
      'PATCH',
      `${users}/1`,
      { Operations: [{ op: 'move', path: 'active' }] },
      400,
      'Operations[0].op is "move"; it must be one of add, replace, remove.',
    ],
    [
      'an invalid boolean',
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

  test('the last active administrator cannot be removed, concurrent requests included', async () => {
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

describe('a deactivated user', () => {
  test('their tokens are refused immediately, until the user is activated again', async () => {
    const id = await add('bob');
    const token = await tokenFor('bob');
    expect((await send('GET', 'jobs/list', undefined, token)).status).toBe(200);
    await patch(id, { op: 'replace', path: 'active', value: false });
    expect(await send('GET', 'jobs/list', undefined, token)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('Invalid access token') },
    });
    await patch(id, { op: 'replace', path: 'active', value: true });
    expect((await send('GET', 'jobs/list', undefined, token)).status).toBe(200);
  });
});

describe('a deleted user', () => {
  test('spec 2.1, 2.5: their tokens are invalid, and their jobs and runs remain without a creator', async () => {
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
      body: { message: expect.stringContaining('Invalid access token') },
    });
    expect((await send('GET', `jobs/get?job_id=${jobId}`)).body).not.toHaveProperty('creator_user_name');
    expect((await send('GET', `jobs/runs/get?run_id=${runId}`)).body).not.toHaveProperty('creator_user_name');
    // A new user with the same name is a different user.
    await add('carl');
    expect((await send('GET', `jobs/get?job_id=${jobId}`)).body).not.toHaveProperty('creator_user_name');
    expect((await send('POST', 'jobs/run-now', { job_id: jobId })).status).toBe(200);
  });
});
