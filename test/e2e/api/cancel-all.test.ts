/** jobs/runs/cancel-all through HTTP (spec 4.1 rule 9, section 7). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const single = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/nb' }, max_concurrent_runs: 9 };
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());
beforeEach(() => {
  service.stoppedRunIds.length = 0;
});

const create = async (settings: object = single): Promise<number> =>
  idFrom(await service.post('2.0/jobs/create', settings), 'job_id');
const runNow = async (jobId: number): Promise<number> =>
  idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
const cancelAll = (body: object, version = '2.0') => service.post(`${version}/jobs/runs/cancel-all`, body);

/** Puts a run into the state QUEUED. */
async function queue(runId: number): Promise<void> {
  await service.database.db
    .updateTable('runs')
    .set({ state: 'QUEUED', queue_code: 'MAX_CONCURRENT_RUNS_REACHED' })
    .where('run_id', '=', runId)
    .execute();
}

describe('spec 4.1: cancel-all', () => {
  test.each(['2.0', '2.1', '2.2'])(
    'stops all active runs of the job in %s and changes no terminated run',
    async (version) => {
      const jobId = await create();
      const [over, first, second] = [await runNow(jobId), await runNow(jobId), await runNow(jobId)];
      await service.endRun(over, { result: 'SUCCESS' });
      expect(await cancelAll({ job_id: String(jobId) }, version)).toMatchObject({ status: 200, body: {} });
      expect(new Set(service.stoppedRunIds)).toEqual(new Set([first, second]));
      const stored = await service.database.db
        .selectFrom('runs')
        .select('stop_reason')
        .where('job_id', '=', jobId)
        .orderBy('run_id')
        .execute();
      expect(stored.map((row) => row.stop_reason)).toEqual([null, 'cancel', 'cancel']);
    },
  );

  test('runs of other jobs and later runs are not cancelled', async () => {
    const [jobId, other] = [await create(), await create()];
    await runNow(other);
    const first = await runNow(jobId);
    await cancelAll({ job_id: jobId });
    await runNow(jobId);
    expect(service.stoppedRunIds).toEqual([first]);
  });

  test('a job without active runs is accepted, and so is a second call', async () => {
    const jobId = await create();
    expect(await cancelAll({ job_id: jobId })).toMatchObject({ status: 200, body: {} });
    const runId = await runNow(jobId);
    await cancelAll({ job_id: jobId });
    await cancelAll({ job_id: jobId });
    expect(service.stoppedRunIds).toEqual([runId]);
  });

  test('all_queued_runs cancels the queued runs of all jobs or of the given job', async () => {
    const [jobId, other] = [await create(), await create()];
    const [started, waiting, elsewhere] = [await runNow(jobId), await runNow(jobId), await runNow(other)];
    await Promise.all([queue(waiting), queue(elsewhere)]);
    expect((await cancelAll({ job_id: jobId, all_queued_runs: true })).status).toBe(200);
    expect(service.stoppedRunIds).toEqual([waiting]);
    expect((await cancelAll({ all_queued_runs: 'true' })).status).toBe(200);
    expect(service.stoppedRunIds).toEqual([waiting, elsewhere]);
    await cancelAll({ job_id: jobId, all_queued_runs: false });
    expect(service.stoppedRunIds).toEqual([waiting, elsewhere, started]);
  });

  test.each([
    [
      'spec 4.1.9, 7: an unknown job',
      { job_id: 999_999 },
      'INVALID_PARAMETER_VALUE',
      'Job 999999 does not exist.',
    ],
    [
      'an unknown job with all_queued_runs',
      { job_id: 999_999, all_queued_runs: true },
      'INVALID_PARAMETER_VALUE',
      'Job 999999 does not exist.',
    ],
    ['no job', {}, 'INVALID_PARAMETER_VALUE', 'Missing required field: job_id.'],
    [
      'neither job_id nor all_queued_runs',
      { all_queued_runs: false },
      'INVALID_PARAMETER_VALUE',
      'Missing required field: job_id.',
    ],
    [
      'spec 4.1.9: an invalid id',
      { job_id: 'x' },
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected integer for field job_id, found STRING "x"',
    ],
    ['a negative id', { job_id: -1 }, 'INVALID_PARAMETER_VALUE', 'job_id is -1; it must be at least 0.'],
  ])('%s is refused with 400 and nothing is stopped', async (_, body, error_code, message) => {
    await runNow(await create());
    expect(await cancelAll(body)).toMatchObject({ status: 400, body: { error_code, message } });
    expect(service.stoppedRunIds).toEqual([]);
  });

  test('a deleted job is refused', async () => {
    const jobId = await create();
    await service.post('2.0/jobs/delete', { job_id: jobId });
    expect((await cancelAll({ job_id: jobId })).body['message']).toBe(`Job ${jobId} does not exist.`);
  });
});
