/** Operations on jobs (spec 4.1) in all versions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { eventually } from '../harness/eventually.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { errorResponse } from './field-rows.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
  await runyard.putNotebook('/nb', ['1 + 1']);
});

afterAll(() => runyard.stop());

const on = { existing_cluster_id: 'c' };

const ok = { ...on, spark_python_task: { python_file: 'managed_fs:/ok.py' } };

const wait = { ...on, spark_python_task: { python_file: 'managed_fs:/wait.py' } };

const notebook = { ...on, notebook_task: { notebook_path: '/nb' } };

const newCluster = { num_workers: 1, spark_version: '1', node_type_id: 'n' };

const post = (path: string, body: object, version = '2.0'): Promise<ResponseBody> =>
  runyard.callOk('POST', `${version}/jobs/${path}`, body);

const get = (path: string, query: object = {}, version = '2.0'): Promise<ResponseBody> =>
  runyard.callOk('GET', `${version}/jobs/${path}`, query);

const refused = (path: string, body: object, method: 'GET' | 'POST' = 'POST', version = '2.0') =>
  runyard.call(method, `${version}/jobs/${path}`, body);

const create = async (settings: object, version = '2.0'): Promise<number> =>
  (await post('create', settings, version)).job_id;

const runNow = async (job_id: number, more: object = {}): Promise<number> =>
  (await post('run-now', { job_id, ...more })).run_id;

const over = async (run_id: number): Promise<number> => {
  await runyard.waitForRunEnd(run_id);
  return run_id;
};

const cancel = async (run_id: number): Promise<number> => {
  await post('runs/cancel', { run_id });
  return over(run_id);
};

const settingsOf = async (job_id: number): Promise<ResponseBody> => (await get('get', { job_id })).settings;

const idsOf = (list: ResponseBody): number[] => list.runs.map((run: ResponseBody) => run.run_id);

const task = (task_key: string, more: object = {}) => ({ task_key, ...ok, ...more });

const cluster = (job_cluster_key: string, num_workers = 1) => ({
  job_cluster_key,
  new_cluster: { ...newCluster, num_workers },
});

const noJob = (id: number) => errorResponse(`Job ${id} does not exist.`);

const noRun = (id: number) => errorResponse(`Run ${id} does not exist.`);

const id = expect.any(Number);

/** Method, path, request for a job and its skipped run, and the response. */
const operations: readonly (readonly [
  'GET' | 'POST',
  string,
  (job_id: number, run_id: number) => object,
  object,
])[] = [
  ['POST', 'jobs/create', () => ok, { job_id: id }],
  [
    'GET',
    'jobs/list',
    () => ({}),
    {
      jobs: expect.arrayContaining([expect.objectContaining({ job_id: id, settings: expect.any(Object) })]),
      has_more: false,
    },
  ],
  [
    'GET',
    'jobs/get',
    (job_id) => ({ job_id }),
    {
      job_id: id,
      creator_user_name: 'admin',
      run_as: 'admin',
      run_as_user_name: 'admin',
      created_time: id,
      settings: expect.objectContaining(notebook),
    },
  ],
  ['POST', 'jobs/reset', (job_id) => ({ job_id, new_settings: notebook }), {}],
  [
    'POST',
    'jobs/update',
    (job_id) => ({ job_id, new_settings: { name: 'x' }, fields_to_remove: ['name'] }),
    {},
  ],
  [
    'POST',
    'jobs/run-now',
    (job_id) => ({ job_id, notebook_params: { a: '1' }, idempotency_token: 'table' }),
    { run_id: id, number_in_job: 2 },
  ],
  [
    'POST',
    'jobs/runs/submit',
    () => ({
      run_name: 'x',
      ...ok,
      webhook_notifications: {},
      notification_settings: {},
      libraries: [],
      timeout_seconds: 9,
      idempotency_token: 'table',
    }),
    { run_id: id },
  ],
  [
    'GET',
    'jobs/runs/list',
    (job_id) => ({
      active_only: false,
      completed_only: true,
      job_id,
      offset: 0,
      limit: 5,
      run_type: 'JOB_RUN',
    }),
    { runs: [expect.objectContaining({ run_id: id })], has_more: false },
  ],
  [
    'GET',
    'jobs/runs/get',
    (_job, run_id) => ({ run_id }),
    expect.objectContaining({ run_id: id, state: expect.any(Object) }),
  ],
  [
    'GET',
    'jobs/runs/export',
    (_job, run_id) => ({ run_id, views_to_export: 'CODE' }),
    { views: [expect.objectContaining({ type: 'NOTEBOOK' })] },
  ],
  ['POST', 'jobs/runs/cancel', (_job, run_id) => ({ run_id }), {}],
  ['POST', 'jobs/runs/cancel-all', (job_id) => ({ job_id }), {}],
  [
    'GET',
    'jobs/runs/get-output',
    (_job, run_id) => ({ run_id }),
    expect.objectContaining({
      metadata: expect.objectContaining({ run_id: id }),
      error: expect.stringMatching(/^Skipping this run/),
    }),
  ],
  ['POST', 'jobs/runs/delete', (_job, run_id) => ({ run_id }), {}],
  ['POST', 'jobs/delete', (job_id) => ({ job_id }), {}],
];

describe('spec 4.1: the operations', () => {
  test.each(operations)('spec 4.1 %s /api/2.0/%s', async (method, path, request, answer) => {
    const job = await create({ ...notebook, max_concurrent_runs: 0 });
    expect(await runyard.call(method, `2.0/${path}`, request(job, await runNow(job)))).toEqual({
      status: 200,
      body: answer,
    });
  });

  test('spec 4.1: lists of jobs omit the tasks of multi-task jobs, get contains them', async () => {
    const job_id = await create({ tasks: [task('a')] }, '2.1');
    const listed = (await get('list')).jobs.find((one: ResponseBody) => one.job_id === job_id);
    expect(listed.settings).toEqual({ name: 'Untitled', format: 'MULTI_TASK' });
    expect((await settingsOf(job_id)).tasks).toEqual([task('a')]);
    await post('delete', { job_id });
  });
});

test('spec 4.1.1: delete removes a job and its history, stops its runs, notifies recipients, and is repeatable', async () => {
  const job_id = await create({
    ...wait,
    email_notifications: { on_failure: ['a@x', 'b@x'], on_start: ['a@x'] },
  });
  const run_id = await runNow(job_id);
  expect(await post('delete', { job_id })).toEqual({});
  expect(await refused('get', { job_id }, 'GET')).toEqual(noJob(job_id));
  for (const path of ['get', 'get-output', 'export'])
    expect(await refused(`runs/${path}`, { run_id }, 'GET')).toEqual(noRun(run_id));
  expect(idsOf(await get('runs/list', { limit: 0 }))).not.toContain(run_id);
  expect(idsOf(await get('runs/list', { job_id }))).toEqual([]);
  expect(await post('delete', { job_id })).toEqual({});
  const { db } = runyard.database;
  const notified = await db
    .selectFrom('outbox')
    .select('recipient')
    .where('event', '=', 'job_deleted')
    .where('job_id', '=', job_id)
    .orderBy('recipient')
    .execute();
  expect(notified).toEqual([{ recipient: 'a@x' }, { recipient: 'b@x' }]);
  const stored = () =>
    db.selectFrom('runs').select(['state', 'result']).where('run_id', '=', run_id).executeTakeFirstOrThrow();
  const { result } = await eventually(stored, { until: ({ state }) => state === 'TERMINATED' });
  expect(result).toBe('CANCELED');
});

test('spec 4.1.2: reset replaces all settings for future runs', async () => {
  const job_id = await create({
    ...wait,
    name: 'old',
    max_retries: 2,
    email_notifications: { on_start: ['a@x'] },
  });
  const run_id = await runNow(job_id);
  expect(
    await post('reset', { job_id, new_settings: { ...ok, name: 'new', max_concurrent_runs: 2 } }),
  ).toEqual({});
  expect(await settingsOf(job_id)).toEqual({
    ...ok,
    name: 'new',
    max_concurrent_runs: 2,
    format: 'SINGLE_TASK',
  });
  expect(await get('runs/get', { run_id })).toMatchObject({
    run_name: 'old',
    task: { spark_python_task: wait.spark_python_task },
  });
  expect((await get('runs/get', { run_id: await over(await runNow(job_id)) })).run_name).toBe('new');
  await cancel(run_id);
  expect(await refused('reset', { job_id })).toEqual(errorResponse('Missing required field: new_settings.'));
});

describe('spec 4.1.3: update', () => {
  const before = {
    name: 'old',
    schedule: { quartz_cron_expression: '0 0 6 1 1 ?', timezone_id: 'UTC', pause_status: 'PAUSED' },
    tasks: [task('a'), task('b', { max_retries: 1, description: 'b' })],
    job_clusters: [cluster('x'), cluster('y')],
  };
  const old = { ...before, format: 'MULTI_TASK' };

  test.each<[string, object, object]>([
    [
      'top-level fields are replaced as a whole',
      {
        new_settings: {
          name: 'new',
          schedule: { quartz_cron_expression: '0 0 7 1 1 ?', timezone_id: 'UTC' },
        },
      },
      { ...old, name: 'new', schedule: { quartz_cron_expression: '0 0 7 1 1 ?', timezone_id: 'UTC' } },
    ],
    [
      'tasks are merged by task_key, equal keys replaced as a whole',
      { new_settings: { tasks: [task('b', { timeout_seconds: 5 }), task('c')] } },
      { ...old, tasks: [task('a'), task('b', { timeout_seconds: 5 }), task('c')] },
    ],
    [
      'job clusters are merged by job_cluster_key',
      { new_settings: { job_clusters: [cluster('z'), cluster('x', 9)] } },
      { ...old, job_clusters: [cluster('x', 9), cluster('y'), cluster('z')] },
    ],
    [
      'top-level fields are removed',
      { fields_to_remove: ['schedule', 'name'] },
      { format: 'MULTI_TASK', name: 'Untitled', tasks: before.tasks, job_clusters: before.job_clusters },
    ],
    [
      'entries are removed by key',
      { fields_to_remove: ['tasks/b', 'job_clusters/x'] },
      { ...old, tasks: [task('a')], job_clusters: [cluster('y')] },
    ],
  ])('spec 4.1.3: %s', async (_rule, change, after) => {
    for (const version of ['2.0', '2.1']) {
      const job_id = await create(before, '2.1');
      expect(await post('update', { job_id, ...change }, version)).toEqual({});
      expect(await settingsOf(job_id)).toEqual(after);
    }
  });

  test.each(['schedule.timezone_id', 'schedule/timezone_id', 'tasks/b/description', 'tasks[0]', 'nmae'])(
    'spec 4.1.3: removal of %s is refused',
    async (field) => {
      const job_id = await create(before, '2.1');
      expect(await refused('update', { job_id, fields_to_remove: [field] })).toEqual(
        errorResponse(
          `fields_to_remove[0] is "${field}"; it must be a top-level field of the settings, tasks/<task_key> or job_clusters/<job_cluster_key>.`,
        ),
      );
      expect(await settingsOf(job_id)).toEqual(old);
    },
  );
});
