/** POST jobs/run-now-batch: many runs of one job in one request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixedLimits } from '../../../engine/limits.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const createJob = async (maxConcurrentRuns: number): Promise<number> =>
  (
    await service.callOk('POST', '2.1/jobs/create', {
      name: 'batch',
      max_concurrent_runs: maxConcurrentRuns,
      tasks: [{ task_key: 'a', existing_cluster_id: 'c', notebook_task: { notebook_path: '/missing' } }],
    })
  ).job_id;

test('each run is admitted as by run-now, and the results are in the order of the request', async () => {
  const job_id = await createJob(2);
  const { runs } = await service.callOk('POST', '2.1/jobs/run-now-batch', {
    job_id,
    runs: Array.from({ length: 150 }, (_, index) => ({ idempotency_token: `token ${index % 120}` })),
  });
  const ids = runs.map(({ run_id: id }: { run_id: number }) => id);
  expect(new Set(ids).size).toBe(120);
  // A repeated token returns the run of the first use.
  expect(ids.slice(120)).toEqual(ids.slice(0, 30));
  const numbers = runs.map(({ number_in_job: number }: { number_in_job: number }) => number);
  expect([...new Set(numbers)].toSorted((one, other) => Number(one) - Number(other))).toEqual(
    Array.from({ length: 120 }, (_, index) => index + 1),
  );
});

test('a run that is refused has a reason and does not stop the others', async () => {
  const job_id = await createJob(1_000);
  const { runs } = await service.callOk('POST', '2.1/jobs/run-now-batch', {
    job_id,
    runs: [{}, { jar_params: ['a'], notebook_params: { a: '1' } }, { idempotency_token: 'x'.repeat(65) }, {}],
  });
  const reason = { error_code: 'INVALID_PARAMETER_VALUE', message: expect.any(String) };
  const started = { run_id: expect.any(Number), number_in_job: expect.any(Number) };
  expect(runs).toEqual([started, reason, reason, started]);
});

test.each<[string, object, number, string]>([
  ['without runs', { runs: [] }, 400, 'runs'],
  [
    'with too many runs',
    { runs: Array.from({ length: fixedLimits.runsPerLaunchRequest + 1 }, () => ({})) },
    400,
    'runs',
  ],
])('a request %s is refused', async (_name, body, status, text) => {
  const answer = await service.call('POST', '2.1/jobs/run-now-batch', { job_id: 1, ...body });
  expect(answer.status).toBe(status);
  expect(JSON.stringify(answer.body)).toContain(text);
});

test('of an unknown job refuses every run', async () => {
  const { runs } = await service.callOk('POST', '2.1/jobs/run-now-batch', {
    job_id: 999_999,
    runs: [{}, {}],
  });
  const refused = { error_code: 'INVALID_PARAMETER_VALUE', message: 'Job 999999 does not exist.' };
  expect(runs).toEqual([refused, refused]);
});
