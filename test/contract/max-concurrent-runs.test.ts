/** Changes of max_concurrent_runs of a job with active runs (spec 2.2). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { jobLocation } from './field-rows.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
});

afterAll(() => runyard.stop());

const create = async (settings: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/create', jobLocation.toJobSettings(settings))).job_id;

const runNow = async (job_id: number): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/run-now', { job_id })).run_id;

const stateOf = async (run_id: number): Promise<string> =>
  (await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id })).state.life_cycle_state;

describe('spec 2.2 max_concurrent_runs of a job with active runs', () => {
  const waiting = { spark_python_task: { python_file: 'managed_fs:/wait.py' } };

  test('is 1 by default, and 0 skips every run', async () => {
    const jobId = await create(waiting);
    const first = await runNow(jobId);
    expect(await stateOf(await runNow(jobId))).toBe('SKIPPED');
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: first });
    expect(await stateOf(await runNow(await create({ max_concurrent_runs: 0 })))).toBe('SKIPPED');
    await runyard.waitForRunEnd(first);
  });

  test('lowered below the active runs stops none of them and skips new runs until enough have ended', async () => {
    const job = await create({ ...waiting, max_concurrent_runs: 2 });
    const active = [await runNow(job), await runNow(job)];
    await runyard.callOk('POST', '2.0/jobs/update', {
      job_id: job,
      new_settings: { max_concurrent_runs: 1 },
    });
    const states: string[] = [];
    for (const run of active) {
      expect(['PENDING', 'RUNNING']).toContain(await stateOf(run));
      states.push(await stateOf(await runNow(job)));
      await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: run });
      await runyard.waitForRunEnd(run);
    }
    const next = await runNow(job);
    expect([...states, ['PENDING', 'RUNNING'].includes(await stateOf(next))]).toEqual([
      'SKIPPED',
      'SKIPPED',
      true,
    ]);
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: next });
    await runyard.waitForRunEnd(next);
  });
});
