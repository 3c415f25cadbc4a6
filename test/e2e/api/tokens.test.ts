/** Creation, list and deletion of tokens. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { ResponseBody } from '../../harness/api-client.ts';
import { addUser } from '../../harness/users.ts';
import { startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const created = 1_770_000_000_000;

const unknownId = 'a'.repeat(64);

let service: ApiHarness;

/** Token with all scopes of a user who is not an administrator. */
let mine: string;

beforeAll(async () => {
  service = await startApiHarness();
  mine = await addUser(service.database.db, 'ann');
});

afterAll(() => service.close());

interface Sent {
  readonly status: number;
  readonly body: ResponseBody;
}

const send = (
  token: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  payload?: object,
): Promise<Sent> =>
  service.send({
    method,
    url: `/api/2.0/${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload !== undefined && { payload }),
  });

const create = async (payload: object = {}, token = mine): Promise<ResponseBody> =>
  (await send(token, 'POST', 'token/create', payload)).body;

const list = async (token = mine): Promise<ResponseBody[]> =>
  (await send(token, 'GET', 'token/list')).body.token_infos;

const idsOf = (tokens: readonly ResponseBody[]): string[] => tokens.map((token) => token.token_id);

describe('spec 4.2: token/create', () => {
  test('returns the token value and the token info of spec 2.11', async () => {
    const answer = await send(mine, 'POST', 'token/create', {
      comment: 'nightly',
      lifetime_seconds: 7_776_000,
      scopes: ['jobs', 'sql'],
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      token_value: expect.stringMatching(/^runyard_[0-9a-f]{40}$/),
      token_info: {
        token_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        creation_time: created,
        expiry_time: created + 7_776_000_000,
        comment: 'nightly',
        scopes: ['jobs', 'sql'],
        last_accessed_time: 0,
        autoscope_state: 'AUTOSCOPE_STATE_USER_SELECTED',
        inferred_scopes: [],
        backfill_scopes: [],
      },
    });
  });

  test('spec 4.2, 8: an empty body creates a token with a lifetime of 730 days', async () => {
    const answer = await send(mine, 'POST', 'token/create');
    expect(answer.body.token_info).toMatchObject({
      expiry_time: created + 730 * 86_400_000,
      comment: '',
      scopes: ['all-apis'],
    });
  });

  test('the token value is not stored, and the id is not derived from it', async () => {
    const {
      token_value: value,
      token_info: { token_id: id },
    } = await create();
    const hash = createHash('sha256').update(value).digest('hex');
    const rows = await service.database.db
      .selectFrom('tokens')
      .selectAll()
      .where('token_id', '=', id)
      .execute();
    expect(rows).toMatchObject([{ hash }]);
    expect(JSON.stringify(rows)).not.toContain(value.slice('runyard_'.length));
    expect(id).not.toBe(hash);
    expect(JSON.stringify(await list())).not.toContain('token_value');
  });

  test('spec 5.1, 5.6: the new token belongs to the same user and is limited to its scopes', async () => {
    const { token_value: value } = await create({ scopes: ['jobs'] });
    expect((await send(value, 'GET', 'preview/scim/v2/Me')).body.userName).toBe('ann');
    expect((await send(value, 'GET', 'jobs/list')).status).toBe(200);
    expect(await send(value, 'GET', 'permissions/jobs/1')).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        message: 'Provided access token does not have required scopes: access-management',
      },
    });
  });

  test('spec 2.11: a token with the authentication scope creates tokens with any scope', async () => {
    const { token_value: value } = await create({ scopes: ['authentication'] });
    expect((await create({ scopes: ['all-apis'] }, value)).token_info.scopes).toEqual(['all-apis']);
  });

  test('a token is invalid after its lifetime', async () => {
    const other = await startApiHarness();
    const admin = { authorization: 'Bearer token-of-the-administrator' };
    const { body }: Sent = await other.send({
      method: 'POST',
      url: '/api/2.0/token/create',
      headers: admin,
      payload: { lifetime_seconds: '60' },
    });
    const authorization = `Bearer ${body.token_value}`;
    const call = () => other.send({ url: '/api/2.0/jobs/list', headers: { authorization } });
    other.advanceClock(59_999);
    expect((await call()).status).toBe(200);
    other.advanceClock(1);
    expect(await call()).toMatchObject({
      status: 403,
      body: { error_code: 'PERMISSION_DENIED', message: expect.stringContaining('Invalid access token') },
    });
    expect((await other.get('2.0/token/list')).body['token_infos']).toHaveLength(1);
    await other.close();
  });

  test.each([
    [
      'automatic scopes together with explicit ones',
      { autoscope_enabled: true, scopes: ['sql'] },
      'INVALID_PARAMETER_VALUE',
      'autoscope_enabled is true and scopes are given; only one of them is allowed.',
    ],
    [
      'a lifetime of 0',
      { lifetime_seconds: 0 },
      'INVALID_PARAMETER_VALUE',
      'lifetime_seconds is 0; it must be at least 1.',
    ],
    [
      'a negative lifetime',
      { lifetime_seconds: -1 },
      'INVALID_PARAMETER_VALUE',
      'lifetime_seconds is -1; it must be at least 1.',
    ],
    [
      'a lifetime above the maximum',
      { lifetime_seconds: 63_072_001 },
      'INVALID_PARAMETER_VALUE',
      'lifetime_seconds is 63072001; at most 63072000 (730 days) are allowed.',
    ],
    [
      'a lifetime that is not a number',
      { lifetime_seconds: 'long' },
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected integer for field lifetime_seconds, found STRING "long"',
    ],
    [
      'scopes that are not a list',
      { scopes: 'jobs' },
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected array for field scopes, found STRING',
    ],
    [
      'a comment that is not a string',
      { comment: 7 },
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected string for field comment, found NUMBER',
    ],
  ])('%s is refused, and nothing is stored', async (_, body, error_code, message) => {
    const before = idsOf(await list());
    expect(await send(mine, 'POST', 'token/create', body)).toMatchObject({
      status: 400,
      body: { error_code, message },
    });
    expect(idsOf(await list())).toEqual(before);
  });

  test('spec 8: a token above the limit of its user is refused with QUOTA_EXCEEDED, concurrent calls included, until one is revoked', async () => {
    const small = await startApiHarness({}, { ...defaultLimits, tokensPerUser: 4 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => small.post('2.0/token/create')));
    // The first administrator already has one token.
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400, 400, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      error_code: 'QUOTA_EXCEEDED',
      message: 'The quota for the number of tokens of a user has been reached. The current quota is 4.',
    });
    const made: ResponseBody = answers.find(({ status }) => status === 200)?.body;
    await small.post('2.0/token/delete', { token_id: made.token_info.token_id });
    expect((await small.post('2.0/token/create')).status).toBe(200);
    const bob = await addUser(small.database.db, 'bob');
    expect(
      (
        await small.send({
          method: 'POST',
          url: '/api/2.0/token/create',
          headers: { authorization: `Bearer ${bob}` },
        })
      ).status,
    ).toBe(200);
    await small.close();
  });
});

describe('token/list', () => {
  test('lists only the valid tokens of the caller, newest first, with the time of last use', async () => {
    const carl = await addUser(service.database.db, 'carl');
    const { token_info: first } = await create({ comment: 'first' }, carl);
    service.advanceClock(1_000);
    const { token_info: second, token_value: value } = await create({ comment: 'second' }, carl);
    await send(value, 'GET', 'jobs/list');
    await expect
      .poll(async () => (await list(carl)).map(({ comment, last_accessed_time: at }) => [comment, at > 0]))
      .toEqual([
        ['second', true],
        ['first', false],
        ['', true],
      ]);
    expect(idsOf(await list(carl))).toEqual([second.token_id, first.token_id, expect.any(String)]);
    expect(idsOf(await list())).not.toContain(first.token_id);
  });

  test('a token without expiration has expiry_time -1', async () => {
    const { body } = await service.get('2.0/token/list');
    expect(body['token_infos']).toMatchObject([
      { comment: 'Token of the first administrator', expiry_time: -1, scopes: ['all-apis'] },
    ]);
  });
});

describe('token/delete', () => {
  test('a deleted token is invalid immediately and no longer listed', async () => {
    const {
      token_value: value,
      token_info: { token_id },
    } = await create();
    expect(await send(value, 'POST', 'token/delete', { token_id })).toMatchObject({ status: 200, body: {} });
    expect(await send(value, 'GET', 'jobs/list')).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('Invalid access token') },
    });
    expect(idsOf(await list())).not.toContain(token_id);
    expect(await send(mine, 'POST', 'token/delete', { token_id })).toMatchObject({
      status: 404,
      body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `Token ${token_id} does not exist.` },
    });
  });

  test.each([
    ['an unknown id', unknownId],
    ['the token value instead of the id', 'runyard_'.padEnd(48, '0')],
    ['an invalid id', '☃'],
    ['an empty id', ''],
  ])('%s is 404', async (_, id) => {
    expect(await send(mine, 'POST', 'token/delete', { token_id: id })).toMatchObject({
      status: 404,
      body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: `Token ${id} does not exist.` },
    });
  });

  test('the token of another user is not found, and the error contains the id', async () => {
    const {
      token_value: value,
      token_info: { token_id },
    } = await create();
    const dora = await addUser(service.database.db, 'dora');
    expect((await send(dora, 'POST', 'token/delete', { token_id })).status).toBe(404);
    expect((await send(value, 'GET', 'jobs/list')).status).toBe(200);
    expect(await send(mine, 'POST', 'token/delete', {})).toMatchObject({
      status: 400,
      body: { message: 'Missing required field: token_id.' },
    });
  });
});
