/** jobs/reset through HTTP (spec 4.1 rule 2). */
import { runSettings } from '../../../storage/postgres/runs/run-rows.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/Users/u/nb' };
const single = { name: 'single', existing_cluster_id: 'c-1', notebook_task: notebook };
const task = { task_key: 'a', existing_cluster_id: 'c-1', notebook_task: notebook };
const multi = { name: 'multi', tasks: [task, { ...task, task_key: 'b', depends_on: [{ task_key: 'a' }] }] };
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const create = async (settings: object, version = '2.0'): Promise<number> =>
  idFrom(await service.post(`${version}/jobs/create`, settings), 'job_id');
const settingsOf = async (jobId: number, version = '2.0') =>
  (await service.get(`${version}/jobs/get`, { job_id: String(jobId) })).body['settings'];
const reset = (jobId: number, settings: unknown, version = '2.0') =>
  service.post(`${version}/jobs/reset`, { job_id: jobId, new_settings: settings });

describe('spec 4.1.2: reset', () => {
  test('replaces all settings', async () => {
    const jobId = await create({
      ...single,
      timeout_seconds: 5,
      email_notifications: { on_start: ['a@x'] },
      x_unknown: 1,
    });
    expect(await reset(jobId, { ...single, name: 'other' })).toMatchObject({ status: 200, body: {} });
    expect(await settingsOf(jobId)).toEqual({ ...single, name: 'other', format: 'SINGLE_TASK' });
  });

  test('accepts the access_control_list that the job already has, and refuses every other one', async () => {
    const users = { group_name: 'users', permission_level: 'CAN_VIEW' };
    const jobId = await create({ ...single, access_control_list: [users] });
    // Schedulers send the whole definition of a job, after they have set its permissions.
    expect(await reset(jobId, { ...single, access_control_list: [users] })).toMatchObject({ status: 200 });
    expect(await settingsOf(jobId)).toEqual({ ...single, format: 'SINGLE_TASK' });
    const more = [{ ...users, permission_level: 'CAN_MANAGE' }];
    expect(await reset(jobId, { ...multi, access_control_list: more }, '2.1')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('access_control_list differs from the permissions of job') },
    });
    expect(await reset(jobId, { ...single, access_control_list: [{ group_name: 'users' }] })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('access_control_list[0].permission_level') },
    });
    expect(await settingsOf(jobId)).toEqual({ ...single, format: 'SINGLE_TASK' });
  });

  test('keeps creator and creation time', async () => {
    const jobId = await create(single);
    const {
      body: { settings: _, ...before },
    } = await service.get('2.0/jobs/get', { job_id: String(jobId) });
    service.advanceClock(1_000);
    await reset(jobId, multi, '2.1');
    const {
      body: { settings: __, ...after },
    } = await service.get('2.0/jobs/get', { job_id: String(jobId) });
    expect(after).toEqual(before);
  });

  test('the new name is found by list', async () => {
    const jobId = await create(single);
    await reset(jobId, { ...single, name: 'quite new' });
    expect((await service.get('2.1/jobs/list', { name: 'quite new' })).body).toMatchObject({
      jobs: [{ job_id: jobId }],
    });
  });

  test.each(['2.0', '2.1', '2.2'])('turns a single-task job into a multi-task job in %s', async (version) => {
    const jobId = await create(single);
    expect((await reset(jobId, multi, version)).status).toBe(200);
    expect(await settingsOf(jobId)).toEqual({ ...multi, format: 'MULTI_TASK' });
  });

  test('turns a multi-task job into a single-task job in 2.0', async () => {
    const jobId = await create(multi);
    expect((await reset(jobId, single)).status).toBe(200);
    expect(await settingsOf(jobId)).toEqual({ ...single, format: 'SINGLE_TASK' });
  });

  test('accepts the settings that jobs/get returns', async () => {
    for (const [settings, version] of [
      [single, '2.0'],
      [multi, '2.0'],
      [single, '2.1'],
      [multi, '2.2'],
    ] as const) {
      const jobId = await create(settings);
      const shown = await settingsOf(jobId, version);
      expect((await reset(jobId, shown, version)).status).toBe(200);
      expect(await settingsOf(jobId, version)).toEqual(shown);
    }
  });

  test('keeps run_as when the new settings omit it', async () => {
    const jobId = await create({ ...multi, run_as: { user_name: 'admin' } });
    await reset(jobId, { ...multi, name: 'other' }, '2.1');
    expect(await settingsOf(jobId)).toMatchObject({ name: 'other', run_as: { user_name: 'admin' } });
  });

  test('applies to future runs only', async () => {
    const jobId = await create({ ...single, max_concurrent_runs: 2 });
    const before = idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    await reset(jobId, {
      ...single,
      name: 'other',
      notebook_task: { notebook_path: '/other' },
      max_concurrent_runs: 2,
    });
    const after = idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    expect((await service.get('2.0/jobs/runs/get', { run_id: String(before) })).body).toMatchObject({
      run_name: 'single',
      task: { notebook_task: notebook },
    });
    expect((await service.get('2.0/jobs/runs/get', { run_id: String(after) })).body).toMatchObject({
      run_name: 'other',
      task: { notebook_task: { notebook_path: '/other' } },
    });
    expect([...service.updatedTimeouts.keys()]).toEqual([]);
  });

  test('a change of timeout_seconds applies to active runs only', async () => {
    const jobId = await create({ ...single, timeout_seconds: 50, max_concurrent_runs: 3 });
    const runNow = async () => idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    const [over, active] = [await runNow(), await runNow()];
    await service.endRun(over, { result: 'SUCCESS' });
    await reset(jobId, { ...single, name: 'other', timeout_seconds: 60, max_concurrent_runs: 3 });
    expect([...service.updatedTimeouts.entries()]).toEqual([
      [active, expect.objectContaining({ name: 'single', timeout_seconds: 60 })],
    ]);
    const stored = await service.database.db
      .selectFrom('runs')
      .select(['run_id', runSettings.as('settings')])
      .where('job_id', '=', jobId)
      .orderBy('run_id')
      .execute();
    expect(stored.map(({ run_id, settings }) => [run_id, settings.name, settings.timeout_seconds])).toEqual([
      [over, 'single', 50],
      [active, 'single', 60],
    ]);
    service.updatedTimeouts.clear();
  });

  test.each<[string, string, unknown, RegExp]>([
    ['no new settings', '2.0', undefined, /^Missing required field: new_settings\.$/],
    ['empty new settings', '2.0', {}, /^No task is given/],
    [
      'settings that create refuses',
      '2.0',
      { ...single, max_concurrent_runs: 1001 },
      /^max_concurrent_runs is 1001/,
    ],
    ['single-task fields in 2.1', '2.1', single, /notebook_task is a single-task field; .* tasks/],
    ['single-task fields in 2.2', '2.2', single, /notebook_task is a single-task field; .* tasks/],
    ['a cycle', '2.1', { tasks: [{ ...task, depends_on: [{ task_key: 'a' }] }] }, /a/],
    [
      'a string for the settings',
      '2.1',
      'new',
      /^Could not parse request object: Expected object for field new_settings, found STRING/,
    ],
    [
      'a string for a number in the settings',
      '2.0',
      { ...single, max_retries: 'many' },
      /Expected integer for field new_settings\.max_retries, found STRING "many"/,
    ],
  ])('%s is refused and the job stays as it is', async (_, version, settings, message) => {
    const jobId = await create(multi);
    const before = await service.get('2.0/jobs/get', { job_id: String(jobId) });
    expect(await reset(jobId, settings, version)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
    expect((await service.get('2.0/jobs/get', { job_id: String(jobId) })).body).toEqual(before.body);
  });

  test('spec 4.1.2, 7: reset of an unknown, deleted or hidden job is refused', async () => {
    const deleted = await create(single);
    await service.post('2.0/jobs/delete', { job_id: deleted });
    const run = await service.get('2.0/jobs/runs/get', {
      run_id: String(idFrom(await service.post('2.0/jobs/runs/submit', single), 'run_id')),
    });
    for (const jobId of [999_999, deleted, Number(run.body['job_id'])]) {
      expect(await reset(jobId, single)).toMatchObject({
        status: 400,
        body: { error_code: 'INVALID_PARAMETER_VALUE', message: `Job ${jobId} does not exist.` },
      });
    }
  });
});
