/** States, times and notifications of runs as clients see them: failures in 2.2, retries, handlers, children. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { eventually } from '../harness/eventually.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/bad.py', 'raise SystemExit("no")\n');
  await runyard.putFile('/wait.py', 'import time\nprint("waiting", flush=True)\ntime.sleep(600)\n');
});
afterAll(() => runyard.stop());

const python = (file: string) => ({
  existing_cluster_id: 'c',
  spark_python_task: { python_file: `managed_fs:/${file}.py` },
});
const submit = async (body: object, version = '2.1'): Promise<number> =>
  (await runyard.callOk('POST', `${version}/jobs/runs/submit`, body)).run_id;
const get = (version: string, run_id: number): Promise<ResponseBody> =>
  runyard.callOk('GET', `${version}/jobs/runs/get`, { run_id });

test('a failed run is INTERNAL_ERROR / FAILED in 2.2 alone, its task runs and notifications are not', async () => {
  const runId = await submit({
    tasks: [{ task_key: 'a', ...python('bad') }],
    email_notifications: { on_failure: ['ops@example.org'] },
  });
  await runyard.waitForRunEnd(runId);
  const states = await Promise.all(
    ['2.0', '2.1', '2.2'].map(async (version) => {
      const { state, tasks } = await get(version, runId);
      return [state.life_cycle_state, state.result_state, tasks[0].state.life_cycle_state];
    }),
  );
  expect(states).toEqual([
    ['TERMINATED', 'FAILED', 'TERMINATED'],
    ['TERMINATED', 'FAILED', 'TERMINATED'],
    ['INTERNAL_ERROR', 'FAILED', 'TERMINATED'],
  ]);
  const { runs } = await runyard.callOk('GET', '2.2/jobs/runs/list', { completed_only: true, limit: 1 });
  expect(runs[0]).toMatchObject({ run_id: runId, state: { life_cycle_state: 'INTERNAL_ERROR' } });
  const { tasks } = await get('2.2', runId);
  expect((await get('2.2', tasks[0].run_id)).state.life_cycle_state).toBe('TERMINATED');
  const { facts } = await runyard.database.db
    .selectFrom('outbox')
    .select('facts')
    .where('run_id', '=', runId)
    .where('event', '=', 'on_failure')
    .executeTakeFirstOrThrow();
  expect(facts).toMatchObject({ state: { state: 'TERMINATED', result: 'FAILED' } });
});

test('spec 2.5: the start of a retry is the start of its work, not of its wait', async () => {
  const jobId = (
    await runyard.callOk('POST', '2.0/jobs/create', {
      name: 'retried',
      ...python('bad'),
      max_retries: 1,
      min_retry_interval_millis: 1_500,
    })
  ).job_id;
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id: jobId });
  const first = await runyard.waitForRunEnd(run_id);
  const { runs } = await runyard.callOk('GET', '2.0/jobs/runs/list', { job_id: jobId });
  await runyard.waitForRunEnd(runs[0].run_id);
  const retry = await get('2.0', runs[0].run_id);
  expect(retry).toMatchObject({ trigger: 'RETRY', attempt_number: 1 });
  expect(retry.start_time).toBeGreaterThanOrEqual(first.tasks[0].start_time + 1_500);
  expect(retry.start_time + retry.setup_duration + retry.execution_duration + retry.cleanup_duration).toBe(
    retry.end_time,
  );
  const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: retry.run_id });
  // The history of attempts is part of runs/get alone.
  const { attempts: _, ...explanation } = retry.explanation ?? {};
  expect(output.metadata).toMatchObject({ ...retry, explanation });
});

test('spec 6: a handler that its run_if excludes sends no on_failure; a task skipped by a failure does', async () => {
  const alert = { email_notifications: { on_failure: ['ops@example.org'] } };
  const after = (key: string) => ({ depends_on: [{ task_key: key }] });
  const good = await submit({
    tasks: [
      { task_key: 'work', ...python('ok'), ...alert },
      { task_key: 'handler', ...python('ok'), ...alert, ...after('work'), run_if: 'AT_LEAST_ONE_FAILED' },
      { task_key: 'behind', ...python('ok'), ...alert, ...after('handler') },
    ],
  });
  const bad = await submit({
    tasks: [
      { task_key: 'work', ...python('bad'), ...alert },
      { task_key: 'next', ...python('ok'), ...alert, ...after('work') },
    ],
  });
  const run = await runyard.waitForRunEnd(good);
  expect(run.tasks.map(({ state }: ResponseBody) => state.life_cycle_state)).toEqual([
    'TERMINATED',
    'SKIPPED',
    'SKIPPED',
  ]);
  const failed = await runyard.waitForRunEnd(bad);
  const announced = async ({ tasks }: ResponseBody): Promise<unknown[]> => {
    const rows = await runyard.database.db
      .selectFrom('outbox')
      .select('task_key')
      .where(
        'run_id',
        'in',
        tasks.map((one: ResponseBody) => one.run_id),
      )
      .orderBy('outbox_event_id')
      .execute();
    return rows.map(({ task_key: key }) => key);
  };
  expect(await announced(run)).toEqual([]);
  expect(await announced(failed)).toEqual(['work', 'next']);
});

describe('a child run that its parent ends', () => {
  const childOf = async (parent: number): Promise<number> => {
    const { tasks } = await get('2.1', parent);
    const { run_job_output: child } = await eventually(
      () => runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: tasks[0].run_id }),
      { until: (output) => output.run_job_output !== undefined },
    );
    return child.run_id;
  };

  test.each([
    ['was cancelled', {}],
    ['timed out', { timeout_seconds: 1 }],
  ])('says which parent and why: it %s', async (reason, more) => {
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'child',
      tasks: [{ task_key: 'long', ...python('wait') }],
    });
    const parent = await submit({ tasks: [{ task_key: 'load', run_job_task: { job_id }, ...more }] });
    const child = await childOf(parent);
    if (reason === 'was cancelled') await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: parent });
    const run = await runyard.waitForRunEnd(child);
    const message = expect.stringContaining(
      `Run cancelled by its parent: task load of run ${parent} ${reason}`,
    );
    expect(run).toMatchObject({
      state: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED', state_message: message },
      status: { termination_details: { code: 'CANCELED', type: 'CLIENT_ERROR', message } },
    });
    await runyard.waitForRunEnd(parent);
  });
});
