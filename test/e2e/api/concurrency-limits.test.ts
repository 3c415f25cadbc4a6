/** Limits of active task runs, and of created and saved jobs (spec 7, 8). */
import { afterEach, describe, expect, test } from 'vitest';
import { defaultLimits, type Limits } from '../../../engine/limits.ts';
import { startTestService } from '../../harness/test-service.ts';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';
import { create, single, submit, task } from './limit-requests.ts';

let service: ApiHarness | undefined;

afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function withLimits(limits: Partial<Limits>): Promise<ApiHarness> {
  service = await startApiHarness(
    { limits: { ...defaultLimits, ...limits } },
    { ...defaultLimits, ...limits },
  );
  return service;
}

describe('spec 8: size of responses about runs', () => {
  test('runs/list without a limit or with limit 0 returns at most the maximum page size', async () => {
    const runyard = await withLimits({ runsPerPage: 2 });
    for (const _ of 'abc') await submit(single)(runyard);
    for (const query of [{}, { limit: '0' }]) {
      const { body } = await runyard.get('2.1/jobs/runs/list', query);
      expect(body).toMatchObject({ runs: [{}, {}], has_more: true });
    }
  });

  test('get-output returns the first bytes of the logs', async () => {
    const runyard = await withLimits({ outputBytes: 5 });
    const runId = idFrom(
      await runyard.post('2.0/jobs/runs/submit', {
        existing_cluster_id: 'c',
        spark_python_task: { python_file: 'managed_fs:/x.py' },
      }),
      'run_id',
    );
    runyard.outputs.set(runId, { logs: '1234567' });
    expect((await runyard.get('2.0/jobs/runs/get-output', { run_id: String(runId) })).body).toMatchObject({
      logs: '12345',
      logs_truncated: true,
    });
  });

  test('a notebook result is truncated, and too much output of a cell fails the run', async () => {
    const runyard = await startTestService({
      limits: { ...defaultLimits, notebookResultBytes: 5, notebookCellBytes: 100 },
    });
    try {
      await runyard.putNotebook('/long', ['dbutils.notebook.exit("1234567")']);
      await runyard.putNotebook('/loud', ['print("x" * 101)', 'dbutils.notebook.exit("never")']);
      const outputOf = async (notebook_path: string) => {
        const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
          existing_cluster_id: 'c',
          notebook_task: { notebook_path },
        });
        await runyard.waitForRunEnd(run_id);
        return runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
      };
      expect(await outputOf('/long')).toMatchObject({
        notebook_output: { result: '12345', truncated: true },
      });
      expect(await outputOf('/loud')).toMatchObject({
        metadata: { state: { result_state: 'FAILED' } },
        error: expect.any(String),
      });
    } finally {
      await runyard.stop();
    }
  });
});

describe('spec 7, 8: concurrent task runs of the workspace', () => {
  test('a refused run has a Retry-After header and stores nothing', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1 });
    const jobId = idFrom(await create(single)(runyard), 'job_id');
    await submit(single)(runyard);
    const before = await runyard.rowCounts();
    const refused = await runyard.post('2.1/jobs/run-now', { job_id: jobId, idempotency_token: 'again' });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(await runyard.rowCounts()).toEqual(before);
  });

  test('spec 4.1.4: a refused request with an idempotency token starts one run when repeated', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1 });
    const jobId = idFrom(await create(single)(runyard), 'job_id');
    const other = idFrom(await submit(single)(runyard), 'run_id');
    const ask = { job_id: jobId, idempotency_token: 'again' };
    expect((await runyard.post('2.1/jobs/run-now', ask)).status).toBe(429);
    await runyard.endRun(other, { result: 'SUCCESS' });
    const started = await runyard.post('2.1/jobs/run-now', ask);
    expect(started.body).toEqual({ run_id: expect.any(Number), number_in_job: 1 });
    expect((await runyard.post('2.1/jobs/run-now', ask)).body).toEqual(started.body);
  });

  test('a repeated idempotency token returns its run at the limit', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1, jobsCreatedPerHour: 1 });
    const ask = { ...single, idempotency_token: 'once' };
    const first = await submit(ask)(runyard);
    expect((await submit(ask)(runyard)).body).toEqual(first.body);
  });

  test('a run above max_concurrent_runs is skipped at the limit and uses no capacity', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1 });
    const jobId = idFrom(await create({ ...single, max_concurrent_runs: 1 })(runyard), 'job_id');
    await runyard.post('2.0/jobs/run-now', { job_id: jobId });
    expect((await runyard.post('2.0/jobs/run-now', { job_id: jobId })).body).toMatchObject({
      number_in_job: 2,
    });
  });

  test('concurrent launches of different jobs stay within the limit', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 7 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        submit(index % 2 === 0 ? single : { tasks: [task('a'), task('b')] })(runyard),
      ),
    );
    const { count } = await runyard.database.db
      .selectFrom('task_runs')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('active', '=', true)
      .executeTakeFirstOrThrow();
    expect(count).toBe(7);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  });
});

describe('spec 8: jobs created and saved', () => {
  test('creations count for an hour, deleted jobs and submissions included', async () => {
    const runyard = await withLimits({ jobsCreatedPerHour: 2 });
    const jobId = idFrom(await create(single)(runyard), 'job_id');
    await runyard.post('2.0/jobs/delete', { job_id: jobId });
    runyard.advanceClock(60_000);
    const runId = idFrom(await submit(single)(runyard), 'run_id');
    await runyard.endRun(runId, { result: 'SUCCESS' });
    expect((await runyard.post('2.0/jobs/runs/delete', { run_id: runId })).status).toBe(200);
    expect((await create(single)(runyard)).body['error_code']).toBe('QUOTA_EXCEEDED');
    runyard.advanceClock(3_540_000);
    expect((await create(single)(runyard)).status).toBe(200);
    expect((await submit(single)(runyard)).body['error_code']).toBe('QUOTA_EXCEEDED');
  });

  test('a deleted job frees capacity for another', async () => {
    const runyard = await withLimits({ savedJobs: 1 });
    const jobId = idFrom(await create(single)(runyard), 'job_id');
    expect((await create(single)(runyard)).status).toBe(400);
    await runyard.post('2.0/jobs/delete', { job_id: jobId });
    expect((await create(single)(runyard)).status).toBe(200);
  });

  test.each([
    ['savedJobs', 5],
    ['jobsCreatedPerHour', 5],
  ] as const)('many creations at once stay within %s', async (name, max) => {
    const runyard = await withLimits({ [name]: max });
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(single)(runyard)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(max);
    expect((await runyard.rowCounts())[0]).toBe(max);
  });
});
