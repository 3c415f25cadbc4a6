/** References of jobs and submissions to notification destinations. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  adminToken,
  startApiHarness,
  type ApiResponse,
  type ApiHarness,
} from '../../unit/api/api-harness.ts';

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

describe('jobs reference existing destinations', () => {
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

  test('create, reset, update and submit refuse an unknown destination of the job or of a task', async () => {
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
