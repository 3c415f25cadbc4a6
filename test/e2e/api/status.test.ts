/** Field status of runs and task runs in responses from 2.1 on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.ts';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

let service: ApiHarness;
beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const task = (key: string) => ({
  task_key: key,
  existing_cluster_id: 'c',
  notebook_task: { notebook_path: '/nb' },
});

async function startRun(settings: object = {}): Promise<number> {
  const jobId = idFrom(
    await service.post('2.1/jobs/create', {
      tasks: [task('a'), task('b')],
      max_concurrent_runs: 5,
      ...settings,
    }),
    'job_id',
  );
  return idFrom(await service.post('2.1/jobs/run-now', { job_id: jobId }), 'run_id');
}

async function show(version: string, runId: number): Promise<ResponseBody> {
  return (await service.get(`${version}/jobs/runs/get`, { run_id: String(runId) })).body;
}

describe.each(['2.1', '2.2'])('in %s', (version) => {
  test('status of an active run has a state and no termination details', async () => {
    const run = await show(version, await startRun());
    expect(run.status).toEqual({ state: 'PENDING' });
    expect(run.tasks.map((one: ResponseBody) => one.status)).toEqual([
      { state: 'PENDING' },
      { state: 'PENDING' },
    ]);
  });

  test.each([
    ['SUCCESS', '', 'SUCCESS', 'SUCCESS'],
    ['FAILED', 'Workload failed, see run output for details', 'RUN_EXECUTION_ERROR', 'CLIENT_ERROR'],
    ['CANCELED', 'Run cancelled by user', 'USER_CANCELED', 'CLIENT_ERROR'],
  ] as const)('%s says code, type and message everywhere', async (result, message, code, type) => {
    const runId = await startRun();
    await service.endRun(runId, { result, message });
    const status = { state: 'TERMINATED', termination_details: { code, type, message } };
    const run = await show(version, runId);
    expect(run.status).toEqual(status);
    expect(run.tasks.map((one: ResponseBody) => one.status)).toEqual([status, status]);
    expect((await show(version, run.tasks[0].run_id)).status).toEqual(status);
    const { runs } = Object((await service.get(`${version}/jobs/runs/list`, { limit: '1' })).body);
    expect(runs[0].status).toEqual(status);
  });

  test('status of a skipped run has the termination code of max_concurrent_runs', async () => {
    const run = await show(version, await startRun({ max_concurrent_runs: 0 }));
    expect(run.status).toMatchObject({
      state: 'TERMINATED',
      termination_details: { code: 'MAX_CONCURRENT_RUNS_EXCEEDED', type: 'CLIENT_ERROR' },
    });
  });
});

test('2.0 has no status', async () => {
  const run = await show('2.0', await startRun());
  expect(run).toHaveProperty('state');
  expect(run).not.toHaveProperty('status');
  expect(run.tasks[0]).not.toHaveProperty('status');
});
