/** Run-now, runs/submit and runs/list (spec 4.1.4 to 4.1.6). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { errorResponse, repeat } from './field-rows.ts';

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

const submit = async (body: object, version = '2.0'): Promise<number> =>
  (await post('runs/submit', body, version)).run_id;

const over = async (run_id: number): Promise<number> => {
  await runyard.waitForRunEnd(run_id);
  return run_id;
};

const cancel = async (run_id: number): Promise<number> => {
  await post('runs/cancel', { run_id });
  return over(run_id);
};

const idsOf = (list: ResponseBody): number[] => list.runs.map((run: ResponseBody) => run.run_id);

const task = (task_key: string, more: object = {}) => ({ task_key, ...ok, ...more });

const cluster = (job_cluster_key: string, num_workers = 1) => ({
  job_cluster_key,
  new_cluster: { ...newCluster, num_workers },
});

describe('spec 4.1.4: run-now', () => {
  test('spec 4.1.4: notebook_params together with jar_params are refused', async () => {
    const job_id = await create({
      tasks: [
        { task_key: 'n', ...notebook },
        { task_key: 'j', ...on, spark_jar_task: { main_class_name: 'A' } },
      ],
    });
    expect(await refused('run-now', { job_id, notebook_params: { a: '1' }, jar_params: ['a'] })).toEqual(
      errorResponse(
        'jar_params and notebook_params are given; only the parameters of one task kind are allowed.',
      ),
    );
  });

  test('spec 4.1.4: an idempotency token returns its run, also when terminated, and is refused when the run was deleted', async () => {
    const job_id = await create({ ...ok, max_concurrent_runs: 9 });
    const ask = { job_id, idempotency_token: 'x'.repeat(64) };
    const first = await post('run-now', ask);
    expect(await post('run-now', ask)).toEqual(first);
    await over(first.run_id);
    expect(await post('run-now', ask)).toEqual(first);
    expect(idsOf(await get('runs/list', { job_id }))).toEqual([first.run_id]);
    await post('runs/delete', { run_id: first.run_id });
    expect(await refused('run-now', ask)).toEqual(
      errorResponse(
        `The run started with idempotency_token "${ask.idempotency_token}" has been deleted. Use a new token to run the job again.`,
      ),
    );
    expect(await refused('run-now', { job_id, idempotency_token: 'x'.repeat(65) })).toEqual(
      errorResponse('idempotency_token has 65 characters; at most 64 are allowed.'),
    );
  });
});

describe('spec 4.1.5: runs/submit', () => {
  test('spec 4.1.5: a submission runs one or several tasks, each on its own cluster, without a job', async () => {
    for (const [body, tasks] of [
      [ok, 1],
      [
        {
          tasks: [
            task('a'),
            { task_key: 'b', new_cluster: newCluster, spark_python_task: ok.spark_python_task },
          ],
        },
        2,
      ],
    ] as const) {
      const before = (await get('list')).jobs.length;
      const run = await runyard.waitForRunEnd(await submit(body));
      expect(run).toMatchObject({ run_type: 'SUBMIT_RUN', state: { result_state: 'SUCCESS' } });
      expect(run.tasks).toHaveLength(tasks);
      expect((await get('list')).jobs).toHaveLength(before);
    }
  });

  test('the only task of a list may lack its key; of several tasks, each needs one', async () => {
    const { task_key: _, ...bare } = task('a');
    const run = await get('runs/get', { run_id: await submit({ run_name: 'no key', tasks: [bare] }) });
    expect(run.tasks).toMatchObject([{ task_key: 'no_key' }]);
    expect(await refused('runs/submit', { tasks: [bare, task('b')] })).toEqual(
      errorResponse('Missing required field: tasks[0].task_key.'),
    );
  });

  test('spec 4.1.5: shared job clusters are refused', async () => {
    const message =
      'a submission cannot have shared job clusters; give each task a new_cluster or an existing_cluster_id.';
    expect(await refused('runs/submit', { tasks: [task('a')], job_clusters: [cluster('x')] })).toEqual(
      errorResponse(`job_clusters is given; ${message}`),
    );
    expect(
      await refused('runs/submit', {
        tasks: [task('a', { existing_cluster_id: undefined, job_cluster_key: 'x' })],
      }),
    ).toEqual(errorResponse(`tasks[0].job_cluster_key is given; ${message}`));
    expect(await refused('runs/submit', { tasks: [task('a', { existing_cluster_id: undefined })] })).toEqual(
      errorResponse(
        'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified. tasks[0] has none.',
      ),
    );
  });
});

describe('spec 4.1.6: runs/list', () => {
  let job_id: number;
  /** Run ids, newest first; the newest run is active, all others are terminated. */
  let ids: number[];
  beforeAll(async () => {
    job_id = await create({ ...wait, max_concurrent_runs: 1 });
    const active = await runNow(job_id);
    const skipped: number[] = [];
    for (const _ of repeat(22, () => 0)) skipped.unshift(await runNow(job_id));
    await cancel(active);
    ids = [await runNow(job_id), ...skipped, active];
  });
  afterAll(() => cancel(ids[0] ?? 0));

  const list = (query: object): Promise<ResponseBody> => get('runs/list', { job_id, ...query });

  test.each<[string, object, () => number[], boolean]>([
    ['newest first, 20 by default', {}, () => ids.slice(0, 20), true],
    ['limit', { limit: 2 }, () => ids.slice(0, 2), true],
    ['limit 0 is the largest', { limit: 0 }, () => ids, false],
    ['offset from the most recent run', { offset: 21, limit: 2 }, () => ids.slice(21, 23), true],
    ['active_only', { active_only: true }, () => ids.slice(0, 1), false],
    ['completed_only', { completed_only: true, limit: 999 }, () => ids.slice(1), false],
    ['neither', { active_only: false, completed_only: false, limit: 999 }, () => ids, false],
    ['run_type', { run_type: 'SUBMIT_RUN' }, () => [], false],
  ])('spec 4.1.6: %s', async (_rule, query, expected, more) => {
    const answer = await list(query);
    expect(idsOf(answer)).toEqual(expected());
    expect(answer.has_more).toBe(more);
  });

  test('spec 4.1.6: runs of all jobs are ordered by start time when job_id is omitted', async () => {
    const run_id = await over(await submit({ tasks: [task('a')] }));
    const { runs } = await get('runs/list', { limit: 0 });
    const starts: number[] = runs.map((run: ResponseBody) => run.start_time);
    expect(starts).toEqual(starts.toSorted((a, b) => b - a));
    expect(runs.map((run: ResponseBody) => run.run_id)).toEqual(expect.arrayContaining([run_id, ...ids]));
    expect(runs.find((run: ResponseBody) => run.run_id === run_id).tasks).toEqual([]);
  });

  test.each<[object, string]>([
    [{ limit: 1_000 }, 'Invalid limit 1000 - it has to be no more than 999.'],
    [{ limit: -1 }, 'limit is -1; it must be at least 0.'],
    [{ offset: -1 }, 'offset is -1; it must be at least 0.'],
    [
      { active_only: true, completed_only: true },
      'active_only and completed_only are both true; at most one of them may be true.',
    ],
  ])('spec 4.1.6: %j is refused', async (query, message) => {
    expect(await refused('runs/list', query, 'GET')).toEqual(errorResponse(message));
  });
});
