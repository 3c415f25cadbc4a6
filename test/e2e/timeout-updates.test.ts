/**
 * Changes of timeout_seconds apply to active runs (spec 4.1 rules 2 and 3), through HTTP with real
 * processes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
});
afterAll(() => runyard.stop());

const python = {
  existing_cluster_id: 'all-purpose',
  spark_python_task: { python_file: 'managed_fs:/wait.py' },
};
const tasks = [
  { task_key: 'a', ...python },
  { task_key: 'b', ...python, depends_on: [{ task_key: 'a' }] },
];
const running = (runId: number): Promise<ResponseBody> =>
  runyard.waitForRun(runId, (run) => run.state.life_cycle_state === 'RUNNING');
const create = async (settings: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/create', { name: 'timeouts', ...settings })).job_id;
const runNow = async (job_id: number): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/run-now', { job_id })).run_id;
const update = (job_id: number, change: object, version = '2.0'): Promise<ResponseBody> =>
  runyard.callOk('POST', `${version}/jobs/update`, { job_id, ...change });

async function started(settings: object): Promise<{ jobId: number; runId: number }> {
  const jobId = await create(settings);
  const runId = await runNow(jobId);
  await running(runId);
  return { jobId, runId };
}

/** Lets real time pass: waits for a later run that ends by a timeout of `seconds`. */
async function waitSeconds(seconds: number): Promise<void> {
  await runyard.waitForRunEnd(await runNow(await create({ ...python, timeout_seconds: seconds })));
}

const timedOut = {
  life_cycle_state: 'TERMINATED',
  result_state: 'TIMEDOUT',
  user_cancelled_or_timedout: true,
};

describe('spec 4.1.3: update of timeout_seconds', () => {
  test('stops an active single-task run that had no timeout, counted from its start', async () => {
    const { jobId, runId } = await started(python);
    await update(jobId, { new_settings: { timeout_seconds: 1 } });
    const run = await runyard.waitForRunEnd(runId);
    expect(run.state).toMatchObject(timedOut);
    expect(run.end_time - run.start_time).toBeGreaterThanOrEqual(1_000);
  });

  test('stops an active multi-task run', async () => {
    const { jobId, runId } = await started({ tasks });
    await update(jobId, { new_settings: { timeout_seconds: 1 } }, '2.1');
    const run = await runyard.waitForRunEnd(runId);
    expect(run.state).toMatchObject(timedOut);
    expect(
      run.tasks
        .map((task: ResponseBody) => [task.task_key, task.state.result_state ?? task.state.life_cycle_state])
        .sort(),
    ).toEqual([
      ['a', 'TIMEDOUT'],
      ['b', 'SKIPPED'],
    ]);
  });

  test('stops a task by its key', async () => {
    const { jobId, runId } = await started({ tasks });
    await update(jobId, { new_settings: { tasks: [{ ...tasks[0], timeout_seconds: 1 }] } }, '2.2');
    const run = await runyard.waitForRunEnd(runId);
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(run.tasks.find((task: ResponseBody) => task.task_key === 'a').state.result_state).toBe('TIMEDOUT');
  });

  test('removal lets the run continue past its old timeout', async () => {
    const { jobId, runId } = await started({ ...python, timeout_seconds: 5 });
    await update(jobId, { fields_to_remove: ['timeout_seconds'] });
    await waitSeconds(5);
    expect((await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id: runId })).state.life_cycle_state).toBe(
      'RUNNING',
    );
    await update(jobId, { new_settings: { timeout_seconds: 2 } });
    expect((await runyard.waitForRunEnd(runId)).state).toMatchObject(timedOut);
  });
});

describe('spec 4.1.2: reset of timeout_seconds', () => {
  test('stops an active run; other settings apply to future runs only', async () => {
    const { jobId, runId } = await started(python);
    await runyard.callOk('POST', '2.0/jobs/reset', {
      job_id: jobId,
      new_settings: { ...python, name: 'other', timeout_seconds: 1 },
    });
    const run = await runyard.waitForRunEnd(runId);
    expect(run.state).toMatchObject(timedOut);
    expect(run.run_name).toBe('timeouts');
    const next = await runNow(jobId);
    expect(await runyard.waitForRunEnd(next)).toMatchObject({ run_name: 'other', state: timedOut });
  });
});
