/** `run_as` of jobs and submissions: only the user as whom they run anyway (spec 2.1). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser } from '../../harness/users.ts';
import { adminToken, idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const job = { name: 'j', existing_cluster_id: 'c-1', notebook_task: { notebook_path: '/nb' } };

/** Sends a request as a user of a service. */
type Send = (user: string, path: string, body: object) => ReturnType<ApiHarness['post']>;

async function startWithUsers(jobAccessControl: boolean): Promise<{ service: ApiHarness; send: Send }> {
  const service = await startApiHarness({}, undefined, jobAccessControl);
  const tokens = new Map([['admin', adminToken]]);
  for (const name of ['ann', 'ben']) tokens.set(name, await addUser(service.database.db, name));
  await service.post('2.0/preview/scim/v2/ServicePrincipals', { applicationId: 'robot' });
  const send: Send = (user, path, payload) =>
    service.send({
      method: 'POST',
      url: `/api/${path}`,
      payload,
      headers: { authorization: `Bearer ${tokens.get(user)}` },
    });
  return { service, send };
}

const refusal = (message: string | RegExp) => ({
  status: 400,
  body: {
    error_code: 'INVALID_PARAMETER_VALUE',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  },
});

describe('without job access control', () => {
  let service: ApiHarness;
  let send: Send;
  beforeAll(async () => {
    ({ service, send } = await startWithUsers(false));
  });
  afterAll(() => service.close());

  test.each<[string, object, string | RegExp]>([
    ['another user', { user_name: 'ben' }, 'run_as.user_name is "ben"; a job runs as its creator, ann.'],
    [
      'a service principal',
      { service_principal_name: 'robot' },
      'run_as.service_principal_name is "robot"; a job runs as its creator, ann.',
    ],
    ['an unknown user', { user_name: 'nosuch' }, 'run_as.user_name is "nosuch"; there is no such user.'],
    [
      'a group',
      { group_name: 'admins' },
      /^(?:run_as\.group_name is not supported; a job runs as one user|run_as has none of user_name, service_principal_name; exactly one is required)\.$/,
    ],
    [
      'two names',
      { user_name: 'ann', service_principal_name: 'robot' },
      'run_as has user_name and service_principal_name; exactly one of user_name, service_principal_name is allowed.',
    ],
  ])('%s is refused at create, reset, update and submit', async (_name, runAs, message) => {
    const settings = { ...job, run_as: runAs };
    const job_id = idFrom(await send('ann', '2.0/jobs/create', job), 'job_id');
    const before = await service.rowCounts();
    for (const [path, body] of [
      ['jobs/create', settings],
      ['jobs/reset', { job_id, new_settings: settings }],
      ['jobs/update', { job_id, new_settings: { run_as: runAs } }],
      ['jobs/runs/submit', settings],
    ] as const)
      expect(await send('ann', `2.0/${path}`, body), path).toMatchObject(refusal(message));
    expect(await service.rowCounts()).toEqual(before);
  });

  test('the creator is accepted, also when another user changes the job', async () => {
    const settings = { ...job, run_as: { user_name: 'ann' } };
    const job_id = idFrom(await send('ann', '2.0/jobs/create', settings), 'job_id');
    for (const [path, body] of [
      ['jobs/reset', { job_id, new_settings: settings }],
      ['jobs/update', { job_id, new_settings: { run_as: { user_name: 'ann' } } }],
    ] as const)
      expect((await send('ben', `2.0/${path}`, body)).status, path).toBe(200);
    expect((await send('ann', '2.0/jobs/runs/submit', settings)).status).toBe(200);
    expect((await service.get('2.0/jobs/get', { job_id: String(job_id) })).body).toMatchObject({
      run_as: 'ann',
      settings: { run_as: { user_name: 'ann' } },
    });
    expect(
      await send('ben', '2.0/jobs/update', {
        job_id: 999_999,
        new_settings: { run_as: { user_name: 'ben' } },
      }),
    ).toMatchObject({ status: 400, body: { message: 'Job 999999 does not exist.' } });
  });
});

test('with job access control the owner is accepted, and the creator is not', async () => {
  const { service, send } = await startWithUsers(true);
  const owned = {
    ...job,
    access_control_list: [{ user_name: 'ben', permission_level: 'IS_OWNER' }],
    run_as: { user_name: 'ben' },
  };
  const job_id = idFrom(await send('ann', '2.0/jobs/create', owned), 'job_id');
  const change = (user_name: string) => ({ job_id, new_settings: { run_as: { user_name } } });
  expect((await send('admin', '2.0/jobs/update', change('ben'))).status).toBe(200);
  expect(await send('admin', '2.0/jobs/update', change('ann'))).toMatchObject(
    refusal(
      'run_as.user_name is "ann"; a job runs as its owner, ben; change the owner with PUT or PATCH permissions/jobs/<job_id>.',
    ),
  );
  await service.close();
});
