/** jobs/runs/delete through HTTP (spec 4.1 rules 4 and 11, section 7). */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const single = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' }, max_concurrent_runs: 9 };
const task = (task_key: string) => ({
  task_key,
  existing_cluster_id: 'c',
  notebook_task: { notebook_path: '/nb' },
});
let service: ApiHarness;

/** Log lines of the service. */
const logged: object[] = [];

beforeAll(async () => {
  service = await startApiHarness({
    log: pino(
      {},
      {
        write: (line) => {
          logged.push(JSON.parse(line));
        },
      },
    ),
  });
});
beforeEach(() => {
  logged.length = 0;
});
afterAll(() => service.close());

const create = async (): Promise<number> => idFrom(await service.post('2.0/jobs/create', single), 'job_id');
const runNow = async (jobId: number, more: object = {}): Promise<number> =>
  idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId, ...more }), 'run_id');
const submit = async (settings: object): Promise<number> =>
  idFrom(await service.post('2.1/jobs/runs/submit', settings), 'run_id');
const remove = (runId: number, version = '2.0') =>
  service.post(`${version}/jobs/runs/delete`, { run_id: runId });
const gone = (runId: number) => ({
  status: 400,
  body: { error_code: 'INVALID_PARAMETER_VALUE', message: `Run ${runId} does not exist.` },
});

describe('spec 4.1.11: delete of a run', () => {
  test.each(['2.0', '2.1', '2.2'])('removes a terminated run in %s', async (version) => {
    const jobId = await create();
    const [runId, other] = [await runNow(jobId), await runNow(jobId)];
    await service.endRun(runId, { result: 'FAILED' });
    expect(await remove(runId, version)).toMatchObject({ status: 200, body: {} });
    for (const path of ['get', 'get-output'])
      expect(await service.get(`${version}/jobs/runs/${path}`, { run_id: String(runId) })).toMatchObject(
        gone(runId),
      );
    expect((await service.get('2.0/jobs/runs/list', { job_id: String(jobId) })).body).toMatchObject({
      runs: [{ run_id: other }],
    });
    expect(service.removedDirectories).toContain(`attempt ${runId}`);
  });

  test('removes task runs, clusters and their directories', async () => {
    const runId = await submit({ tasks: [task('a'), task('b')] });
    const { db } = service.database;
    await db
      .insertInto('clusters')
      .values({
        cluster_id: '1120-000000-abcdefgh',
        kind: 'JOB',
        state: 'TERMINATED',
        job_run_id: runId,
        cluster_key: 'task:1',
        spec: '{}',
        spark_context_id: null,
        created_time: 1,
        started_time: null,
        terminated_time: 2,
        termination_reason: 'JOB_FINISHED',
      })
      .execute();
    await service.endRun(runId, { result: 'SUCCESS' });
    service.removedDirectories.length = 0;
    expect((await remove(runId)).status).toBe(200);
    expect(service.removedDirectories.toSorted()).toEqual([
      `attempt ${runId + 1}`,
      `attempt ${runId + 2}`,
      'cluster 1120-000000-abcdefgh',
    ]);
    expect(
      await db.selectFrom('task_runs').select('run_id').where('job_run_id', '=', runId).execute(),
    ).toEqual([]);
    expect(
      await db.selectFrom('clusters').select('cluster_id').where('job_run_id', '=', runId).execute(),
    ).toEqual([]);
    expect(await service.get('2.1/jobs/runs/get', { run_id: String(runId + 1) })).toMatchObject(
      gone(runId + 1),
    );
  });

  test('succeeds and logs files that cannot be removed', async () => {
    const runId = await submit({ tasks: [task('a'), task('b')] });
    await service.endRun(runId, { result: 'SUCCESS' });
    const removal = vi
      .spyOn(service.ports.removing.files, 'removeAttempt')
      .mockRejectedValueOnce(new Error('EACCES: permission denied'));
    onTestFinished(() => removal.mockRestore());
    expect(await remove(runId)).toMatchObject({ status: 200, body: {} });
    expect(service.removedDirectories).toContain(`attempt ${runId + 2}`);
    expect(await service.get('2.1/jobs/runs/get', { run_id: String(runId) })).toMatchObject(gone(runId));
    expect(logged).toMatchObject([{ level: 50, run_id: runId, error: 'EACCES: permission denied' }]);
  });

  test('of a submission clears the settings of its hidden job', async () => {
    const runId = await submit({ tasks: [task('a')] });
    const { job_id: jobId } = (await service.get('2.1/jobs/runs/get', { run_id: String(runId) })).body;
    await service.endRun(runId, { result: 'SUCCESS' });
    await remove(runId);
    const left = await service.database.db
      .selectFrom('jobs')
      .select('settings')
      .where('job_id', '=', Number(jobId))
      .execute();
    expect(left).toEqual([{ settings: {} }]);
  });

  test('does not free the number_in_job of the run', async () => {
    const jobId = await create();
    const runId = await runNow(jobId);
    await service.endRun(runId, { result: 'SUCCESS' });
    await remove(runId);
    expect((await service.post('2.0/jobs/run-now', { job_id: jobId })).body['number_in_job']).toBe(2);
  });

  test('removes a SKIPPED run', async () => {
    const jobId = idFrom(
      await service.post('2.0/jobs/create', { ...single, max_concurrent_runs: 0 }),
      'job_id',
    );
    expect((await remove(await runNow(jobId))).status).toBe(200);
  });

  test('spec 4.1.11, 7: delete of an active run is refused and changes nothing', async () => {
    const runId = await runNow(await create());
    const before = await service.rowCounts();
    expect(await remove(runId)).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_STATE',
        message: `Run ${runId} is still active. Cancel it before deleting it.`,
      },
    });
    expect(await service.rowCounts()).toEqual(before);
    expect(service.removedDirectories).not.toContain(`attempt ${runId}`);
  });

  test('of a task run is refused with the id of its run', async () => {
    const runId = await submit({ tasks: [task('a')] });
    await service.endRun(runId, { result: 'SUCCESS' });
    expect(await remove(runId + 1)).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message: `Run ${runId + 1} is a task run of run ${runId}; only the whole run can be deleted.`,
      },
    });
    expect((await service.get('2.1/jobs/runs/get', { run_id: String(runId) })).status).toBe(200);
  });

  test('of an unknown run, a deleted run or a run of a deleted job is refused', async () => {
    const jobId = await create();
    const [deleted, ofDeleted] = [await runNow(jobId), await runNow(jobId)];
    for (const runId of [deleted, ofDeleted]) await service.endRun(runId, { result: 'SUCCESS' });
    await remove(deleted);
    await service.post('2.0/jobs/delete', { job_id: jobId });
    for (const runId of [999_999, deleted, ofDeleted]) expect(await remove(runId)).toMatchObject(gone(runId));
  });

  test('of one run by concurrent requests succeeds once, and the other requests find no run', async () => {
    const runId = await runNow(await create());
    await service.endRun(runId, { result: 'SUCCESS' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(runId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 400),
    ]);
    for (const answer of answers.filter(({ status }) => status === 400))
      expect(answer).toMatchObject(gone(runId));
  });

  test.each([
    [{}, 'Missing required field: run_id.'],
    [{ run_id: 'x' }, 'Could not parse request object: Expected integer for field run_id, found STRING "x"'],
  ])('%j is refused', async (body, message) => {
    expect(await service.post('2.1/jobs/runs/delete', body)).toMatchObject({
      status: 400,
      body: { message },
    });
  });
});

describe('spec 4.1.4, 7: the idempotency token of a deleted run', () => {
  const refusal = {
    status: 400,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message:
        'The run started with idempotency_token "once" has been deleted. Use a new token to run the job again.',
    },
  };

  test('is refused in run-now', async () => {
    const jobId = await create();
    const runId = await runNow(jobId, { idempotency_token: 'once' });
    await service.endRun(runId, { result: 'SUCCESS' });
    await remove(runId);
    const before = await service.rowCounts();
    expect(
      await service.post('2.1/jobs/run-now', { job_id: jobId, idempotency_token: 'once' }),
    ).toMatchObject(refusal);
    expect(await service.rowCounts()).toEqual(before);
  });

  test('is refused in submit', async () => {
    const runId = await submit({ tasks: [task('a')], idempotency_token: 'once' });
    await service.endRun(runId, { result: 'SUCCESS' });
    await remove(runId);
    expect(
      await service.post('2.1/jobs/runs/submit', { tasks: [task('a')], idempotency_token: 'once' }),
    ).toMatchObject(refusal);
  });
});
