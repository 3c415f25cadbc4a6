/** Job access control: operations by permission level of the caller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOperationsWithoutAccess } from '../../../api/http/access.ts';
import { createCoreOperations } from '../../../api/http/operations.ts';
import { addUser } from '../../harness/users.ts';
import {
  adminToken,
  idFrom,
  startApiHarness,
  type ApiResponse,
  type ApiHarness,
} from '../../unit/api/api-harness.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

let service: ApiHarness;

/** Tokens by user name; each user is named after their level on the shared job. */
const tokens = new Map<string, string>([['admin', adminToken]]);

beforeAll(async () => {
  service = await startApiHarness({}, undefined, true);
  for (const name of ['owner', 'manager', 'runner', 'viewer', 'stranger'])
    tokens.set(name, await addUser(service.database.db, name));
});

afterAll(() => service.close());

const job = { name: 'j', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } };

const levels = [
  { user_name: 'manager', permission_level: 'CAN_MANAGE' },
  { user_name: 'runner', permission_level: 'CAN_MANAGE_RUN' },
  { user_name: 'viewer', permission_level: 'CAN_VIEW' },
];

function as(
  name: string,
  method: Method,
  path: string,
  input: Record<string, unknown> = {},
): Promise<ApiResponse> {
  const query = Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value)]));
  return service.send({
    method,
    url: `/api/${path}`,
    headers: { authorization: `Bearer ${tokens.get(name)}` },
    ...(method === 'GET' ? { query } : { payload: input }),
  });
}

/** Creates a job of the owner with a run; each user has the level they are named after. */
async function sharedJob(): Promise<{ jobId: number; runId: number }> {
  const jobId = idFrom(
    await as('owner', 'POST', '2.0/jobs/create', {
      ...job,
      access_control_list: levels,
      max_concurrent_runs: 1000,
    }),
    'job_id',
  );
  return { jobId, runId: idFrom(await as('owner', 'POST', '2.0/jobs/run-now', { job_id: jobId }), 'run_id') };
}

const entry = (name: string, level: string) => ({
  user_name: name,
  display_name: name,
  all_permissions: [{ permission_level: level, inherited: false }],
});

const admins = {
  group_name: 'admins',
  all_permissions: [{ permission_level: 'CAN_MANAGE', inherited: true, inherited_from_object: ['/jobs/'] }],
};

describe('job access control', () => {
  const people = ['stranger', 'viewer', 'runner', 'manager', 'owner', 'admin'];
  const view = 'View or Admin or Manage Run or Owner';
  const run = 'Admin or Manage Run or Owner';
  const manage = 'Admin or Owner';

  test.each<
    [Method, string, (of: { jobId: number; runId: number }) => Record<string, unknown>, string, string]
  >([
    ['GET', '2.1/jobs/get', ({ jobId }) => ({ job_id: jobId }), 'viewer', view],
    ['GET', '2.0/jobs/runs/list', ({ jobId }) => ({ job_id: jobId }), 'viewer', view],
    ['GET', '2.1/jobs/runs/get', ({ runId }) => ({ run_id: runId }), 'viewer', view],
    ['GET', '2.1/jobs/runs/get-output', ({ runId }) => ({ run_id: runId }), 'viewer', view],
    ['GET', '2.2/jobs/runs/export', ({ runId }) => ({ run_id: runId }), 'viewer', view],
    ['POST', '2.1/jobs/run-now', ({ jobId }) => ({ job_id: jobId }), 'runner', run],
    ['POST', '2.1/jobs/runs/cancel', ({ runId }) => ({ run_id: runId }), 'runner', run],
    ['POST', '2.1/jobs/runs/cancel-all', ({ jobId }) => ({ job_id: jobId }), 'runner', run],
    ['POST', '2.0/jobs/reset', ({ jobId }) => ({ job_id: jobId, new_settings: job }), 'manager', manage],
    [
      'POST',
      '2.0/jobs/update',
      ({ jobId }) => ({ job_id: jobId, new_settings: { name: 'n' } }),
      'manager',
      manage,
    ],
  ])('%s %s', async (method, path, input, weakest, words) => {
    const shared = await sharedJob();
    for (const name of people) {
      const answer = await as(name, method, path, input(shared));
      if (people.indexOf(name) >= people.indexOf(weakest)) expect(answer.status, name).toBe(200);
      else {
        expect(answer, name).toMatchObject({
          status: 403,
          body: {
            error_code: 'PERMISSION_DENIED',
            message: `User ${name} does not have ${words} permissions on job ${shared.jobId}`,
          },
        });
      }
    }
  });

  test.each([
    ['2.0/jobs/delete', async () => ({ job_id: (await sharedJob()).jobId })],
    [
      '2.0/jobs/runs/delete',
      async () => {
        const { runId } = await sharedJob();
        await service.endRun(runId, { result: 'SUCCESS' });
        return { run_id: runId };
      },
    ],
  ] as const)('%s needs to manage the job', async (path, input) => {
    const body = await input();
    for (const name of ['stranger', 'viewer', 'runner']) {
      expect(await as(name, 'POST', path, body)).toMatchObject({
        status: 403,
        body: { message: expect.stringMatching(/ does not have Admin or Owner permissions on job \d+$/) },
      });
    }
    expect((await as('manager', 'POST', path, body)).status).toBe(200);
  });

  test('a task run has the permissions of its job', async () => {
    const tasks = ['a', 'b'].map((key) => ({
      task_key: key,
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/nb' },
    }));
    const jobId = idFrom(await as('owner', 'POST', '2.1/jobs/create', { tasks }), 'job_id');
    const runId = idFrom(await as('owner', 'POST', '2.1/jobs/run-now', { job_id: jobId }), 'run_id');
    const { body } = await as('owner', 'GET', '2.1/jobs/runs/get', { run_id: runId });
    const [task] = Object(body)['tasks'];
    expect((await as('owner', 'GET', '2.1/jobs/runs/get-output', { run_id: task.run_id })).status).toBe(200);
    expect((await as('stranger', 'GET', '2.1/jobs/runs/get-output', { run_id: task.run_id })).status).toBe(
      403,
    );
  });

  test('lists contain only the jobs and runs that the caller may view', async () => {
    const { jobId, runId } = await sharedJob();
    const jobs = async (name: string) =>
      Object((await as(name, 'GET', '2.0/jobs/list')).body)['jobs'].map(
        (one: { job_id: number }) => one.job_id,
      );
    const runs = async (name: string) =>
      Object((await as(name, 'GET', '2.0/jobs/runs/list')).body)['runs'].map(
        (one: { run_id: number }) => one.run_id,
      );
    for (const name of ['viewer', 'owner', 'admin']) {
      expect(await jobs(name)).toContain(jobId);
      expect(await runs(name)).toContain(runId);
    }
    expect(await jobs('stranger')).not.toContain(jobId);
    expect(await runs('stranger')).not.toContain(runId);
  });

  test('a submitted run is accessible to its creator and to users in its access control list', async () => {
    const runId = idFrom(
      await as('stranger', 'POST', '2.0/jobs/runs/submit', {
        ...job,
        access_control_list: [{ user_name: 'viewer', permission_level: 'CAN_VIEW' }],
      }),
      'run_id',
    );
    expect((await as('viewer', 'GET', '2.0/jobs/runs/get', { run_id: runId })).status).toBe(200);
    expect((await as('runner', 'GET', '2.0/jobs/runs/get', { run_id: runId })).status).toBe(403);
    expect((await as('viewer', 'POST', '2.0/jobs/runs/cancel', { run_id: runId })).status).toBe(403);
    expect((await as('stranger', 'POST', '2.0/jobs/runs/cancel', { run_id: runId })).status).toBe(200);
  });

  test('an unknown job or run returns the same error to every user', async () => {
    expect((await as('stranger', 'GET', '2.1/jobs/get', { job_id: 4711 })).body['message']).toBe(
      'Job 4711 does not exist.',
    );
    expect((await as('stranger', 'GET', '2.1/jobs/runs/get', { run_id: 4711 })).body['message']).toBe(
      'Run 4711 does not exist.',
    );
    expect(await as('stranger', 'POST', '2.1/jobs/delete', { job_id: 4711 })).toMatchObject({
      status: 200,
      body: {},
    });
  });

  test('only administrators cancel the queued runs of all jobs', async () => {
    expect(await as('owner', 'POST', '2.1/jobs/runs/cancel-all', { all_queued_runs: true })).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        message: 'Only administrators may omit job_id; user owner is not an administrator.',
      },
    });
    expect((await as('admin', 'POST', '2.1/jobs/runs/cancel-all', { all_queued_runs: true })).status).toBe(
      200,
    );
  });

  test('permissions of a deleted user are deleted', async () => {
    tokens.set('leaver', await addUser(service.database.db, 'leaver'));
    const jobId = idFrom(await as('leaver', 'POST', '2.0/jobs/create', job), 'job_id');
    const { db } = service.database;
    await db
      .deleteFrom('tokens')
      .where(
        'principal_id',
        'in',
        db.selectFrom('principals').select('principal_id').where('user_name', '=', 'leaver'),
      )
      .execute();
    await db.deleteFrom('principals').where('user_name', '=', 'leaver').execute();
    expect((await as('admin', 'GET', `2.0/permissions/jobs/${jobId}`)).body['access_control_list']).toEqual([
      admins,
    ]);
    expect((await as('admin', 'GET', '2.0/jobs/get', { job_id: jobId })).body).not.toHaveProperty('run_as');
  });

  test('every job operation declares its access level, and an operation without one is rejected', async () => {
    const operations = createCoreOperations(service.ports);
    expect(findOperationsWithoutAccess(operations).map(({ path }) => path)).toEqual([]);
    const [first] = operations;
    if (first === undefined) throw new Error('There are no operations.');
    const { access: _access, ...forgetful } = first;
    await expect(startApiHarness({ operations: [forgetful] }, undefined, true)).rejects.toThrow(
      'POST /jobs/create declares no access level.',
    );
  });
});

test('without job access control all users may do everything, jobs run as their creators, and access control lists are stored', async () => {
  const open = await startApiHarness();
  const token = await addUser(open.database.db, 'bob');
  const jobId = idFrom(await open.post('2.0/jobs/create', job), 'job_id');
  const send = (method: Method, url: string, payload?: object) =>
    open.send({
      method,
      url: `/api/${url}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload !== undefined && { payload }),
    });
  expect((await send('GET', `2.0/jobs/get?job_id=${jobId}`)).body).toMatchObject({ run_as: 'admin' });
  const list = [{ user_name: 'bob', permission_level: 'IS_OWNER' }];
  expect(
    (await send('PUT', `2.0/permissions/jobs/${jobId}`, { access_control_list: list })).body[
      'access_control_list'
    ],
  ).toEqual([entry('bob', 'IS_OWNER'), admins]);
  expect((await send('GET', `2.0/jobs/get?job_id=${jobId}`)).body).toMatchObject({
    run_as: 'admin',
    run_as_user_name: 'admin',
  });
  await open.close();
});
