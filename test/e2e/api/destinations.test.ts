/** notification-destinations and the log of deliveries: who may do what, what is shown, what is refused. */
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

test('create shows the signing secret once; no other secret is ever shown', async () => {
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

describe('who may do what', () => {
  test('people without administration see names and kinds, and change nothing', async () => {
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

  test('a token needs the scope notifications', async () => {
    for (const where of [path, '2.0/notifications/deliveries']) {
      expect(await as(narrow)('GET', where)).toMatchObject({
        status: 403,
        body: { message: 'Provided access token does not have required scopes: notifications' },
      });
    }
  });
});

test('a change keeps the secrets that it does not name', async () => {
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

test('a change of nothing is refused', async () => {
  expect(await admin('PATCH', `${path}/${await create()}`, {})).toMatchObject({
    status: 400,
    body: { message: 'Neither display_name nor config is given; at least one is required.' },
  });
});

test('a rotated secret keeps signing for 24 hours', async () => {
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

test('what does not exist is 404, under whatever id', async () => {
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

test('a deleted one is gone, and deleting it again says so', async () => {
  const id = await create();
  expect(await admin('DELETE', `${path}/${id}`)).toMatchObject({ status: 200, body: {} });
  expect((await admin('DELETE', `${path}/${id}`)).status).toBe(404);
  expect((await admin('GET', path)).body).toEqual({ results: [] });
});

test('lists come in pages that miss and repeat nothing', async () => {
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

test('there is a limit to how many there are', async () => {
  const small = await startApiHarness({}, { ...defaultLimits, destinations: 1 });
  const send = () => small.post(path, webhook);
  expect((await send()).status).toBe(200);
  expect(await send()).toMatchObject({
    status: 400,
    body: { error_code: 'QUOTA_EXCEEDED', message: expect.stringContaining('at most 1 are allowed') },
  });
  await small.close();
});

describe('jobs name destinations that exist', () => {
  const work = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/a' } };
  const webhooks = (...ids: string[]) => ({
    webhook_notifications: { on_failure: ids.map((id) => ({ id })) },
  });
  const unknown = '00000000-0000-4000-8000-000000000000';
  const refusal = (field: string) => ({
    status: 400,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: `${field} is "${unknown}"; no notification destination has this id.`,
    },
  });

  test('create, reset, update and submit refuse an unknown one, of the job and of a task', async () => {
    const id = await create();
    const tasks = (...ids: string[]) => [
      { task_key: 'a', ...work },
      { task_key: 'b', ...work, ...webhooks(...ids) },
    ];
    const rows = async () => (await service.rowCounts()).slice(0, 2);
    const before = await rows();
    expect(await service.post('2.0/jobs/create', { ...work, ...webhooks(id, unknown) })).toMatchObject(
      refusal('webhook_notifications.on_failure[1].id'),
    );
    expect(await service.post('2.1/jobs/create', { tasks: tasks(unknown) })).toMatchObject(
      refusal('tasks[1].webhook_notifications.on_failure[0].id'),
    );
    expect(await service.post('2.1/jobs/runs/submit', { tasks: tasks(unknown) })).toMatchObject(
      refusal('tasks[1].webhook_notifications.on_failure[0].id'),
    );
    expect(await rows()).toEqual(before);
    const { body } = await service.post('2.1/jobs/create', { tasks: tasks(id), ...webhooks(id) });
    const job_id = body['job_id'];
    for (const call of ['reset', 'update']) {
      expect(
        await service.post(`2.1/jobs/${call}`, { job_id, new_settings: { tasks: tasks(unknown) } }),
      ).toMatchObject(refusal('tasks[1].webhook_notifications.on_failure[0].id'));
      expect(
        (await service.post(`2.1/jobs/${call}`, { job_id, new_settings: { tasks: tasks(id) } })).status,
      ).toBe(200);
    }
    await admin('DELETE', `${path}/${id}`);
    expect(
      (await service.post('2.1/jobs/update', { job_id, new_settings: { name: 'renamed' } })).status,
    ).toBe(200);
  });
});

describe('the log', () => {
  const deliveries = '2.0/notifications/deliveries';

  test('a test waits in it, and can be filtered for; sent again it is due anew', async () => {
    const [id, other] = [await create(), await create()];
    const {
      body: { delivery_id: delivery },
    } = await admin('POST', `${path}/${id}/test`);
    await admin('POST', `${path}/${other}/test`);
    const shown = {
      id: delivery,
      event_type: 'destinations.test',
      channel: 'webhook',
      destination_id: id,
      creation_time: expect.any(Number),
      state: 'pending',
      attempts: [],
      next_attempt_time: expect.any(Number),
    };
    expect((await admin('GET', `${deliveries}?destination_id=${id}`)).body).toEqual({ deliveries: [shown] });
    expect((await admin('GET', `${deliveries}?destination_id=${id}&state=failed`)).body).toEqual({
      deliveries: [],
    });
    expect((await admin('GET', `${deliveries}?job_id=41`)).body).toEqual({ deliveries: [] });
    expect((await admin('GET', `${deliveries}?destination_id=nonsense`)).body).toEqual({ deliveries: [] });
    await service.database.db
      .updateTable('deliveries')
      .set({ state: 'failed', next_attempt_time: null, attempts: 3, round_attempts: 3, round_start_time: 1 })
      .execute();
    expect((await admin('POST', `${deliveries}/${delivery}/redeliver`)).body).toEqual({});
    expect((await admin('GET', `${deliveries}?state=pending`)).body).toMatchObject({
      deliveries: [{ id: delivery }],
    });
    expect(
      await service.database.db
        .selectFrom('deliveries')
        .select(['attempts', 'round_attempts', 'round_start_time'])
        .where('state', '=', 'pending')
        .execute(),
    ).toEqual([{ attempts: 3, round_attempts: 0, round_start_time: null }]);
  });

  test('comes in pages, newest first', async () => {
    const id = await create();
    const made = [];
    for (let index = 0; index < 3; index += 1)
      made.push((await admin('POST', `${path}/${id}/test`)).body['delivery_id']);
    const first = (await admin('GET', `${deliveries}?limit=2`)).body as {
      deliveries: { id: string }[];
      next_page_token: string;
    };
    const second = (await admin('GET', `${deliveries}?limit=2&page_token=${first.next_page_token}`)).body as {
      deliveries: { id: string }[];
    };
    expect([...first.deliveries, ...second.deliveries].map((one) => one.id)).toEqual(made.toReversed());
    expect(second).not.toHaveProperty('next_page_token');
    expect(await admin('GET', `${deliveries}?limit=1001`)).toMatchObject({
      status: 400,
      body: { message: 'Invalid limit 1001 - it has to be no more than 1000.' },
    });
    expect(await admin('GET', `${deliveries}?state=lost`)).toMatchObject({ status: 400 });
  });

  test('under job access control, people see what is about their jobs, and send again what they may run', async () => {
    const guarded = await startApiHarness({}, defaultLimits, true);
    const { db } = guarded.database;
    const [owner, viewer, stranger] = [
      await addUser(db, 'owner'),
      await addUser(db, 'viewer'),
      await addUser(db, 'stranger'),
    ];
    const call = (token: string, method: Method, where: string, body?: object) =>
      guarded.send({
        method,
        url: `/api/${where}`,
        headers: { authorization: `Bearer ${token}` },
        ...(body && { payload: body }),
      });
    const {
      body: { job_id: jobId },
    } = await call(owner, 'POST', '2.0/jobs/create', {
      existing_cluster_id: 'c',
      spark_python_task: { python_file: 'managed_fs:/a' },
      access_control_list: [{ user_name: 'viewer', permission_level: 'CAN_VIEW' }],
    });
    const { delivery_id: id } = await db
      .insertInto('deliveries')
      .values({
        outbox_event_id: null,
        event: 'on_failure',
        channel: 'email',
        queue_key: 'email',
        ordering_key: 'l',
        destination_id: null,
        address: 'a@x',
        job_id: Number(jobId),
        job_run_id: 7,
        run_id: 7,
        task_key: null,
        created_time: 1,
        facts: '{}',
        message: null,
        round_start_time: null,
        next_attempt_time: null,
        state: 'failed',
        claimed_by: null,
      })
      .returning('delivery_id')
      .executeTakeFirstOrThrow();
    const seen = async (token: string) =>
      ((await call(token, 'GET', `${deliveries}?run_id=7`)).body as { deliveries: unknown[] }).deliveries
        .length;
    expect([await seen(owner), await seen(viewer), await seen(stranger), await seen(adminToken)]).toEqual([
      1, 1, 0, 1,
    ]);
    const again = async (token: string) =>
      (await call(token, 'POST', `${deliveries}/${id}/redeliver`)).status;
    expect([await again(stranger), await again(viewer), await again(owner), await again(adminToken)]).toEqual(
      [404, 403, 200, 200],
    );
    await guarded.close();
  });
});
