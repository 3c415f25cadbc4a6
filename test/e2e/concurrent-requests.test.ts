/**
 * Concurrent requests through HTTP: one run per idempotency token, exact limits, run numbers without gaps
 * (spec 2.2, 4.1 rule 4).
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("once")\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
});
afterAll(() => runyard.stop());

const many = 200;
const python = (file: string) => ({
  existing_cluster_id: 'all-purpose',
  spark_python_task: { python_file: `managed_fs:/${file}` },
});
const create = async (settings: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/create', { name: 'many', ...settings })).job_id;
const atOnce = (path: string, body: object, count = many): Promise<ResponseBody[]> =>
  Promise.all(Array.from({ length: count }, () => runyard.callOk('POST', path, body)));
const listed = async (job_id: number): Promise<ResponseBody[]> =>
  (await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id, limit: 0 })).runs;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('spec 4.1.4: one idempotency token', () => {
  test(`${many} concurrent run-now requests create one run, and each response names it`, async () => {
    const job = await create({ ...python('ok.py'), max_concurrent_runs: 1000 });
    const answers = await atOnce('2.1/jobs/run-now', { job_id: job, idempotency_token: 'once' });
    const [first] = answers;
    expect(first).toEqual({ run_id: expect.any(Number), number_in_job: 1 });
    expect(answers).toEqual(answers.map(() => first));
    await runyard.waitForRunEnd(first.run_id);
    expect((await listed(job)).map((run) => run.run_id)).toEqual([first.run_id]);
    expect(
      await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: job, idempotency_token: 'once' }),
    ).toEqual(first);
    expect((await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: job })).number_in_job).toBe(2);
  });

  test(`${many} concurrent submit requests create one run`, async () => {
    const answers = await atOnce('2.1/jobs/runs/submit', {
      ...python('ok.py'),
      run_name: 'once',
      idempotency_token: 'once',
    });
    const [first] = answers;
    expect(answers).toEqual(answers.map(() => first));
    const run = await runyard.waitForRunEnd(first.run_id);
    expect(run.state.result_state).toBe('SUCCESS');
    const submitted = (
      await runyard.callOk('GET', '2.1/jobs/runs/list', { run_type: 'SUBMIT_RUN', limit: 0 })
    ).runs;
    expect(submitted.filter((one: ResponseBody) => one.run_name === 'once')).toHaveLength(1);
    const attempts = await readdir(join(runyard.dataDirectory, 'runs'));
    expect(
      attempts.filter((name) => run.tasks.some((task: ResponseBody) => String(task.run_id) === name)),
    ).toHaveLength(1);
  });

  test('is scoped to its job', async () => {
    const [one, other] = [await create(python('ok.py')), await create(python('ok.py'))];
    const answers = await Promise.all(
      [one, other].map((job_id) =>
        runyard.callOk('POST', '2.1/jobs/run-now', { job_id, idempotency_token: 'mine' }),
      ),
    );
    expect(answers[0].run_id).not.toBe(answers[1].run_id);
    for (const { run_id } of answers) await runyard.waitForRunEnd(run_id);
  });
});

describe('spec 2.2, 3.1: max_concurrent_runs', () => {
  test(`${many} concurrent run-now requests leave 3 runs active and skip the rest, numbered from 1 to ${many}`, async () => {
    const job = await create({ ...python('wait.py'), max_concurrent_runs: 3 });
    const answers = await atOnce('2.1/jobs/run-now', { job_id: job });
    expect(answers.map((answer) => answer.number_in_job).toSorted((a, b) => a - b)).toEqual(upTo(many));
    const runs = await listed(job);
    expect(runs.map((run) => run.number_in_job).toSorted((a, b) => a - b)).toEqual(upTo(many));
    const states = Map.groupBy(runs, (run) =>
      run.state.life_cycle_state === 'SKIPPED' ? 'skipped' : 'active',
    );
    expect([states.get('active')?.length, states.get('skipped')?.length]).toEqual([3, many - 3]);
    await runyard.callOk('POST', '2.1/jobs/runs/cancel-all', { job_id: job });
    for (const run of states.get('active') ?? [])
      expect((await runyard.waitForRunEnd(run.run_id)).state.result_state).toBe('CANCELED');
  });
});

describe('spec 4.1.11: deleting runs while others start', () => {
  test('leaves no rows and no directories of the deleted runs', async () => {
    const job = await create({ ...python('ok.py'), max_concurrent_runs: 1000 });
    const answers = await atOnce('2.1/jobs/run-now', { job_id: job }, 10);
    const ids: number[] = answers.map((answer) => answer.run_id);
    await Promise.all(
      ids.map(async (run_id) => {
        await runyard.waitForRunEnd(run_id);
        await runyard.callOk('POST', '2.1/jobs/runs/delete', { run_id });
      }),
    );
    expect(await listed(job)).toEqual([]);
    const directories = await readdir(join(runyard.dataDirectory, 'runs'));
    expect(directories.filter((name) => ids.includes(Number(name)))).toEqual([]);
  });
});
