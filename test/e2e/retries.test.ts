/** Retries through HTTP with real processes: each attempt as clients see it (spec 2.2, 2.3, 2.5). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  // Fails until it was started as many times as its argument says.
  await runyard.putFile(
    '/flaky.py',
    [
      'import os, sys',
      'path = os.environ["RUNYARD_MANAGED_FS"] + "/tries-" + os.environ["RUNYARD_JOB_ID"]',
      'tries = len(open(path).readlines()) if os.path.exists(path) else 0',
      'open(path, "a").write("x\\n")',
      'sys.exit(0 if tries >= int(sys.argv[1]) else "not yet: " + str(tries))',
    ].join('\n'),
  );
});
afterAll(() => runyard.stop());

const flaky = (failures: number) => ({
  existing_cluster_id: 'c',
  spark_python_task: { python_file: 'managed_fs:/flaky.py', parameters: [String(failures)] },
});
const create = async (version: string, settings: object): Promise<number> =>
  (await runyard.callOk('POST', `${version}/jobs/create`, { name: 'flaky', ...settings })).job_id;
const start = async (job_id: number): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/run-now', { job_id })).run_id;

describe('spec 2.5: a single-task job', () => {
  test('shows each retry as a new run with its number, trigger and original attempt', async () => {
    const job = await create('2.0', { ...flaky(2), max_retries: 3 });
    const first = await start(job);
    const list = async (): Promise<ResponseBody[]> =>
      (await runyard.callOk('GET', '2.0/jobs/runs/list', { job_id: job })).runs;
    await eventually(async () => expect((await list())[0].state.result_state).toBe('SUCCESS'));
    expect(
      (await list())
        .toReversed()
        .map((run) => [
          run.number_in_job,
          run.attempt_number,
          run.trigger,
          run.original_attempt_run_id,
          run.state.result_state,
        ]),
    ).toEqual([
      [1, 0, 'ONE_TIME', first, 'FAILED'],
      [2, 1, 'RETRY', first, 'FAILED'],
      [3, 2, 'RETRY', first, 'SUCCESS'],
    ]);
  });

  test('a waiting retry shows its number, its cause and its start time', async () => {
    const job = await create('2.0', { ...flaky(1), max_retries: 1, min_retry_interval_millis: 3_600_000 });
    const failed = await runyard.waitForRunEnd(await start(job));
    const {
      runs: [retry],
    } = await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: job });
    expect(retry.state).toEqual({
      life_cycle_state: 'PENDING',
      user_cancelled_or_timedout: false,
      state_message: expect.stringMatching(
        new RegExp(
          `^Retry 1 of 1 of run ${failed.run_id}, which ended as FAILED: .*\\. It starts at ${new Date(failed.tasks[0].start_time + 3_600_000).toISOString()}\\.$`,
        ),
      ),
    });
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: retry.run_id });
    expect((await runyard.waitForRunEnd(retry.run_id)).state.result_state).toBe('CANCELED');
  });
});

describe('spec 2.3: a multi-task job', () => {
  test('shows each attempt of a task in one run, each with its own logs', async () => {
    const job = await create('2.1', {
      tasks: [
        { task_key: 'a', ...flaky(1), max_retries: 2 },
        { task_key: 'b', depends_on: [{ task_key: 'a' }], ...flaky(0) },
      ],
    });
    const run = await runyard.waitForRunEnd(await start(job));
    expect(run.state.result_state).toBe('SUCCESS');
    expect(
      run.tasks.map((task: ResponseBody) => [task.task_key, task.attempt_number, task.state.result_state]),
    ).toEqual([
      ['a', 0, 'FAILED'],
      ['a', 1, 'SUCCESS'],
      ['b', 0, 'SUCCESS'],
    ]);
    const [failed, retried] = run.tasks;
    expect(await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: failed.run_id })).toMatchObject({
      logs: 'not yet: 0\n',
    });
    expect(await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: retried.run_id })).toMatchObject({
      trigger: 'RETRY',
      attempt_number: 1,
      original_attempt_run_id: failed.run_id,
    });
  });
});

describe('spec 2.7: run_job_task', () => {
  test('passes parameters to the child job and names the child run', async () => {
    await runyard.putFile('/say.py', 'import sys\nprint("got", *sys.argv[1:])\n');
    const child = await create('2.1', {
      tasks: [
        {
          task_key: 'say',
          existing_cluster_id: 'c',
          spark_python_task: { python_file: 'managed_fs:/say.py' },
        },
      ],
    });
    const parent = await create('2.1', {
      parameters: [{ name: 'day', default: 'Monday' }],
      tasks: [
        { task_key: 'outer', run_job_task: { job_id: child, python_params: ['{{job.parameters.day}}'] } },
      ],
    });
    const run = await runyard.waitForRunEnd(await start(parent));
    expect(run.state.result_state).toBe('SUCCESS');
    const {
      run_job_output: { run_id: started },
    } = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[0].run_id });
    const inner = await runyard.waitForRunEnd(started);
    expect(inner).toMatchObject({ job_id: child, overriding_parameters: { python_params: ['Monday'] } });
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: inner.tasks[0].run_id })).logs,
    ).toBe('got Monday\n');
  });

  test('a change that closes a cycle of run_job tasks is refused with the chain of jobs', async () => {
    const inner = await create('2.1', { tasks: [{ task_key: 'x', ...flaky(0) }] });
    const outer = await create('2.1', { tasks: [{ task_key: 'o', run_job_task: { job_id: inner } }] });
    const change = {
      job_id: inner,
      new_settings: { tasks: [{ task_key: 'x', run_job_task: { job_id: outer } }] },
    };
    for (const operation of ['update', 'reset']) {
      expect(await runyard.call('POST', `2.1/jobs/${operation}`, change)).toEqual({
        status: 400,
        body: {
          error_code: 'INVALID_PARAMETER_VALUE',
          message: `run_job_task.job_id creates a cycle: job ${inner} would start itself (${inner} -> ${outer} -> ${inner}).`,
        },
      });
    }
  });
});
