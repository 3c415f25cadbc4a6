/** Log of deliveries, redelivery, and access to it. */
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

beforeAll(async () => {
  service = await startApiHarness();
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

describe('the delivery log', () => {
  const deliveries = '2.0/notifications/deliveries';

  test('contains a test delivery, filters by it, and makes it due again on redelivery', async () => {
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

  test('is listed in pages, newest first', async () => {
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

  test('with job access control, users see deliveries of jobs they may view and resend those of jobs they may run', async () => {
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
