/** Repair of runs through HTTP: tasks that run again, clusters, parameters, and the history. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  registerService,
  runyard,
  broken,
  mended,
  task,
  submit,
  repair,
  history,
  attempts,
  stdout,
} from './repair-harness.ts';

registerService();

describe('repair of a failed run', () => {
  test('reruns only the failed and skipped tasks and succeeds', async () => {
    await runyard.putFile('/step.py', broken);
    const runId = await submit([task('a'), task('b', ['a'], 'step.py'), task('c', ['b']), task('d', ['a'])]);
    const failed = await runyard.waitForRunEnd(runId);
    expect(failed.state.result_state).toBe('FAILED');
    await runyard.putFile('/step.py', mended);
    const repairId = await repair({ run_id: runId, rerun_all_failed_tasks: true });
    const run = await runyard.waitForRunEnd(runId);
    expect(run).toMatchObject({
      run_id: runId,
      start_time: failed.start_time,
      number_in_job: 1,
      attempt_number: 0,
      state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS', state_message: '' },
    });
    expect(attempts(run)).toEqual([
      'a 0 SUCCESS',
      'b 0 FAILED',
      'b 0 SUCCESS',
      'c 0 SKIPPED',
      'c 0 SUCCESS',
      'd 0 SUCCESS',
    ]);
    const [b, again] = run.tasks.filter((one: ResponseBody) => one.task_key === 'b');
    expect(again.run_id).not.toBe(b.run_id);
    expect(stdout(again.run_id)).toBe('mended\n');
    const shown = await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: again.run_id });
    expect(shown).toMatchObject({
      // Spec 2.5: never above max_retries. A repair is no retry.
      attempt_number: 0,
      original_attempt_run_id: again.run_id,
      parent_run_id: runId,
      trigger: 'ONE_TIME',
    });

    const rounds = await history(runId);
    expect(rounds).toEqual([
      {
        type: 'ORIGINAL',
        start_time: failed.start_time,
        end_time: failed.end_time,
        state: failed.state,
        status: {
          ...failed.status,
          termination_details: expect.objectContaining({
            code: 'RUN_EXECUTION_ERROR',
            message: failed.state.state_message,
            cause_code: 'USER_CODE',
          }),
        },
        explanation: failed.explanation,
        task_run_ids: failed.tasks
          .map((one: ResponseBody) => one.run_id)
          .sort((one: number, other: number) => one - other),
      },
      {
        type: 'REPAIR',
        id: repairId,
        start_time: expect.any(Number),
        end_time: run.end_time,
        state: run.state,
        status: run.status,
        task_run_ids: run.tasks.map((one: ResponseBody) => one.run_id).filter((id: number) => id > repairId),
      },
    ]);
    expect(rounds[1].start_time).toBeGreaterThanOrEqual(failed.end_time);
    expect(run.run_duration).toBe(failed.run_duration + run.end_time - rounds[1].start_time);
    expect((await runyard.callOk('GET', '2.1/jobs/runs/list', { limit: 1 })).runs[0]).toMatchObject({
      run_id: runId,
      run_duration: run.run_duration,
    });
  });

  test('is visible in every version while it runs', async () => {
    await runyard.putFile('/step.py', broken);
    const runId = await submit([task('a', [], 'step.py')]);
    await runyard.waitForRunEnd(runId);
    await runyard.putFile('/step.py', 'import time\ntime.sleep(600)\n');
    const repairId = await repair({ run_id: runId, rerun_all_failed_tasks: true });
    const run = await runyard.waitForRun(runId, (one) => one.state.life_cycle_state === 'RUNNING');
    expect(run).toMatchObject({
      end_time: 0,
      state: { state_message: '', user_cancelled_or_timedout: false },
    });
    expect(run.state).not.toHaveProperty('result_state');
    expect(run).not.toHaveProperty('run_duration');
    expect(run).not.toHaveProperty('repair_history');
    for (const version of ['2.0', '2.1', '2.2']) {
      expect(await history(runId, version)).toMatchObject([
        { type: 'ORIGINAL', state: { result_state: 'FAILED' } },
        { type: 'REPAIR', id: repairId, end_time: 0, state: { life_cycle_state: 'RUNNING' } },
      ]);
    }
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('CANCELED');
  });

  test('can be repeated with the id of the latest repair', async () => {
    await runyard.putFile('/step.py', broken);
    const runId = await submit([task('a', [], 'step.py'), task('b', ['a'])]);
    await runyard.waitForRunEnd(runId);
    const first = await repair({ run_id: runId, rerun_tasks: ['a'] });
    expect((await runyard.waitForRunEnd(runId)).state).toMatchObject({
      result_state: 'FAILED',
      state_message: expect.stringContaining('Task a failed'),
    });
    await runyard.putFile('/step.py', mended);
    for (const [latest, message] of [
      [{}, `Missing required field: latest_repair_id. The latest repair of run ${runId} is ${first}.`],
      [{ latest_repair_id: 1 }, `latest_repair_id is 1, but the latest repair of run ${runId} is ${first}.`],
    ] as const) {
      expect(
        await runyard.call('POST', '2.1/jobs/runs/repair', { run_id: runId, rerun_tasks: ['a'], ...latest }),
      ).toEqual({ status: 400, body: { error_code: 'INVALID_PARAMETER_VALUE', message } });
    }
    const second = await repair({ run_id: runId, rerun_tasks: ['a'], latest_repair_id: first });
    expect((await runyard.waitForRunEnd(runId)).state).toMatchObject({
      result_state: 'FAILED',
      state_message: expect.stringContaining('Task b was skipped: Upstream task a failed'),
    });
    await repair({ run_id: runId, rerun_all_failed_tasks: true, latest_repair_id: second });
    const run = await runyard.waitForRunEnd(runId);
    expect(attempts(run)).toEqual(['a 0 FAILED', 'a 0 FAILED', 'a 0 SUCCESS', 'b 0 SKIPPED', 'b 0 SUCCESS']);
    expect(run.state.result_state).toBe('SUCCESS');
    expect(
      (await history(runId)).map((one: ResponseBody) => [
        one.type,
        one.state.result_state,
        one.task_run_ids.length,
      ]),
    ).toEqual([
      ['ORIGINAL', 'FAILED', 2],
      ['REPAIR', 'FAILED', 1],
      ['REPAIR', 'FAILED', 1],
      ['REPAIR', 'SUCCESS', 1],
    ]);
  });
});

test('repair of a successful run with rerun_dependent_tasks reruns a task and everything downstream', async () => {
  const runId = await submit([task('a'), task('b', ['a']), task('c', ['b']), task('d')]);
  await runyard.waitForRunEnd(runId);
  expect(await history(runId)).toMatchObject([{ type: 'ORIGINAL', state: { result_state: 'SUCCESS' } }]);
  await repair({ run_id: runId, rerun_tasks: ['b'], rerun_dependent_tasks: true });
  const run = await runyard.waitForRunEnd(runId);
  expect(attempts(run)).toEqual([
    'a 0 SUCCESS',
    'b 0 SUCCESS',
    'b 0 SUCCESS',
    'c 0 SUCCESS',
    'c 0 SUCCESS',
    'd 0 SUCCESS',
  ]);
  const [, b1, , c1] = run.tasks.filter((one: ResponseBody) => one.task_key === 'b' || one.task_key === 'c');
  expect(c1.start_time).toBeGreaterThanOrEqual(b1.end_time);
});

test('repair of a cancelled run continues where it stopped', async () => {
  const runId = await submit([task('first'), task('long', ['first'], 'wait.py'), task('after', ['long'])]);
  await runyard.waitForRun(runId, (run) =>
    run.tasks.some(
      (one: ResponseBody) => one.task_key === 'long' && one.state.life_cycle_state === 'RUNNING',
    ),
  );
  await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
  expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('CANCELED');
  await runyard.putFile('/wait.py', 'print("no need to wait")\n');
  await repair({ run_id: runId, rerun_all_failed_tasks: true });
  const run = await runyard.waitForRunEnd(runId);
  expect(attempts(run)).toEqual([
    'first 0 SUCCESS',
    'long 0 CANCELED',
    'long 0 SUCCESS',
    'after 0 SKIPPED',
    'after 0 SUCCESS',
  ]);
  expect(run.state).toEqual({
    life_cycle_state: 'TERMINATED',
    result_state: 'SUCCESS',
    state_message: '',
    user_cancelled_or_timedout: false,
  });
});

test('repaired tasks share a new job cluster, and a task with its own cluster gets a new one', async () => {
  await runyard.putFile('/step.py', broken);
  const new_cluster = { num_workers: 1, spark_version: '16', node_type_id: 'small' };
  const on = (key: string, where: object, file: string, after: readonly string[] = []) => {
    const { existing_cluster_id: _, ...rest } = task(key, after, file);
    return { ...rest, ...where };
  };
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
    name: 'clusters',
    job_clusters: [{ job_cluster_key: 'k', new_cluster }],
    tasks: [
      on('a', { job_cluster_key: 'k' }, 'step.py'),
      on('b', { job_cluster_key: 'k' }, 'ok.py', ['a']),
      on('own', { new_cluster }, 'step.py'),
    ],
  });
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
  const before = (await runyard.waitForRunEnd(run_id)).tasks.map(
    (one: ResponseBody) => one.cluster_instance?.cluster_id,
  );
  await runyard.putFile('/step.py', mended);
  const repairId = await repair({ run_id, rerun_all_failed_tasks: true });
  const run = await runyard.waitForRunEnd(run_id);
  expect(run.state.result_state).toBe('SUCCESS');
  const [a, b, own] = run.tasks
    .filter((one: ResponseBody) => one.run_id > repairId)
    .map((one: ResponseBody) => one.cluster_instance.cluster_id);
  expect(b).toBe(a);
  expect(own).not.toBe(a);
  expect(before).not.toContain(a);
  expect(before).not.toContain(own);
  const clusters = await runyard.database.db
    .selectFrom('clusters')
    .select('state')
    .where('job_run_id', '=', run_id)
    .execute();
  expect(clusters.map(({ state }) => state)).toEqual([
    'TERMINATED',
    'TERMINATED',
    'TERMINATED',
    'TERMINATED',
  ]);
});

describe('parameters of a repair', () => {
  test('apply to the new attempts; without any, the run keeps its own', async () => {
    await runyard.putFile('/args.py', 'import sys\nprint(sys.argv[1:])\nsys.exit(sys.argv[1] != "good")\n');
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'args',
      tasks: [task('a', [], 'args.py')],
    });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id, python_params: ['bad'] });
    await runyard.waitForRunEnd(run_id);
    const first = await repair({ run_id, rerun_all_failed_tasks: true });
    expect((await runyard.waitForRunEnd(run_id)).overriding_parameters).toEqual({ python_params: ['bad'] });
    await repair({ run_id, rerun_all_failed_tasks: true, latest_repair_id: first, python_params: ['good'] });
    const run = await runyard.waitForRunEnd(run_id);
    expect(run).toMatchObject({
      overriding_parameters: { python_params: ['good'] },
      state: { result_state: 'SUCCESS' },
    });
    expect(run.tasks.map((one: ResponseBody) => stdout(one.run_id))).toEqual([
      "['bad']\n",
      "['bad']\n",
      "['good']\n",
    ]);
    const parameters = await Promise.all(
      run.tasks.map(
        async (one: ResponseBody) =>
          (await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: one.run_id })).metadata
            .overriding_parameters.python_params[0],
      ),
    );
    expect(parameters).toEqual(['bad', 'bad', 'good']);
    const resolved = await runyard.callOk('GET', '2.1/jobs/runs/get', {
      run_id,
      include_resolved_values: true,
    });
    expect(
      resolved.tasks.map((one: ResponseBody) => one.resolved_values.spark_python_task.parameters),
    ).toEqual([['bad'], ['bad'], ['good']]);
  });
});
