/** API versions: accepted formats and responses of 2.0, 2.1 and 2.2 (spec 9, 3.3). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { newCluster, pythonTask, errorResponse } from './field-rows.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
});
afterAll(() => runyard.stop());

const on = { existing_cluster_id: 'c' };
const single = {
  name: 'single',
  ...on,
  ...pythonTask,
  timeout_seconds: 60,
  max_retries: 1,
  libraries: [{ jar: 'managed_fs:/a.jar' }],
};
const multi = {
  name: 'multi',
  job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }],
  tasks: [
    { task_key: 'a', job_cluster_key: 'k', ...pythonTask },
    { task_key: 'b', ...on, ...pythonTask, depends_on: [{ task_key: 'a' }] },
  ],
};
const later = ['2.1', '2.2'] as const;
const all = ['2.0', ...later] as const;
const create = async (version: string, settings: object): Promise<number> =>
  (await runyard.callOk('POST', `${version}/jobs/create`, settings)).job_id;
const settingsIn = async (version: string, job_id: number): Promise<ResponseBody> =>
  (await runyard.callOk('GET', `${version}/jobs/get`, { job_id })).settings;
const listedIn = async (version: string, job_id: number): Promise<ResponseBody> =>
  (await runyard.callOk('GET', `${version}/jobs/list`, { limit: 100 })).jobs.find(
    (job: ResponseBody) => job.job_id === job_id,
  ).settings;

test('spec 9.1: the version is the second path segment, and an unknown version returns 404', async () => {
  for (const version of all) expect((await runyard.call('GET', `${version}/jobs/list`)).status).toBe(200);
  for (const version of ['2.3', '1.2', '2']) {
    expect(await runyard.call('GET', `${version}/jobs/list`)).toMatchObject({
      status: 404,
      body: { error_code: 'ENDPOINT_NOT_FOUND' },
    });
  }
});

describe('spec 9.2: later versions accept only multi-task settings', () => {
  test.each(later)('spec 9.2: %s refuses single-task settings with a hint to tasks', async (version) => {
    const message = `spark_python_task is a single-task field; version ${version} allows it only in an entry of tasks.`;
    expect(await runyard.call('POST', `${version}/jobs/create`, single)).toEqual(errorResponse(message));
    const job_id = await create('2.0', single);
    expect(await runyard.call('POST', `${version}/jobs/reset`, { job_id, new_settings: single })).toEqual(
      errorResponse(message),
    );
    expect(
      await runyard.call('POST', `${version}/jobs/update`, { job_id, new_settings: pythonTask }),
    ).toEqual(
      errorResponse(
        'spark_python_task is a single-task field; with tasks given, it must be in an entry of tasks.',
      ),
    );
    expect(await runyard.call('POST', `${version}/jobs/create`, { name: 'x' })).toEqual(
      errorResponse(
        `Missing required field: tasks. Version ${version} requires every job as a list of tasks.`,
      ),
    );
  });

  test.each(later)(
    'spec 9.2: %s shows a single-task job and its run as a list of one task',
    async (version) => {
      const job_id = await create('2.0', { ...single, libraries: [] });
      const { name, max_concurrent_runs, format, tasks, ...rest } = await settingsIn(version, job_id);
      expect([name, max_concurrent_runs, format]).toEqual(['single', 1, 'MULTI_TASK']);
      expect(tasks).toEqual([
        expect.objectContaining({
          task_key: 'main',
          ...on,
          ...pythonTask,
          timeout_seconds: 60,
          max_retries: 1,
          libraries: [],
        }),
      ]);
      for (const field of ['existing_cluster_id', 'spark_python_task', 'max_retries', 'libraries'])
        expect(rest).not.toHaveProperty(field);
      const { run_id } = await runyard.callOk('POST', `${version}/jobs/run-now`, { job_id });
      await runyard.waitForRunEnd(run_id);
      const run = await runyard.callOk('GET', `${version}/jobs/runs/get`, { run_id });
      expect(run).toMatchObject({
        format: 'MULTI_TASK',
        tasks: [{ task_key: 'main', run_id: expect.any(Number) }],
      });
      expect(run).not.toHaveProperty('task');
      expect(
        await runyard.callOk('GET', `${version}/jobs/runs/get-output`, { run_id: run.tasks[0].run_id }),
      ).toMatchObject({ logs: 'ok\n' });
    },
  );
});

describe('spec 9.3: 2.0 accepts both formats', () => {
  test('spec 9.3: a single-task job and its run are returned as written', async () => {
    const job_id = await create('2.0', { ...single, libraries: [] });
    expect(await settingsIn('2.0', job_id)).toEqual({ ...single, libraries: [], format: 'SINGLE_TASK' });
    await runyard.callOk('POST', '2.0/jobs/update', { job_id, new_settings: { max_retries: 0 } });
    expect(await listedIn('2.0', job_id)).toEqual({
      ...single,
      libraries: [],
      max_retries: 0,
      format: 'SINGLE_TASK',
    });
    await runyard.callOk('POST', '2.0/jobs/reset', { job_id, new_settings: { ...on, ...pythonTask } });
    expect(await settingsIn('2.0', job_id)).toEqual({
      name: 'Untitled',
      ...on,
      ...pythonTask,
      format: 'SINGLE_TASK',
    });
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
    await runyard.waitForRunEnd(run_id);
    const run = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });
    expect(run).toMatchObject({ format: 'SINGLE_TASK', task: pythonTask });
    expect(run).not.toHaveProperty('tasks');
  });

  test.each(all)('spec 9.3: a multi-task job created in %s is the same in every version', async (version) => {
    const job_id = await create(version, multi);
    expect(await settingsIn('2.0', job_id)).toEqual(
      expect.objectContaining({ ...multi, format: 'MULTI_TASK' }),
    );
    for (const other of later)
      expect(await settingsIn(other, job_id)).toMatchObject({ ...multi, format: 'MULTI_TASK' });
  });
});

describe('spec 9.4: multi-task format', () => {
  test.each(all)(
    'spec 9.4: in %s settings have tasks, job_clusters and format; lists omit the tasks',
    async (version) => {
      const job_id = await create(version, multi);
      const { tasks: _, ...listed } = await settingsIn(version, job_id);
      expect(listed).toMatchObject({ job_clusters: multi.job_clusters, format: 'MULTI_TASK' });
      expect(await listedIn(version, job_id)).toEqual(listed);
    },
  );

  test.each(all)(
    'spec 9.4: in %s lists of runs omit the tasks, and get-output accepts only task runs',
    async (version) => {
      const { run_id } = await runyard.callOk('POST', `${version}/jobs/run-now`, {
        job_id: await create(version, multi),
      });
      await runyard.waitForRunEnd(run_id);
      const run = await runyard.callOk('GET', `${version}/jobs/runs/get`, { run_id });
      expect(run.tasks.map((task: ResponseBody) => task.task_key)).toEqual(['a', 'b']);
      const { runs } = await runyard.callOk('GET', `${version}/jobs/runs/list`, { job_id: run.job_id });
      expect(runs).toEqual([{ ...run, tasks: [] }]);
      for (const task of run.tasks)
        expect(
          (await runyard.callOk('GET', `${version}/jobs/runs/get-output`, { run_id: task.run_id })).logs,
        ).toBe('ok\n');
      expect((await runyard.call('GET', `${version}/jobs/runs/get-output`, { run_id })).status).toBe(400);
    },
  );
});

test('spec 3.3 job format follows the shape of the settings, changes included', async () => {
  const job_id = await create('2.0', single);
  expect((await settingsIn('2.0', job_id)).format).toBe('SINGLE_TASK');
  await runyard.callOk('POST', '2.0/jobs/reset', { job_id, new_settings: multi });
  expect((await settingsIn('2.0', job_id)).format).toBe('MULTI_TASK');
  await runyard.callOk('POST', '2.0/jobs/reset', { job_id, new_settings: { ...single, libraries: [] } });
  expect((await settingsIn('2.0', job_id)).format).toBe('SINGLE_TASK');
});
