/** Update of tokens, and the scope of the token operations. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
import { addUser } from '../../harness/users.ts';
import { adminToken, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

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

describe('spec 4.3: PATCH token', () => {
  test.each([
    ['id', (id: string) => id],
    ['sha-256 of its id', (id: string) => createHash('sha256').update(id).digest('hex')],
  ])('changes what update_mask names, by the %s, for the next call', async (_, named) => {
    const {
      token_value: value,
      token_info: { token_id: id },
    } = await create({ comment: 'old', scopes: ['sql'] });
    expect((await send(value, 'GET', 'jobs/list')).status).toBe(403);
    const change = { token: { scopes: ['jobs'], comment: 'new' }, update_mask: 'scopes' };
    expect(await send(mine, 'PATCH', `token/${named(id)}`, change)).toMatchObject({ status: 200, body: {} });
    expect((await send(value, 'GET', 'jobs/list')).status).toBe(200);
    const shown = async () => (await list()).find((token) => token.token_id === id);
    expect(await shown()).toMatchObject({ scopes: ['jobs'], comment: 'old' });
    await send(mine, 'PATCH', `token/${named(id)}`, { ...change, update_mask: '*' });
    expect(await shown()).toMatchObject({ scopes: ['jobs'], comment: 'new' });
  });

  test.each([
    [
      'an unknown token',
      `token/${unknownId}`,
      { token: { comment: 'x' }, update_mask: '*' },
      404,
      'NOT_FOUND',
      `Token ${unknownId} does not exist.`,
    ],
    [
      'an invalid id',
      'token/%00',
      { token: { comment: 'x' }, update_mask: '*' },
      404,
      'NOT_FOUND',
      'Token \0 does not exist.',
    ],
    [
      'no body',
      `token/${unknownId}`,
      undefined,
      400,
      'INVALID_PARAMETER_VALUE',
      'Missing required field: token.',
    ],
    [
      'no mask',
      `token/${unknownId}`,
      { token: { comment: 'x' } },
      400,
      'INVALID_PARAMETER_VALUE',
      'Missing required field: update_mask.',
    ],
    [
      'a mask with an unknown field',
      `token/${unknownId}`,
      { token: { comment: 'x' }, update_mask: 'expiry_time' },
      400,
      'INVALID_PARAMETER_VALUE',
      'update_mask names "expiry_time"; it may name comment, scopes, or be "*" for all fields of token.',
    ],
    [
      'scopes that are not a list',
      `token/${unknownId}`,
      { token: { scopes: 'x' }, update_mask: '*' },
      400,
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected array for field token.scopes, found STRING',
    ],
  ])('%s is refused', async (_, path, body, status, error_code, message) => {
    expect(await send(mine, 'PATCH', path, body)).toMatchObject({ status, body: { error_code, message } });
  });

  test('a revoked token and the token of another user are not found', async () => {
    const {
      token_info: { token_id: id },
    } = await create({ comment: 'kept' });
    const change = { token: { comment: 'changed' }, update_mask: 'comment' };
    const eve = await addUser(service.database.db, 'eve');
    expect((await send(eve, 'PATCH', `token/${id}`, change)).status).toBe(404);
    expect((await list()).find((token) => token.token_id === id).comment).toBe('kept');
    await send(mine, 'POST', 'token/delete', { token_id: id });
    expect((await send(mine, 'PATCH', `token/${id}`, change)).status).toBe(404);
  });
});

describe('spec 5.6: an administrator', () => {
  test('updates the scopes of the token of a service principal', async () => {
    const { body: principal } = await send(adminToken, 'POST', 'preview/scim/v2/ServicePrincipals', {
      displayName: 'nightly loads',
    });
    const { body: created } = await send(adminToken, 'POST', 'token-management/on-behalf-of/tokens', {
      application_id: principal.applicationId,
    });
    const { token_value: value, token_info: info } = created;
    const change = { token: { scopes: ['sql'] }, update_mask: 'scopes' };
    expect((await send(mine, 'PATCH', `token/${info.token_id}`, change)).status).toBe(404);
    expect((await send(value, 'GET', 'jobs/list')).status).toBe(200);
    expect(await send(adminToken, 'PATCH', `token/${info.token_id}`, change)).toMatchObject({
      status: 200,
      body: {},
    });
    expect((await send(value, 'GET', 'jobs/list')).status).toBe(403);
    expect(await send(adminToken, 'PATCH', `token/${unknownId}`, change)).toMatchObject({
      status: 404,
      body: { error_code: 'NOT_FOUND' },
    });
  });
});

describe('spec 4.2, 4.3, 5.6: the scope authentication', () => {
  const calls = [
    ['POST', 'token/create', {}],
    ['GET', 'token/list', undefined],
    ['POST', 'token/delete', { token_id: unknownId }],
    ['PATCH', `token/${unknownId}`, { token: { comment: 'x' }, update_mask: '*' }],
  ] as const;

  test.each(calls)('%s %s refuses a token without it and names it', async (method, path, body) => {
    const value = (await create({ scopes: ['jobs', 'sql'] })).token_value;
    expect(await send(value, method, path, body)).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        message: 'Provided access token does not have required scopes: authentication',
      },
    });
  });

  test.each(calls)('%s %s accepts a token with it', async (method, path, body) => {
    const value = (await create({ scopes: ['authentication'] })).token_value;
    expect((await send(value, method, path, body)).status).not.toBe(403);
  });
});
