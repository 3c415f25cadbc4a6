/** Access control list of a job: get, replace and update. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('the access control list of a job', () => {
  test('contains the creator as owner, the entries given to create, and the administrators', async () => {
    const { jobId } = await sharedJob();
    expect((await as('viewer', 'GET', `2.0/permissions/jobs/${jobId}`)).body).toEqual({
      object_id: `/jobs/${jobId}`,
      object_type: 'job',
      access_control_list: [
        entry('owner', 'IS_OWNER'),
        entry('manager', 'CAN_MANAGE'),
        entry('runner', 'CAN_MANAGE_RUN'),
        entry('viewer', 'CAN_VIEW'),
        admins,
      ],
    });
  });

  test('is not part of the settings of the job', async () => {
    const { jobId } = await sharedJob();
    expect((await as('owner', 'GET', '2.1/jobs/get', { job_id: jobId })).body['settings']).not.toHaveProperty(
      'access_control_list',
    );
    const answer = await as('owner', 'POST', '2.0/jobs/update', {
      job_id: jobId,
      new_settings: { access_control_list: levels },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^access_control_list is given; .*permissions\/jobs/) },
    });
  });

  test('PUT replaces all entries except the owner', async () => {
    const { jobId } = await sharedJob();
    const list = [{ group_name: 'users', permission_level: 'CAN_VIEW' }];
    expect(
      await as('manager', 'PUT', `2.0/permissions/jobs/${jobId}`, { access_control_list: list }),
    ).toMatchObject({
      status: 200,
      body: {
        access_control_list: [
          entry('owner', 'IS_OWNER'),
          { group_name: 'users', all_permissions: [{ permission_level: 'CAN_VIEW', inherited: false }] },
          admins,
        ],
      },
    });
    expect((await as('manager', 'POST', '2.0/jobs/run-now', { job_id: jobId })).status).toBe(403);
    expect((await as('stranger', 'GET', '2.0/jobs/get', { job_id: jobId })).status).toBe(200);
  });

  test('PATCH adds and changes entries', async () => {
    const { jobId } = await sharedJob();
    const list = [
      { user_name: 'viewer', permission_level: 'CAN_MANAGE_RUN' },
      { user_name: 'stranger', permission_level: 'CAN_VIEW' },
    ];
    const { body } = await as('owner', 'PATCH', `2.0/permissions/jobs/${jobId}`, {
      access_control_list: list,
    });
    expect(body['access_control_list']).toEqual([
      entry('owner', 'IS_OWNER'),
      entry('manager', 'CAN_MANAGE'),
      entry('runner', 'CAN_MANAGE_RUN'),
      entry('stranger', 'CAN_VIEW'),
      entry('viewer', 'CAN_MANAGE_RUN'),
      admins,
    ]);
  });

  test('spec 2.1: a job runs as its owner, and only the owner and administrators change the owner', async () => {
    const { jobId } = await sharedJob();
    const toViewer = { access_control_list: [{ user_name: 'viewer', permission_level: 'IS_OWNER' }] };
    expect(await as('manager', 'PATCH', `2.0/permissions/jobs/${jobId}`, toViewer)).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        message: `User manager does not have Owner permissions on job ${jobId}`,
      },
    });
    expect(
      (await as('owner', 'PATCH', `2.0/permissions/jobs/${jobId}`, toViewer)).body['access_control_list'],
    ).toMatchObject([
      entry('viewer', 'IS_OWNER'),
      entry('manager', 'CAN_MANAGE'),
      entry('owner', 'CAN_MANAGE'),
      entry('runner', 'CAN_MANAGE_RUN'),
      admins,
    ]);
    const shown = { creator_user_name: 'owner', run_as: 'viewer', run_as_user_name: 'viewer' };
    expect((await as('owner', 'GET', '2.0/jobs/get', { job_id: jobId })).body).toMatchObject(shown);
    expect((await as('owner', 'GET', '2.1/jobs/list', { limit: 1 })).body).toMatchObject({
      jobs: [{ job_id: jobId, ...shown }],
    });
    const back = { access_control_list: [{ user_name: 'owner', permission_level: 'IS_OWNER' }] };
    expect((await as('admin', 'PUT', `2.0/permissions/jobs/${jobId}`, back)).status).toBe(200);
  });

  test.each([
    [
      { user_name: 'unknown-user', permission_level: 'CAN_VIEW' },
      'access_control_list names the user "unknown-user", which does not exist.',
    ],
    [
      { service_principal_name: 'robot', permission_level: 'CAN_VIEW' },
      'access_control_list names the service principal "robot", which does not exist.',
    ],
    [
      { group_name: 'team', permission_level: 'CAN_VIEW' },
      'access_control_list[0].group_name is "team"; it must be one of users, admins.',
    ],
    [
      { user_name: 'viewer', permission_level: 'CAN_DO' },
      'access_control_list[0].permission_level is "CAN_DO"; it must be one of CAN_VIEW, CAN_MANAGE_RUN, CAN_MANAGE, IS_OWNER.',
    ],
    [{ user_name: 'viewer' }, 'Missing required field: access_control_list[0].permission_level.'],
  ])('%j is refused by create, PUT and PATCH, and changes nothing', async (bad, message) => {
    const { jobId } = await sharedJob();
    const list = async () => (await as('owner', 'GET', `2.0/permissions/jobs/${jobId}`)).body;
    const before = await list();
    const refused = { status: 400, body: { error_code: 'INVALID_PARAMETER_VALUE', message } };
    const rows = await service.rowCounts();
    expect(
      await as('owner', 'PUT', `2.0/permissions/jobs/${jobId}`, { access_control_list: [bad] }),
    ).toMatchObject(refused);
    expect(
      await as('owner', 'PATCH', `2.0/permissions/jobs/${jobId}`, { access_control_list: [bad] }),
    ).toMatchObject(refused);
    expect(
      await as('owner', 'POST', '2.1/jobs/create', {
        tasks: [{ task_key: 't', existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' } }],
        access_control_list: [bad],
      }),
    ).toMatchObject(refused);
    expect(
      await as('owner', 'POST', '2.0/jobs/runs/submit', { ...job, access_control_list: [bad] }),
    ).toMatchObject(refused);
    expect(await list()).toEqual(before);
    expect(await service.rowCounts()).toEqual(rows);
  });

  test.each<[Method, string]>([
    ['GET', ''],
    ['PUT', ''],
    ['PATCH', ''],
    ['GET', '/permissionLevels'],
  ])('%s of an unknown job%s is 404', async (method, more) => {
    expect(
      await as(
        'admin',
        method,
        `2.0/permissions/jobs/4711${more}`,
        method === 'GET' ? {} : { access_control_list: [] },
      ),
    ).toMatchObject({
      status: 404,
      body: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'Job 4711 does not exist.' },
    });
  });

  test.each([
    [
      'x',
      400,
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected integer for field job_id, found STRING "x"',
    ],
    ['-1', 400, 'INVALID_PARAMETER_VALUE', 'job_id is -1; it must be at least 0.'],
    [
      '9007199254740993',
      400,
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected integer for field job_id, found STRING "9007199254740993"',
    ],
  ])('the id %s in the path is refused', async (id, status, error_code, message) => {
    expect(
      await as('admin', 'PUT', `2.0/permissions/jobs/${id}`, { job_id: 1, access_control_list: [] }),
    ).toMatchObject({ status, body: { error_code, message } });
  });

  test('PATCH without a list changes nothing, and PUT without a list removes all grants', async () => {
    const { jobId } = await sharedJob();
    const path = `2.0/permissions/jobs/${jobId}`;
    const { body: before } = await as('owner', 'GET', path);
    expect(await as('owner', 'PATCH', path)).toMatchObject({ status: 200, body: before });
    expect(before['access_control_list']).toContainEqual(expect.objectContaining({ user_name: 'manager' }));
    const { status, body } = await as('owner', 'PUT', path);
    expect(status).toBe(200);
    expect(body['access_control_list']).toMatchObject([{ user_name: 'owner' }, { group_name: 'admins' }]);
  });

  test('the permission levels are listed with their descriptions', async () => {
    const { jobId } = await sharedJob();
    const { body } = await as('viewer', 'GET', `2.0/permissions/jobs/${jobId}/permissionLevels`);
    expect(body['permission_levels']).toMatchObject(
      ['CAN_VIEW', 'CAN_MANAGE_RUN', 'CAN_MANAGE', 'IS_OWNER'].map((level) => ({
        permission_level: level,
        description: expect.any(String),
      })),
    );
  });

  test('is deleted with its job', async () => {
    const { jobId } = await sharedJob();
    await as('owner', 'POST', '2.0/jobs/delete', { job_id: jobId });
    expect((await as('owner', 'GET', `2.0/permissions/jobs/${jobId}`)).status).toBe(404);
  });
});
