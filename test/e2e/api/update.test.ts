/** jobs/update through HTTP (spec 4.1 rule 3); unit tests cover the merge of settings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/Users/u/nb' };
const single = { name: 'single', existing_cluster_id: 'c-1', notebook_task: notebook, timeout_seconds: 50 };
const task = (task_key: string) => ({ task_key, existing_cluster_id: 'c-1', notebook_task: notebook });
const cluster = (job_cluster_key: string) => ({
  job_cluster_key,
  new_cluster: { num_workers: 1, spark_version: 'v', node_type_id: 's' },
});
const multi = { name: 'multi', tasks: [task('a'), task('b')], job_clusters: [cluster('x'), cluster('y')] };
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const create = async (settings: object): Promise<number> =>
  idFrom(await service.post('2.0/jobs/create', settings), 'job_id');
const settingsOf = async (jobId: number, version = '2.0') =>
  (await service.get(`${version}/jobs/get`, { job_id: String(jobId) })).body['settings'];
const update = (jobId: number, change: object, version = '2.0') =>
  service.post(`${version}/jobs/update`, { job_id: jobId, ...change });

describe('spec 4.1.3: update', () => {
  test.each(['2.0', '2.1', '2.2'])(
    'update in %s replaces fields, merges tasks and job clusters by key, and removes fields',
    async (version) => {
      const jobId = await create({ ...multi, description: 'd' });
      const answer = await update(
        jobId,
        {
          new_settings: {
            name: 'new',
            tasks: [{ ...task('b'), max_retries: 1 }, task('c')],
            job_clusters: [cluster('z')],
          },
          fields_to_remove: ['description', 'tasks/a', 'job_clusters/x'],
        },
        version,
      );
      expect(answer).toMatchObject({ status: 200, body: {} });
      expect(await settingsOf(jobId)).toEqual({
        name: 'new',
        format: 'MULTI_TASK',
        tasks: [{ ...task('b'), max_retries: 1 }, task('c')],
        job_clusters: [cluster('y'), cluster('z')],
      });
    },
  );

  test('a single-task job stays single-task in 2.0', async () => {
    const jobId = await create(single);
    expect((await update(jobId, { new_settings: { max_concurrent_runs: 7 } })).status).toBe(200);
    expect(await settingsOf(jobId)).toEqual({ ...single, max_concurrent_runs: 7, format: 'SINGLE_TASK' });
  });

  test.each(['2.1', '2.2'])(
    'a single-task job is updated as the list of tasks that %s shows',
    async (version) => {
      const jobId = await create(single);
      expect(
        (await update(jobId, { new_settings: { name: 'new', tasks: [task('b')] } }, version)).status,
      ).toBe(200);
      const { name: _, ...rest } = single;
      expect(await settingsOf(jobId)).toEqual({
        name: 'new',
        format: 'MULTI_TASK',
        tasks: [{ task_key: 'main', ...rest }, task('b')],
      });
    },
  );

  test.each(['2.1', '2.2'])(
    'spec 9.3: an update in %s of fields that are not tasks leaves a single-task job single-task',
    async (version) => {
      const jobId = await create({ ...single, description: 'd' });
      for (const change of [
        { new_settings: { name: 'new', tags: { team: 'data' }, max_concurrent_runs: 7 } },
        { new_settings: { email_notifications: { on_failure: ['a@example.org'] } } },
        { new_settings: { format: 'MULTI_TASK' } },
        { fields_to_remove: ['description'] },
      ])
        expect(await update(jobId, change, version)).toMatchObject({ status: 200, body: {} });
      expect(await settingsOf(jobId)).toEqual({
        ...single,
        name: 'new',
        tags: { team: 'data' },
        max_concurrent_runs: 7,
        email_notifications: { on_failure: ['a@example.org'] },
        format: 'SINGLE_TASK',
      });
    },
  );

  test('spec 2: a task kind and a cluster replace those of a single-task job', async () => {
    const jobId = await create(single);
    const { existing_cluster_id: _, notebook_task: __, ...rest } = single;
    const changes = {
      new_cluster: cluster('x').new_cluster,
      spark_python_task: { python_file: 'managed_fs:/a.py' },
    };
    expect(await update(jobId, { new_settings: changes })).toMatchObject({ status: 200, body: {} });
    expect(await settingsOf(jobId)).toEqual({ ...rest, ...changes, format: 'SINGLE_TASK' });
    expect((await update(jobId, { new_settings: { notebook_task: notebook } }, '2.1')).body['message']).toBe(
      'notebook_task is a single-task field; with tasks given, it must be in an entry of tasks.',
    );
  });

  test('an update without changes is accepted', async () => {
    const jobId = await create(multi);
    for (const change of [{}, { new_settings: {} }, { fields_to_remove: [] }, { new_settings: null }]) {
      expect(await update(jobId, change, '2.1')).toMatchObject({ status: 200, body: {} });
    }
    expect(await settingsOf(jobId)).toEqual({ ...multi, format: 'MULTI_TASK' });
  });

  test('a repeated update changes nothing', async () => {
    const jobId = await create({ ...multi, description: 'd' });
    const change = {
      new_settings: { tasks: [task('c')] },
      fields_to_remove: ['tasks/a', 'description', 'git_source'],
    };
    await update(jobId, change);
    const once = await settingsOf(jobId);
    expect((await update(jobId, change)).status).toBe(200);
    expect(await settingsOf(jobId)).toEqual(once);
  });

  test('a change of timeouts applies to active runs, other changes do not', async () => {
    const jobId = await create({ name: 'n', tasks: [{ ...task('a'), timeout_seconds: 5 }, task('b')] });
    const runId = idFrom(await service.post('2.1/jobs/run-now', { job_id: jobId }), 'run_id');
    await update(
      jobId,
      {
        new_settings: {
          name: 'new',
          timeout_seconds: 9,
          tasks: [task('a'), { ...task('b'), timeout_seconds: 6, max_retries: 2 }],
        },
      },
      '2.1',
    );
    const running = {
      name: 'n',
      timeout_seconds: 9,
      tasks: [task('a'), { ...task('b'), timeout_seconds: 6 }],
    };
    expect(service.updatedTimeouts.get(runId)).toEqual(running);
    const stored = await service.database.db
      .selectFrom('runs')
      .select('settings')
      .where('run_id', '=', runId)
      .executeTakeFirstOrThrow();
    expect(stored.settings).toEqual(running);
    await update(jobId, { fields_to_remove: ['timeout_seconds'] }, '2.1');
    expect(service.updatedTimeouts.get(runId)).toEqual({ name: 'n', tasks: running.tasks });
  });

  test('an active single-task run keeps its timeout when its job becomes multi-task', async () => {
    const jobId = await create(single);
    const runId = idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    await update(jobId, { new_settings: { name: 'new' } }, '2.1');
    expect(service.updatedTimeouts.has(runId)).toBe(false);
    await update(jobId, { new_settings: { tasks: [{ ...task('main'), timeout_seconds: 7 }] } }, '2.1');
    expect(service.updatedTimeouts.get(runId)).toEqual({ ...single, timeout_seconds: 7 });
  });

  test.each<[string, string, object, RegExp]>([
    [
      'an unknown field to remove',
      '2.0',
      { fields_to_remove: ['name', 'nmae'] },
      /^fields_to_remove\[1\] is "nmae"; it must be a top-level field/,
    ],
    [
      'a nested field to remove',
      '2.1',
      { fields_to_remove: ['schedule.timezone_id'] },
      /^fields_to_remove\[0\] is "schedule\.timezone_id"/,
    ],
    ['removal of the last task', '2.1', { fields_to_remove: ['tasks/a', 'tasks/b'] }, /^tasks has 0 entries/],
    ['removal of all tasks', '2.1', { fields_to_remove: ['tasks'] }, /^Missing required field: tasks\./],
    [
      'removal of a task that another depends on',
      '2.1',
      {
        new_settings: { tasks: [{ ...task('c'), depends_on: [{ task_key: 'a' }] }] },
        fields_to_remove: ['tasks/a'],
      },
      /a/,
    ],
    [
      'removal of a job cluster in use',
      '2.1',
      {
        new_settings: { tasks: [{ task_key: 'c', notebook_task: notebook, job_cluster_key: 'x' }] },
        fields_to_remove: ['job_clusters/x'],
      },
      /job_cluster_key is "x"; no entry of job_clusters has this key/,
    ],
    [
      'single-task fields together with tasks',
      '2.0',
      { new_settings: { notebook_task: notebook } },
      /^notebook_task is a single-task field; with tasks given, it must be in an entry of tasks\.$/,
    ],
    [
      'single-task fields in 2.1',
      '2.1',
      { new_settings: { notebook_task: notebook } },
      /^notebook_task is a single-task field; .* tasks/,
    ],
    ['a duplicate task key', '2.1', { new_settings: { tasks: [task('a'), task('a')] } }, /task_key/],
    [
      'a value that create refuses',
      '2.1',
      { new_settings: { max_concurrent_runs: 1001 } },
      /^max_concurrent_runs is 1001/,
    ],
    [
      'a task without a key',
      '2.1',
      { new_settings: { tasks: [{ notebook_task: notebook }] } },
      /^Missing required field: new_settings\.tasks\[0\]\.task_key\.$/,
    ],
    [
      'a string for the list of fields',
      '2.1',
      { fields_to_remove: 'name' },
      /Expected array for field fields_to_remove, found STRING/,
    ],
  ])('%s is refused and the job stays as it is', async (_, version, change, message) => {
    const jobId = await create(multi);
    expect(await update(jobId, change, version)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
    expect(await settingsOf(jobId)).toEqual({ ...multi, format: 'MULTI_TASK' });
  });

  test('spec 4.1.3, 7: update of an unknown job is refused', async () => {
    expect(await update(999_999, { new_settings: { name: 'x' } })).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message: 'Job 999999 does not exist.' },
    });
    expect((await service.post('2.1/jobs/update', { new_settings: {} })).body['message']).toBe(
      'Missing required field: job_id.',
    );
  });
});

test('concurrent updates are serialized and none is lost', async () => {
  const jobId = await create(multi);
  const keys = Array.from({ length: 20 }, (_, index) => `t${index}`);
  await Promise.all(keys.map((key) => update(jobId, { new_settings: { tasks: [task(key)] } }, '2.1')));
  const settings = await settingsOf(jobId);
  expect(JSON.stringify(settings).match(/"task_key":"t\d+"/g)).toHaveLength(20);
});
