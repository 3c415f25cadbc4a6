/** Runs through the JavaScript SDK. */
import { WorkspaceClient, type jobs } from '@databricks/sdk-experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDestinations } from '../../harness/destinations.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { collectAll, apiErrorOf } from './sdk-results.ts';

let runyard: TestService;

let client: WorkspaceClient;

beforeAll(async () => {
  runyard = await startTestService();
  client = clientWith(runyard.token);
  await addDestinations(runyard.database.db);
  await client.dbfs.put({ path: '/program.py', contents: base64(program), overwrite: true });
  await client.workspace.mkdirs({ path: '/notebooks' });
  await client.workspace.import({
    path: '/notebooks/greet',
    language: 'PYTHON',
    format: 'SOURCE',
    overwrite: true,
    content: base64(notebook),
  });
});

afterAll(() => runyard.stop());

/** Program that prints its argument; `wait` runs until stopped, `wish` fails until the file /wish exists. */
const program = `
import os, sys, time
print("program", sys.argv[1], flush=True)
if sys.argv[1] == "wait": time.sleep(600)
if sys.argv[1] == "wish" and not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/wish"): sys.exit("no wish")
`;

const notebook = `# Databricks notebook source
who = dbutils.widgets.get("who")
print("greeting", who)
# COMMAND ----------
dbutils.notebook.exit("hello " + who)
`;

const cluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

function clientWith(token: string): WorkspaceClient {
  return new WorkspaceClient({ env: { DATABRICKS_HOST: runyard.url, DATABRICKS_TOKEN: token } });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Returns a task that runs the program. */
function says(word: string, fields: Partial<jobs.Task> = {}): jobs.Task & jobs.SubmitTask {
  return {
    task_key: word,
    existing_cluster_id: 'sdk',
    spark_python_task: { python_file: 'dbfs:/program.py', parameters: [word] },
    ...fields,
  };
}

/** Returns a job with these tasks. */
async function jobOf(tasks: jobs.Task[], settings: jobs.CreateJob = {}): Promise<number> {
  return given((await client.jobs.create({ name: 'sdk', tasks, ...settings })).job_id);
}

/** Returns a value that is optional in the SDK types but present in every response. */
function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The answer lacks it.');
  return value;
}

describe('runs', () => {
  test('run-now waits until the run has ended, and every task has its output', async () => {
    const jobId = await jobOf([
      {
        task_key: 'greet',
        new_cluster: cluster,
        notebook_task: { notebook_path: '/notebooks/greet', base_parameters: { who: 'nobody' } },
      },
      says('ok', { depends_on: [{ task_key: 'greet' }] }),
    ]);
    const seen: (string | undefined)[] = [];
    const started = await client.jobs.runNow({
      job_id: jobId,
      notebook_params: { who: 'you' },
      idempotency_token: 'sdk-run-now',
    });
    expect(started).toMatchObject({ run_id: expect.any(Number), number_in_job: 1 });
    const run = await started.wait({
      onProgress: async ({ state }) => {
        seen.push(state?.life_cycle_state);
      },
    });
    expect(run).toMatchObject({
      run_id: started.run_id,
      job_id: jobId,
      run_type: 'JOB_RUN',
      trigger: 'ONE_TIME',
      run_page_url: expect.stringMatching(/^http/),
      state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS', state_message: '' },
      status: { state: 'TERMINATED', termination_details: { code: 'SUCCESS' } },
      overriding_parameters: { notebook_params: { who: 'you' } },
    });
    expect(seen.at(-1)).toBe('TERMINATED');
    const [greet, ok] = given(run.tasks);
    const output = await client.jobs.getRunOutput({ run_id: given(greet?.run_id) });
    expect(output).toMatchObject({
      notebook_output: { result: 'hello you', truncated: false },
      metadata: { run_id: greet?.run_id },
    });
    expect(await client.jobs.getRunOutput({ run_id: given(ok?.run_id) })).toMatchObject({
      logs: 'program ok\n',
      logs_truncated: false,
    });
    expect((await client.jobs.getRun({ run_id: given(ok?.run_id) })).run_id).toBe(ok?.run_id);
    const again = await client.jobs.runNow({
      job_id: jobId,
      notebook_params: { who: 'you' },
      idempotency_token: 'sdk-run-now',
    });
    expect(again.run_id).toBe(run.run_id);
    const { views } = await client.jobs.exportRun({ run_id: given(greet?.run_id), views_to_export: 'ALL' });
    expect(views).toMatchObject([
      { type: 'NOTEBOOK', name: 'greet', content: expect.stringContaining('greeting you') },
      { type: 'DASHBOARD' },
    ]);
  });

  test('submit waits until the run has ended', async () => {
    const started = await client.jobs.submit({
      run_name: 'once',
      idempotency_token: 'sdk-submit',
      timeout_seconds: 600,
      tasks: [
        {
          task_key: 'ok',
          new_cluster: cluster,
          spark_python_task: { python_file: 'dbfs:/program.py', parameters: ['ok'] },
        },
      ],
    });
    const run = await started.wait();
    expect(run).toMatchObject({
      run_name: 'once',
      run_type: 'SUBMIT_RUN',
      job_id: expect.any(Number),
      state: { result_state: 'SUCCESS' },
    });
    expect(await client.jobs.getRunOutput({ run_id: given(run.tasks?.[0]?.run_id) })).toMatchObject({
      logs: 'program ok\n',
    });
    expect(
      (await collectAll(client.jobs.listRuns({ run_type: 'SUBMIT_RUN' }))).map((one) => one.run_id),
    ).toEqual([run.run_id]);
  });

  test('are listed page by page, newest first, and deleted', async () => {
    const jobId = await jobOf([says('ok')], { max_concurrent_runs: 10 });
    const started = [];
    for (const _ of Array.from({ length: 5 })) started.unshift(await client.jobs.runNow({ job_id: jobId }));
    const ids = (await Promise.all(started.map((run) => run.wait()))).map((run) => given(run.run_id));
    expect(
      (await collectAll(client.jobs.listRuns({ job_id: jobId, limit: 2 }))).map((run) => run.run_id),
    ).toEqual(ids);
    expect(await collectAll(client.jobs.listRuns({ job_id: jobId, active_only: true }))).toEqual([]);
    const expanded = await collectAll(
      client.jobs.listRuns({ job_id: jobId, completed_only: true, expand_tasks: true, start_time_from: 0 }),
    );
    expect(expanded.map((run) => run.tasks?.length)).toEqual([1, 1, 1, 1, 1]);
    await client.jobs.deleteRun({ run_id: given(ids[0]) });
    expect((await apiErrorOf(client.jobs.getRun({ run_id: given(ids[0]) }))).message).toBe(
      `Run ${ids[0]} does not exist.`,
    );
    expect((await collectAll(client.jobs.listRuns({ job_id: jobId }))).map((run) => run.run_id)).toEqual(
      ids.slice(1),
    );
  });

  test('cancel waits until the run has ended, and an active run cannot be deleted', async () => {
    const jobId = await jobOf([says('wait'), says('ok', { depends_on: [{ task_key: 'wait' }] })]);
    const run_id = given((await client.jobs.runNow({ job_id: jobId })).run_id);
    expect(await apiErrorOf(client.jobs.deleteRun({ run_id }))).toMatchObject({
      statusCode: 400,
      errorCode: 'INVALID_STATE',
    });
    const cancelled = await (await client.jobs.cancelRun({ run_id })).wait();
    expect(cancelled.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'CANCELED',
      user_cancelled_or_timedout: true,
    });
  });

  test('cancel-all ends every active run of a job, and a run above the limit is skipped', async () => {
    const jobId = await jobOf([says('wait')], { max_concurrent_runs: 2, queue: { enabled: false } });
    const [first, second, third] = [
      await client.jobs.runNow({ job_id: jobId }),
      await client.jobs.runNow({ job_id: jobId }),
      await client.jobs.runNow({ job_id: jobId }),
    ];
    expect((await third.wait()).state).toMatchObject({ life_cycle_state: 'SKIPPED' });
    await client.jobs.cancelAllRuns({ job_id: jobId });
    const ended = await Promise.all([first.wait(), second.wait()]);
    expect(ended.map((run) => run.state?.result_state)).toEqual(['CANCELED', 'CANCELED']);
  });

  test('a failed run is repaired, and its history contains the repair', async () => {
    const jobId = await jobOf([
      says('ok'),
      says('wish', { depends_on: [{ task_key: 'ok' }] }),
      says('after', { depends_on: [{ task_key: 'wish' }] }),
    ]);
    const started = await client.jobs.runNow({ job_id: jobId });
    // The waiter raises on a failed run, because 2.2 shows it as INTERNAL_ERROR.
    await expect(started.wait()).rejects.toThrow(/INTERNAL_ERROR: Task wish failed/);
    const failed = await client.jobs.getRun({ run_id: given(started.run_id) });
    expect(failed.state).toMatchObject({ life_cycle_state: 'INTERNAL_ERROR', result_state: 'FAILED' });
    const wish = given(given(failed.tasks).find((task) => task.task_key === 'wish'));
    expect((await client.jobs.getRunOutput({ run_id: given(wish.run_id) })).error).toMatch(/no wish|exit/);
    await client.dbfs.put({ path: '/wish', contents: base64('granted'), overwrite: true });
    const repair = await client.jobs.repairRun({
      run_id: given(failed.run_id),
      rerun_all_failed_tasks: true,
    });
    expect(repair.repair_id).toEqual(expect.any(Number));
    const repaired = await repair.wait();
    expect(repaired).toMatchObject({
      run_id: failed.run_id,
      state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    });
    const { repair_history: history } = await client.jobs.getRun({
      run_id: given(failed.run_id),
      include_history: true,
    });
    expect(history).toMatchObject([
      { type: 'ORIGINAL', state: { result_state: 'FAILED' } },
      { type: 'REPAIR', id: repair.repair_id, state: { result_state: 'SUCCESS' } },
    ]);
  });

  test('an error response is thrown immediately with its code and message', async () => {
    expect(await apiErrorOf(client.jobs.getRun({ run_id: 987_654 }))).toEqual({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER_VALUE',
      message: 'Run 987654 does not exist.',
    });
    expect(await apiErrorOf(client.jobs.create({ tasks: [{ task_key: 'a' }] }))).toMatchObject({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER_VALUE',
    });
    expect(await apiErrorOf(clientWith('unknown').jobs.get({ job_id: 1 }))).toEqual({
      statusCode: 403,
      errorCode: 'PERMISSION_DENIED',
      message: expect.stringContaining('Invalid access token'),
    });
  });
});
