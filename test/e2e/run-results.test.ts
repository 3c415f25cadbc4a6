/**
 * Results of runs through HTTP: success, failure, cancel, timeout, skip, and a missing interpreter.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProcessTable } from '../../runners/process/process-table.ts';
import { eventually } from '../harness/eventually.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'import sys\nprint("args", sys.argv[1:])\n');
  await runyard.putFile('/wait.py', 'import time\nprint("waiting", flush=True)\ntime.sleep(600)\n');
});
afterAll(() => runyard.stop());

const python = (file: string, parameters: readonly string[] = []) => ({
  spark_python_task: { python_file: `managed_fs:/${file}`, parameters },
});
const compute = { existing_cluster_id: 'all-purpose' };

async function create(settings: object): Promise<number> {
  return (await runyard.callOk('POST', '2.0/jobs/create', { name: 'ends', ...compute, ...settings })).job_id;
}
const runNow = (job_id: number, more: object = {}): Promise<ResponseBody> =>
  runyard.callOk('POST', '2.0/jobs/run-now', { job_id, ...more });
const running = (runId: number): Promise<ResponseBody> =>
  runyard.waitForRun(runId, (run) => run.state.life_cycle_state === 'RUNNING');
const processes = (): Promise<readonly number[]> =>
  createProcessTable(join(runyard.dataDirectory, 'runs')).listAttempts();

describe('spec 2.5, 3.1: a single-task job', () => {
  test('succeeds with its output; run parameters replace those of the job', async () => {
    const job = await create(python('ok.py', ['from', 'job']));
    const { run_id, number_in_job } = await runNow(job, { python_params: ['from', 'run'] });
    expect(number_in_job).toBe(1);
    await runyard.waitForRunEnd(run_id);
    const run = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });
    expect(run).toMatchObject({
      job_id: job,
      run_id,
      number_in_job: 1,
      original_attempt_run_id: run_id,
      attempt_number: 0,
      trigger: 'ONE_TIME',
      run_type: 'JOB_RUN',
      run_name: 'ends',
      creator_user_name: 'admin',
      format: 'SINGLE_TASK',
      state: {
        life_cycle_state: 'TERMINATED',
        result_state: 'SUCCESS',
        state_message: '',
        user_cancelled_or_timedout: false,
      },
      task: python('ok.py', ['from', 'job']),
      overriding_parameters: { python_params: ['from', 'run'] },
      cluster_spec: compute,
      cluster_instance: { cluster_id: 'all-purpose', spark_context_id: expect.stringMatching(/^\d+$/) },
    });
    const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
    expect(output).toMatchObject({ logs: "args ['from', 'run']\n", metadata: { run_id } });
  });

  test('a run over max_concurrent_runs is skipped at once, and run numbers have no gap', async () => {
    const job = await create(python('wait.py'));
    const first = await runNow(job);
    const second = await runNow(job);
    expect([first.number_in_job, second.number_in_job]).toEqual([1, 2]);
    const skipped = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id: second.run_id });
    expect(skipped.state).toEqual({
      life_cycle_state: 'SKIPPED',
      user_cancelled_or_timedout: false,
      state_message: expect.stringContaining(
        'Skipping this run because the limit of 1 maximum concurrent runs has been reached',
      ),
    });
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: first.run_id });
    await runyard.waitForRunEnd(first.run_id);
    const third = await runNow(job);
    expect((await running(third.run_id)).number_in_job).toBe(3);
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: third.run_id });
    await runyard.waitForRunEnd(third.run_id);
  });

  test('with max_concurrent_runs 0 every run is skipped', async () => {
    const { run_id } = await runNow(await create({ ...python('ok.py'), max_concurrent_runs: 0 }));
    expect((await runyard.waitForRunEnd(run_id)).state.life_cycle_state).toBe('SKIPPED');
  });
});

describe('spec 3.1: cancel', () => {
  test('ends the process and the run; a second cancel changes nothing', async () => {
    const { run_id } = await runNow(await create(python('wait.py')));
    await running(run_id);
    expect(await runyard.call('POST', '2.0/jobs/runs/cancel', { run_id })).toEqual({ status: 200, body: {} });
    const run = await runyard.waitForRunEnd(run_id);
    expect(run.state).toEqual({
      life_cycle_state: 'TERMINATED',
      result_state: 'CANCELED',
      user_cancelled_or_timedout: true,
      state_message: expect.stringContaining('Run cancelled by user'),
    });
    expect(await processes()).toEqual([]);
    expect(await runyard.call('POST', '2.0/jobs/runs/cancel', { run_id })).toEqual({ status: 200, body: {} });
    expect((await runyard.waitForRunEnd(run_id)).state).toEqual(run.state);
  });

  test('of a multi-task run cancels started tasks and skips waiting ones', async () => {
    const tasks = [
      { task_key: 'first', ...compute, ...python('ok.py') },
      { task_key: 'long', ...compute, depends_on: [{ task_key: 'first' }], ...python('wait.py') },
      { task_key: 'after', ...compute, depends_on: [{ task_key: 'long' }], ...python('ok.py') },
    ];
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks });
    await runyard.waitForRun(run_id, (run) =>
      run.tasks.some(
        (task: ResponseBody) => task.task_key === 'long' && task.state.life_cycle_state === 'RUNNING',
      ),
    );
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id });
    const run = await runyard.waitForRunEnd(run_id);
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'CANCELED' });
    const ends = Object.fromEntries(
      run.tasks.map((task: ResponseBody) => [
        task.task_key,
        [task.state.life_cycle_state, task.state.result_state],
      ]),
    );
    expect(ends).toEqual({
      first: ['TERMINATED', 'SUCCESS'],
      long: ['TERMINATED', 'CANCELED'],
      after: ['SKIPPED', undefined],
    });
  });
});

describe('spec 2.2, 2.3 timeout_seconds', () => {
  test('a run over its timeout is stopped with a message that names the timeout', async () => {
    const { run_id } = await runNow(await create({ ...python('wait.py'), timeout_seconds: 1 }));
    const run = await runyard.waitForRunEnd(run_id);
    expect(run.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'TIMEDOUT',
      user_cancelled_or_timedout: true,
    });
    expect(run.end_time - run.start_time).toBeGreaterThanOrEqual(1_000);
  });

  test('a task over its timeout fails its run, and its downstream tasks are skipped', async () => {
    const tasks = [
      { task_key: 'slow', ...compute, ...python('wait.py'), timeout_seconds: 1 },
      { task_key: 'after', ...compute, depends_on: [{ task_key: 'slow' }], ...python('ok.py') },
    ];
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', { tasks });
    const run = await runyard.waitForRunEnd(run_id);
    expect(run.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'FAILED',
      user_cancelled_or_timedout: false,
    });
    expect(
      run.tasks
        .map((task: ResponseBody) => [task.task_key, task.state.result_state, task.state.state_message])
        .sort(),
    ).toEqual([
      ['after', undefined, expect.stringContaining('Upstream task slow failed')],
      ['slow', 'TIMEDOUT', expect.stringContaining('Run timed out')],
    ]);
  });
});

describe('spec 4.1.10: a program that cannot run', () => {
  test.each([
    ['a file that is not there', python('gone.py'), /gone\.py/],
    [
      'a missing notebook',
      { notebook_task: { notebook_path: '/no/such' } },
      /\/no\/such was not found in the workspace/,
    ],
    [
      'a missing pipeline',
      { pipeline_task: { pipeline_id: 'p' } },
      /The specified pipeline p was not found\./,
    ],
  ])('%s fails the run with a sentence that names it', async (_name, task, sentence) => {
    const { run_id } = await runNow(await create(task));
    const run = await runyard.waitForRunEnd(run_id);
    expect(run.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'FAILED',
      state_message: expect.stringMatching(sentence),
    });
    const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
    expect(output.error).toMatch(sentence);
  });

  test('a missing interpreter fails the run with a message that names what to install', async () => {
    const bare = await startTestService({ taskEnvironment: { PATH: '/nonexistent' } });
    try {
      await bare.putFile('/ok.py', '');
      await bare.putFile('/a.jar', 'PK\u0003\u0004');
      for (const [task, sentence] of [
        [python('ok.py'), /python3 was not found on this machine\. Install Python/],
        [
          { spark_jar_task: { main_class_name: 'A' }, libraries: [{ jar: 'managed_fs:/a.jar' }] },
          /java was not found on this machine\. Install a Java runtime/,
        ],
      ] as const) {
        const { run_id } = await bare.callOk('POST', '2.0/jobs/runs/submit', { ...compute, ...task });
        expect((await bare.waitForRunEnd(run_id)).state).toMatchObject({
          result_state: 'FAILED',
          state_message: expect.stringMatching(sentence),
        });
      }
    } finally {
      await bare.stop();
    }
  });
});

describe('spec 4.1.1: deleting a job', () => {
  test('ends its active runs and hides its run history at once', async () => {
    const job = await create(python('wait.py'));
    const { run_id } = await runNow(job);
    await running(run_id);
    expect(await runyard.call('POST', '2.0/jobs/delete', { job_id: job })).toEqual({ status: 200, body: {} });
    expect(await runyard.call('GET', '2.0/jobs/runs/get', { run_id })).toMatchObject({
      status: 400,
      body: { message: `Run ${run_id} does not exist.` },
    });
    expect((await runyard.callOk('GET', '2.0/jobs/runs/list', { job_id: job })).runs ?? []).toEqual([]);
    await eventually(processes, { until: ({ length }) => length === 0 });
    const storedState = async () =>
      runyard.database.db
        .selectFrom('runs')
        .select(['state', 'result'])
        .where('run_id', '=', run_id)
        .executeTakeFirst();
    const stored = await eventually(storedState, { until: (row) => row?.state === 'TERMINATED' });
    expect(stored).toEqual({ state: 'TERMINATED', result: 'CANCELED' });
  });
});

describe('files of a run', () => {
  test('each attempt has one directory, named by its run id', async () => {
    const { run_id } = await runNow(await create(python('ok.py')));
    await runyard.waitForRunEnd(run_id);
    expect((await readdir(join(runyard.dataDirectory, 'runs', String(run_id)))).sort()).toEqual(
      expect.arrayContaining(['command.json', 'exit', 'pid', 'stderr', 'stdout']),
    );
  });
});
