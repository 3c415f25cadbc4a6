/** Authentication of requests by the Authorization header and by token scopes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { hashToken } from '../../../engine/token/token.ts';
import { adminToken, startApiHarness, type ApiHarness } from './api-harness.ts';

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
  ])('a token is accepted as %s', async (_, header) => {
    const answer = await service.send({ url: '/api/2.1/jobs/list', headers: { authorization: header } });
    expect(answer.status).toBe(200);
  });

  test.each([
    ['nothing', undefined],
    ['another scheme', 'Digest x'],
    ['a scheme without a token', 'Bearer '],
    ['Basic without a password', `Basic ${Buffer.from('token:').toString('base64')}`],
  ])('%s returns 401', async (_, header) => {
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
    ['unknown', undefined, /^Invalid access token\.$/],
    [
      'expired',
      { expiry_time: 1_769_999_999_999 },
      /^Invalid access token\. It expired on 2026-02-02\. Create a new one\.$/,
    ],
    [
      'revoked',
      { revoked_time: 1 },
      /^Invalid access token\. It was revoked on 1970-01-01\. Create a new one\.$/,
    ],
  ])('a token that is %s returns 403 with the reason', async (name, fields, message) => {
    if (fields !== undefined) await storeToken(`${name}-token`, fields);
    const answer = await service.send({
      url: '/api/2.1/jobs/list',
      headers: { authorization: `Bearer ${name}-token` },
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { error_code: 'PERMISSION_DENIED', message: expect.stringMatching(message) },
    });
  });

  test('spec 7: a token without the scope is refused with the name of the scope', async () => {
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

  test('a denied read is logged with its caller and without the token value', async () => {
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

  test('an invalid credential is refused before the body is parsed', async () => {
    const answer = await service.send({
      method: 'POST',
      url: '/api/2.0/jobs/create',
      payload: '{',
      headers: { 'content-type': 'text/json' },
    });
    expect(answer.status).toBe(401);
  });
});
