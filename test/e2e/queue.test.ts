/**
 * Run queue through HTTP: runs over a limit wait when queuing is enabled and start in order (spec 3.1).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../engine/limits.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
/** Service with a limit of three concurrent task runs. */
let small: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  small = await startTestService({ limits: { ...defaultLimits, concurrentTaskRuns: 3 } });
  for (const service of [runyard, small]) {
    await service.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
    await service.putFile(
      '/note.py',
      'import os, sys\nopen(os.environ["RUNYARD_MANAGED_FS"] + "/order", "a").write(sys.argv[1] + "\\n")\n',
    );
  }
});
afterAll(async () => {
  await runyard.stop();
  await small.stop();
});

const python = (file: string, ...parameters: string[]) => ({
  existing_cluster_id: 'all-purpose',
  spark_python_task: { python_file: `managed_fs:/${file}`, parameters },
});
const queue = { enabled: true };
const create = async (settings: object, on = runyard): Promise<number> =>
  (
    await on.callOk('POST', '2.1/jobs/create', {
      name: 'queued',
      tasks: [{ task_key: 'main', ...python('wait.py') }],
      ...settings,
    })
  ).job_id;
const start = async (job_id: number, on = runyard, more: object = {}): Promise<number> =>
  (await on.callOk('POST', '2.1/jobs/run-now', { job_id, ...more })).run_id;
const get = (run_id: number, on = runyard): Promise<ResponseBody> =>
  on.callOk('GET', '2.1/jobs/runs/get', { run_id });
const state = async (run_id: number, on = runyard): Promise<string> =>
  (await get(run_id, on)).state.life_cycle_state;
const waitForState = (run_id: number, expected: string, on = runyard): Promise<void> =>
  eventually(async () => expect(await state(run_id, on)).toBe(expected));
const cancel = (run_id: number, on = runyard): Promise<ResponseBody> =>
  on.callOk('POST', '2.1/jobs/runs/cancel', { run_id });
const cancelAll = async (job_id: number, on = runyard): Promise<void> => {
  await on.callOk('POST', '2.1/jobs/runs/cancel-all', { job_id });
  await eventually(async () =>
    expect((await on.callOk('GET', '2.1/jobs/runs/list', { job_id, active_only: true })).runs).toEqual([]),
  );
};

describe('spec 3.1 QUEUED: the concurrency limit of the job', () => {
  test('queues a run, which names the limit, until an active run ends', async () => {
    const job = await create({ queue });
    const [first, second] = [await start(job), await start(job)];
    const waiting = await get(second);
    expect(waiting).toMatchObject({
      state: {
        life_cycle_state: 'QUEUED',
        state_message: 'Waiting in the queue: the job has reached its limit of 1 maximum concurrent runs.',
      },
      status: { state: 'QUEUED', queue_details: { code: 'MAX_CONCURRENT_RUNS_REACHED' } },
      tasks: [{ state: { life_cycle_state: 'QUEUED' } }],
      end_time: 0,
      number_in_job: 2,
    });
    expect(waiting.state).not.toHaveProperty('result_state');
    await cancel(first);
    await waitForState(second, 'RUNNING');
    expect((await get(second)).queue_duration).toBeGreaterThan(0);
    await cancelAll(job);
  });

  test('starts queued runs in the order of their requests', async () => {
    const job = await create({ queue, tasks: [{ task_key: 'main', ...python('note.py') }] });
    const ids: number[] = [];
    for (let number = 1; number <= 6; number += 1)
      ids.push(await start(job, runyard, { python_params: [String(number)] }));
    for (const id of ids) expect((await runyard.waitForRunEnd(id)).state.result_state).toBe('SUCCESS');
    expect(await readFile(join(runyard.dataDirectory, 'managed_fs', 'order'), 'utf8')).toBe(
      '1\n2\n3\n4\n5\n6\n',
    );
  });

  test('200 concurrent run-now requests with max_concurrent_runs 3 leave 3 active and 197 queued, numbered 1 to 200', async () => {
    const job = await create({ queue, max_concurrent_runs: 3 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => runyard.callOk('POST', '2.1/jobs/run-now', { job_id: job })),
    );
    const numbers = answers.map((answer) => Number(answer.number_in_job)).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const { runs } = await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: job, limit: 0 });
    const queued = runs.filter((run: ResponseBody) => run.state.life_cycle_state === 'QUEUED');
    expect([runs.length, queued.length]).toEqual([200, 197]);
    await runyard.callOk('POST', '2.1/jobs/runs/cancel-all', { job_id: job, all_queued_runs: true });
    await eventually(async () => {
      const { runs: active } = await runyard.callOk('GET', '2.1/jobs/runs/list', {
        job_id: job,
        active_only: true,
      });
      expect(active.map((run: ResponseBody) => run.state.life_cycle_state)).toHaveLength(3);
    });
    await cancelAll(job);
  });

  test('a raised limit starts queued runs; a lowered limit ends no run', async () => {
    const job = await create({ queue });
    const ids = [await start(job), await start(job), await start(job)];
    await runyard.callOk('POST', '2.1/jobs/update', {
      job_id: job,
      new_settings: { max_concurrent_runs: 2 },
    });
    await waitForState(ids[1] ?? 0, 'RUNNING');
    await runyard.callOk('POST', '2.1/jobs/update', {
      job_id: job,
      new_settings: { max_concurrent_runs: 1 },
    });
    await cancel(ids[0] ?? 0);
    await waitForState(ids[0] ?? 0, 'TERMINATED');
    expect(await state(ids[2] ?? 0)).toBe('QUEUED');
    expect(await state(ids[1] ?? 0)).toBe('RUNNING');
    await cancelAll(job);
  });

  test('a queued run can be cancelled; it ends CANCELED and its tasks never start', async () => {
    const job = await create({ queue, email_notifications: { on_failure: ['a@x'] } });
    const [, second] = [await start(job), await start(job)];
    await cancel(second);
    await waitForState(second, 'TERMINATED');
    expect(await get(second)).toMatchObject({
      state: {
        result_state: 'CANCELED',
        state_message: expect.stringContaining('Run cancelled by user'),
        user_cancelled_or_timedout: true,
      },
      tasks: [{ state: { life_cycle_state: 'SKIPPED' }, start_time: 0 }],
    });
    const notifications = await runyard.database.db
      .selectFrom('outbox')
      .select('event')
      .where('run_id', '=', second)
      .execute();
    expect(notifications).toEqual([{ event: 'on_failure' }]);
    await cancelAll(job);
  });

  test('a queued run cannot be deleted and ends with the deletion of its job', async () => {
    const job = await create({ queue });
    const [, second] = [await start(job), await start(job)];
    expect(await runyard.call('POST', '2.1/jobs/runs/delete', { run_id: second })).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_STATE' },
    });
    await runyard.callOk('POST', '2.1/jobs/delete', { job_id: job });
    await eventually(async () => {
      const rows = await runyard.database.db
        .selectFrom('runs')
        .select('state')
        .where('job_id', '=', job)
        .where('active', '=', true)
        .execute();
      expect(rows).toEqual([]);
    });
  });
});

describe('WIRE: settings that enable the queue', () => {
  test.each([
    ['a job made with 2.0', '2.0', {}, {}, 'SKIPPED'],
    ['a job made with 2.1', '2.1', {}, {}, 'SKIPPED'],
    ['a job made with 2.2 has it by default', '2.2', {}, {}, 'QUEUED'],
    ['unless it says no', '2.2', { queue: { enabled: false } }, {}, 'SKIPPED'],
    ['the settings of the job', '2.1', { queue }, {}, 'QUEUED'],
    ['run-now for one run', '2.1', {}, { queue }, 'QUEUED'],
    ['run-now against the job', '2.1', { queue }, { queue: { enabled: false } }, 'SKIPPED'],
    ['a limit of 0 skips every run', '2.2', { max_concurrent_runs: 0 }, {}, 'SKIPPED'],
  ])('%s', async (_name, version, settings, request, expected) => {
    const { job_id: job } = await runyard.callOk('POST', `${version}/jobs/create`, {
      name: 'switch',
      tasks: [{ task_key: 'main', ...python('wait.py') }],
      ...settings,
    });
    await start(job);
    expect(await state(await start(job, runyard, request))).toBe(expected);
    await cancelAll(job);
  });
});

describe('spec 3.1 QUEUED: the limits of the workspace', () => {
  test('queues runs that may wait, refuses the others with 429, and is fair between jobs', async () => {
    const [busy, other] = [
      await create({ queue, max_concurrent_runs: 100 }, small),
      await create({ queue }, small),
    ];
    const first = [await start(busy, small), await start(busy, small), await start(busy, small)];
    const fourth = await start(busy, small);
    expect(await get(fourth, small)).toMatchObject({
      state: {
        life_cycle_state: 'QUEUED',
        state_message: 'Waiting in the queue: the workspace has 3 active runs of tasks (limit: 3).',
      },
      status: { queue_details: { code: 'ACTIVE_RUNS_LIMIT_REACHED' } },
    });
    const ofOther = await start(other, small);
    const { run_id: submitted } = await small.callOk('POST', '2.2/jobs/runs/submit', {
      tasks: [{ task_key: 'x', ...python('wait.py') }],
    });
    expect([await state(ofOther, small), await state(submitted, small)]).toEqual(['QUEUED', 'QUEUED']);
    expect(
      await small.call('POST', '2.1/jobs/runs/submit', { tasks: [{ task_key: 'x', ...python('wait.py') }] }),
    ).toMatchObject({ status: 429, body: { error_code: 'REQUEST_LIMIT_EXCEEDED' } });
    // The other job has waited less but has no active run, so it starts first.
    await cancel(first[0] ?? 0, small);
    await waitForState(ofOther, 'RUNNING', small);
    await cancel(first[1] ?? 0, small);
    await waitForState(submitted, 'RUNNING', small);
    expect(await state(fourth, small)).toBe('QUEUED');
    await cancel(first[2] ?? 0, small);
    await waitForState(fourth, 'RUNNING', small);
    await cancelAll(busy, small);
    await cancelAll(other, small);
    await cancel(submitted, small);
  });
});

describe('spec 2.2: a changed max_concurrent_runs', () => {
  const change = (job_id: number, max_concurrent_runs: number): Promise<ResponseBody> =>
    runyard.callOk('POST', '2.1/jobs/update', { job_id, new_settings: { max_concurrent_runs } });

  test('is named by the runs that wait for it, and 0 ends them with a reason', async () => {
    const job = await create({ queue, max_concurrent_runs: 3 });
    const active = [await start(job), await start(job), await start(job)];
    const waiting = [await start(job), await start(job)];
    await change(job, 2);
    for (const runId of waiting)
      expect((await get(runId)).state).toMatchObject({
        life_cycle_state: 'QUEUED',
        state_message: 'Waiting in the queue: the job has reached its limit of 2 maximum concurrent runs.',
      });
    await change(job, 0);
    for (const runId of waiting)
      expect((await runyard.waitForRunEnd(runId)).state).toMatchObject({
        life_cycle_state: 'SKIPPED',
        state_message: expect.stringContaining(
          'Skipping this run because the limit of 0 maximum concurrent runs has been reached',
        ),
      });
    expect(await state(active[0] ?? 0)).not.toBe('SKIPPED');
    await cancelAll(job);
  });
});

describe('spec 8: the limit on active task runs', () => {
  const chain = (...keys: string[]) =>
    keys.map((task_key, index) => ({
      task_key,
      ...python('note.py', task_key),
      depends_on: index === 0 ? [] : [{ task_key: keys[index - 1] }],
    }));

  test('counts the tasks that can run at the same time, so a long chain runs', async () => {
    const { run_id } = await small.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: chain('a', 'b', 'c', 'd', 'e'),
    });
    expect((await small.waitForRunEnd(run_id)).state.result_state).toBe('SUCCESS');
    const wide = chain('a', 'b', 'c', 'd').map((task) => ({ ...task, depends_on: [] }));
    expect(await small.call('POST', '2.2/jobs/runs/submit', { tasks: wide })).toEqual({
      status: 400,
      body: {
        error_code: 'QUOTA_EXCEEDED',
        message: 'This run has 4 tasks that can be active at the same time; the workspace allows 3.',
      },
    });
  });
});
