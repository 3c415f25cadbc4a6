/** Repairs with the current settings of the job, of single-task runs, and through the queue. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { attempts, history, registerService, repair, runyard, stdout, task } from './repair-harness.ts';

registerService();

const create = async (settings: object, version = '2.1'): Promise<number> =>
  (await runyard.callOk('POST', `${version}/jobs/create`, { name: 'job', ...settings })).job_id;
const runNow = async (job_id: number): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/run-now', { job_id })).run_id;
const update = (job_id: number, new_settings: object, version = '2.1'): Promise<unknown> =>
  runyard.callOk('POST', `${version}/jobs/update`, { job_id, new_settings });
const failing = { spark_python_task: { python_file: 'managed_fs:/missing.py' } };
const program = (...parameters: string[]) => ({
  spark_python_task: { python_file: 'managed_fs:/ok.py', parameters },
});
const compute = { existing_cluster_id: 'shared-cluster' };

describe('the settings of a repair', () => {
  test('are the current ones of the job; earlier attempts keep theirs', async () => {
    const jobId = await create({ tasks: [task('a'), task('b', ['a'], 'missing.py')] });
    const runId = await runNow(jobId);
    await runyard.waitForRunEnd(runId);
    await update(jobId, { tasks: [task('b', ['a'], 'ok.py'), task('later', ['b'], 'missing.py')] });
    await repair({ run_id: runId, rerun_all_failed_tasks: true });
    const run = await runyard.waitForRunEnd(runId);
    // The run keeps its tasks: `later` is not one of them.
    expect(attempts(run)).toEqual(['a 0 SUCCESS', 'b 0 FAILED', 'b 0 SUCCESS']);
    expect(
      run.tasks.slice(1).map((one: ReturnType<typeof task>) => one.spark_python_task.python_file),
    ).toEqual(['managed_fs:/missing.py', 'managed_fs:/ok.py']);
    const first = await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: run.tasks[1].run_id });
    expect(first.task).toEqual({ spark_python_task: { python_file: 'managed_fs:/missing.py' } });
  });

  test('with use_original_settings are those of the start of the run', async () => {
    const jobId = await create({ tasks: [task('a', [], 'missing.py')] });
    const runId = await runNow(jobId);
    await runyard.waitForRunEnd(runId);
    await update(jobId, { tasks: [task('a')] });
    await repair({ run_id: runId, rerun_all_failed_tasks: true, use_original_settings: true });
    expect(attempts(await runyard.waitForRunEnd(runId))).toEqual(['a 0 FAILED', 'a 0 FAILED']);
  });

  test('that the run cannot take are refused', async () => {
    const jobId = await create({ tasks: [task('a', [], 'missing.py'), task('b')] });
    const runId = await runNow(jobId);
    await runyard.waitForRunEnd(runId);
    await runyard.callOk('POST', '2.1/jobs/update', { job_id: jobId, fields_to_remove: ['tasks/a'] });
    const request = { run_id: runId, rerun_all_failed_tasks: true };
    expect(await runyard.call('POST', '2.1/jobs/runs/repair', request)).toEqual({
      status: 400,
      body: {
        error_code: 'INVALID_STATE',
        message: `Task a of run ${runId} cannot run again: job ${jobId} has no task with this key now. Set use_original_settings to repair it with the settings of its start.`,
      },
    });
  });

  test('do not change what is masked: secrets of an earlier round stay masked', async () => {
    const cluster = (secret: string) => ({
      new_cluster: {
        spark_version: 'v',
        node_type_id: 'n',
        num_workers: 0,
        spark_env_vars: { API_TOKEN: secret },
      },
    });
    await runyard.putFile('/secret.py', 'import os\nraise SystemExit(os.environ["API_TOKEN"])\n');
    const secretTask = (secret: string) => ({
      task_key: 'a',
      ...cluster(secret),
      spark_python_task: { python_file: 'managed_fs:/secret.py' },
    });
    const jobId = await create({ tasks: [secretTask('first-secret')] });
    const runId = await runNow(jobId);
    await runyard.waitForRunEnd(runId);
    await update(jobId, { tasks: [secretTask('second-secret')] });
    await repair({ run_id: runId, rerun_all_failed_tasks: true });
    const run = await runyard.waitForRunEnd(runId);
    for (const { run_id } of run.tasks)
      expect(await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id })).toMatchObject({
        logs: '***\n',
      });
  });
});

describe('a single-task run', () => {
  test('is repaired inside the same run, and its id stands for the latest attempt in 2.0', async () => {
    const jobId = await create({ ...compute, ...failing }, '2.0');
    const runId = await runNow(jobId);
    const failed = await runyard.waitForRunEnd(runId);
    await update(jobId, program('again'), '2.0');
    const repairId = await repair({ run_id: runId, rerun_tasks: ['main'] });
    const run = await runyard.waitForRunEnd(runId);
    expect(run).toMatchObject({ run_id: runId, number_in_job: 1, state: { result_state: 'SUCCESS' } });
    expect(attempts(run)).toEqual(['main 0 FAILED', 'main 0 SUCCESS']);
    const [first, second] = run.tasks;
    expect(first.run_id).toBe(runId);
    expect(stdout(second.run_id)).toBe("ok ['again']\n");
    const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: runId });
    expect(output).toMatchObject({ logs: "ok ['again']\n" });
    expect(output.metadata).toMatchObject(
      await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id: runId }),
    );
    expect(await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: first.run_id })).toMatchObject({
      metadata: { state: { result_state: 'FAILED' } },
    });
    expect(
      (await history(runId)).map(({ type, id, state }: { type: string; id?: number; state: object }) => [
        type,
        id,
        state,
      ]),
    ).toEqual([
      ['ORIGINAL', undefined, failed.state],
      ['REPAIR', repairId, run.state],
    ]);
  });

  test('that was retried is refused, and the refusal names its latest attempt', async () => {
    const jobId = await create({ ...compute, ...failing, max_retries: 1 }, '2.0');
    const runId = await runNow(jobId);
    await runyard.waitForRunEnd(runId);
    const { runs } = await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobId });
    const retry = runs[0].run_id;
    await runyard.waitForRunEnd(retry);
    expect(
      await runyard.call('POST', '2.1/jobs/runs/repair', { run_id: runId, rerun_all_failed_tasks: true }),
    ).toMatchObject({
      status: 400,
      body: { message: `Run ${runId} was retried as run ${retry}; repair that run instead.` },
    });
    await repair({ run_id: retry, rerun_all_failed_tasks: true });
    const run = await runyard.waitForRunEnd(retry);
    // Spec 2.5: the attempt number stays within max_retries, also after the repair.
    expect(run.tasks.map((one: { attempt_number: number }) => one.attempt_number)).toEqual([1, 1]);
    expect((await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: jobId })).runs).toHaveLength(2);
  });
});

test('a repair waits in the queue while its job is at its limit, and can be cancelled and repaired again', async () => {
  const jobId = await create({ tasks: [task('a', [], 'missing.py')], queue: { enabled: true } });
  const runId = await runNow(jobId);
  await runyard.waitForRunEnd(runId);
  await update(jobId, { tasks: [task('a', [], 'wait.py')] });
  const other = await runNow(jobId);
  const first = await repair({ run_id: runId, rerun_all_failed_tasks: true });
  const waiting = await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId });
  expect(waiting).toMatchObject({
    state: {
      life_cycle_state: 'QUEUED',
      state_message: 'Waiting in the queue: the job has reached its limit of 1 maximum concurrent runs.',
    },
    status: { queue_details: { code: 'MAX_CONCURRENT_RUNS_REACHED' } },
    tasks: [{}, { state: { life_cycle_state: 'QUEUED' } }],
  });
  await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
  expect((await runyard.waitForRunEnd(runId)).state).toMatchObject({ result_state: 'CANCELED' });
  await repair({ run_id: runId, rerun_all_failed_tasks: true, latest_repair_id: first });
  await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: other });
  const admitted = await runyard.waitForRun(runId, ({ state }) => state.life_cycle_state === 'RUNNING');
  expect(admitted.queue_duration).toBeGreaterThanOrEqual(0);
  await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
  await runyard.waitForRunEnd(runId);
  const [, latest] = (await history(runId)).slice(-2);
  expect(latest.end_time).toBeGreaterThanOrEqual(latest.start_time);
  await eventually(async () => expect((await history(runId)).length).toBe(3));
});

test('without a queue a repair over the limit is refused', async () => {
  const jobId = await create({ tasks: [task('a', [], 'missing.py')] });
  const runId = await runNow(jobId);
  await runyard.waitForRunEnd(runId);
  await update(jobId, { tasks: [task('a', [], 'wait.py')] });
  const other = await runNow(jobId);
  const request = { run_id: runId, rerun_all_failed_tasks: true };
  expect(await runyard.call('POST', '2.1/jobs/runs/repair', request)).toMatchObject({ status: 400 });
  expect(
    await runyard.call('POST', '2.1/jobs/runs/repair', { ...request, queue: { enabled: true } }),
  ).toMatchObject({ status: 200 });
  for (const run_id of [runId, other]) await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id });
  await runyard.waitForRunEnd(other);
});
