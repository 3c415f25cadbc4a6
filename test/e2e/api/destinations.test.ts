/** Notification destinations: create, update, rotate, list and delete. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addUser } from '../../harness/users.ts';
import {
  adminToken,
  startApiHarness,
  type ApiResponse,
  type ApiHarness,
} from '../../unit/api/api-harness.ts';
import { defaultLimits } from '../../../engine/limits.ts';

let service: ApiHarness;

let person: string;

let narrow: string;

beforeAll(async () => {
  service = await startApiHarness();
  person = await addUser(service.database.db, 'ann');
  narrow = await addUser(service.database.db, 'bob', { admin: true, scopes: ['jobs'] });
});

afterAll(() => service.close());

beforeEach(async () => {
  await service.database.db.deleteFrom('destinations').execute();
  await service.database.db.deleteFrom('deliveries').execute();
});

const path = '2.0/notification-destinations';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

function as(token: string) {
  return (method: Method, url: string, body?: object): Promise<ApiResponse> =>
    service.send({
      method,
      url: `/api/${url}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { payload: body }),
    });
}

const admin = as(adminToken);

const url = 'https://desk.example.org/hooks/secret-path';

const webhook = {
  display_name: 'desk',
  config: { generic_webhook: { url, username: 'u', password: 'secret-word' } },
};

async function create(body: object = webhook): Promise<string> {
  const answer = await admin('POST', path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return String(answer.body['id']);
}

test('create returns the signing secret once, and no response contains another secret', async () => {
  const { body } = await admin('POST', path, webhook);
  const shown = {
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    display_name: 'desk',
    destination_type: 'WEBHOOK',
    config: { generic_webhook: { url_set: true, username_set: true, password_set: true } },
  };
  expect(body).toEqual({ ...shown, signing_secret: expect.stringMatching(/^whsec_[A-Za-z\d+/]{43}=$/) });
  const { body: got } = await admin('GET', `${path}/${body['id']}`);
  expect(got).toEqual({ ...shown, id: body['id'] });
});

test.each<[object, string]>([
  [{ slack: { url } }, 'SLACK'],
  [{ microsoft_teams: { url } }, 'MICROSOFT_TEAMS'],
  [{ email: { addresses: ['a@x.org'] } }, 'EMAIL'],
])('%j is %s and has no signing secret', async (config, kind) => {
  const { status, body } = await admin('POST', path, { display_name: 'd', config });
  expect([status, body['destination_type'], body['signing_secret']]).toEqual([200, kind, undefined]);
});

test.each<[object, string]>([
  [{ ...webhook, display_name: '  ' }, 'Missing required field: display_name.'],
  [
    { ...webhook, display_name: 'x'.repeat(5_000) },
    'display_name is 5000 bytes of UTF-8; at most 4096 are allowed.',
  ],
  [
    { display_name: 'd', config: {} },
    'config has none of email, generic_webhook, slack, microsoft_teams; exactly one is required.',
  ],
  [
    { display_name: 'd', config: { slack: { url: 'http://10.0.0.1/' } } },
    'config.slack.url has the private or local host "10.0.0.1"; only public addresses are allowed unless RUNYARD_WEBHOOK_ALLOW_PRIVATE is true.',
  ],
  [{ display_name: 'd' }, 'Missing required field: config.'],
])('%j is refused, and nothing is stored', async (body, message) => {
  expect(await admin('POST', path, body)).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_PARAMETER_VALUE', message },
  });
  expect((await admin('GET', path)).body).toEqual({ results: [] });
});

describe('access to destinations', () => {
  test('users who are not administrators read names and kinds and change nothing', async () => {
    const id = await create();
    const ann = as(person);
    expect((await ann('GET', path)).body).toEqual({
      results: [{ id, display_name: 'desk', destination_type: 'WEBHOOK' }],
    });
    expect((await ann('GET', `${path}/${id}`)).body).toEqual({
      id,
      display_name: 'desk',
      destination_type: 'WEBHOOK',
    });
    for (const [method, where, body] of [
      ['POST', path, webhook],
      ['PATCH', `${path}/${id}`, { display_name: 'mine' }],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', `${path}/${id}/test`, {}],
      ['POST', `${path}/${id}/rotate-secret`, {}],
    ] as const) {
      expect(await ann(method, where, body), `${method} ${where}`).toMatchObject({
        status: 403,
        body: { error_code: 'PERMISSION_DENIED' },
      });
    }
    expect((await admin('GET', `${path}/${id}`)).body).toMatchObject({ display_name: 'desk' });
  });

  test('a token requires the scope notifications', async () => {
    for (const where of [path, '2.0/notifications/deliveries']) {
      expect(await as(narrow)('GET', where)).toMatchObject({
        status: 403,
        body: { message: 'Provided access token does not have required scopes: notifications' },
      });
    }
  });
});

test('an update keeps secrets that it does not contain', async () => {
  const id = await create();
  expect((await admin('PATCH', `${path}/${id}`, { display_name: 'second floor' })).body).toMatchObject({
    display_name: 'second floor',
    config: { generic_webhook: { password_set: true } },
  });
  expect(
    (await admin('PATCH', `${path}/${id}`, { config: { generic_webhook: { password: '' } } })).body,
  ).toMatchObject({ config: { generic_webhook: { url_set: true, username_set: true } } });
  const { target } = await service.database.db
    .selectFrom('destinations')
    .select('target')
    .executeTakeFirstOrThrow();
  expect(target).toEqual({ kind: 'WEBHOOK', url, username: 'u' });
  expect((await admin('PATCH', `${path}/${id}`, { config: { slack: { url } } })).body).toEqual({
    id,
    display_name: 'second floor',
    destination_type: 'SLACK',
    config: { slack: { url_set: true } },
  });
  const { body } = await admin('PATCH', `${path}/${id}`, { config: { generic_webhook: { url } } });
  expect(body['signing_secret']).toMatch(/^whsec_/);
});

test('an update without changes is refused', async () => {
  expect(await admin('PATCH', `${path}/${await create()}`, {})).toMatchObject({
    status: 400,
    body: { message: 'Neither display_name nor config is given; at least one is required.' },
  });
});

test('a rotated secret is used for signatures for 24 more hours', async () => {
  const id = await create();
  const { secrets: before } = await service.database.db
    .selectFrom('destinations')
    .select('secrets')
    .executeTakeFirstOrThrow();
  const { body } = await admin('POST', `${path}/${id}/rotate-secret`);
  const { secrets } = await service.database.db
    .selectFrom('destinations')
    .select('secrets')
    .executeTakeFirstOrThrow();
  expect(secrets).toEqual({
    current: body['signing_secret'],
    previous: { secret: before?.current, until: body['previous_secret_until'] },
  });
  const slack = await create({ display_name: 's', config: { slack: { url } } });
  expect(await admin('POST', `${path}/${slack}/rotate-secret`)).toMatchObject({
    status: 400,
    body: {
      message: `Notification destination ${slack} has type SLACK; only WEBHOOK destinations have a signing secret.`,
    },
  });
});

test('an unknown or invalid id returns 404', async () => {
  for (const id of ['00000000-0000-4000-8000-000000000000', 'nonsense', '7']) {
    for (const [method, where] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
    ] as const) {
      expect(
        await admin(
          method,
          `${path}/${id}${where}`,
          method === 'GET' || method === 'DELETE' ? undefined : { display_name: 'x' },
        ),
        `${method} ${id}${where}`,
      ).toMatchObject({
        status: 404,
        body: {
          error_code: 'RESOURCE_DOES_NOT_EXIST',
          message: `Notification destination ${id} does not exist.`,
        },
      });
    }
    expect(await admin('POST', `2.0/notifications/deliveries/${id}/redeliver`)).toMatchObject({
      status: 404,
      body: { message: `Delivery ${id} does not exist.` },
    });
  }
});

test('a deleted destination is not found by a second delete', async () => {
  const id = await create();
  expect(await admin('DELETE', `${path}/${id}`)).toMatchObject({ status: 200, body: {} });
  expect((await admin('DELETE', `${path}/${id}`)).status).toBe(404);
  expect((await admin('GET', path)).body).toEqual({ results: [] });
});

test('pages contain every destination once', async () => {
  const ids = [];
  for (let index = 0; index < 5; index += 1) ids.push(await create());
  const seen: unknown[] = [];
  let token = '';
  do {
    const { body } = await admin('GET', `${path}?page_size=2&page_token=${token}`);
    const { results, next_page_token: next = '' } = body as {
      results: { id: string }[];
      next_page_token?: string;
    };
    expect(results.length).toBeLessThanOrEqual(2);
    seen.push(...results.map(({ id }) => id));
    token = next;
  } while (token !== '');
  expect(seen).toEqual(ids);
});

test('create above the limit of destinations is refused', async () => {
  const small = await startApiHarness({}, { ...defaultLimits, destinations: 1 });
  const send = () => small.post(path, webhook);
  expect((await send()).status).toBe(200);
  expect(await send()).toMatchObject({
    status: 400,
    body: { error_code: 'QUOTA_EXCEEDED', message: expect.stringContaining('at most 1 are allowed') },
  });
  await small.close();
});
