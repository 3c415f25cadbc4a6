/** jobs/run-now, runs/submit and runs/cancel through HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/nb' };
const single = { existing_cluster_id: 'c', notebook_task: notebook };
const task = {
  task_key: 'a',
  existing_cluster_id: 'c',
  spark_python_task: { python_file: 'managed_fs:/x.py' },
};
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

async function createJob(settings: object): Promise<number> {
  return idFrom(await service.post('2.0/jobs/create', settings), 'job_id');
}

function getRun(runId: number, version = '2.0') {
  return service.get(`${version}/jobs/runs/get`, { run_id: String(runId) });
}

describe('spec 4.1.4: run-now', () => {
  test('starts a run with the next number_in_job and the given parameters', async () => {
    const jobId = await createJob({
      ...single,
      name: 'nightly',
      max_concurrent_runs: 5,
      parameters: [{ name: 'x', default: '' }],
    });
    const parameters = { notebook_params: { day: 'monday' }, job_parameters: { x: '1' } };
    await service.post('2.0/jobs/run-now', { job_id: jobId });
    const answer = await service.post('2.0/jobs/run-now', { job_id: jobId, ...parameters });
    expect(answer.body).toEqual({ run_id: expect.any(Number), number_in_job: 2 });
    expect((await getRun(idFrom(answer, 'run_id'))).body).toMatchObject({
      job_id: jobId,
      number_in_job: 2,
      run_name: 'nightly',
      run_type: 'JOB_RUN',
      trigger: 'ONE_TIME',
      creator_user_name: 'admin',
      overriding_parameters: parameters,
      state: { life_cycle_state: 'PENDING', state_message: '' },
      start_time: 1_770_000_000_000,
      end_time: 0,
    });
  });

  test('a run above max_concurrent_runs is skipped', async () => {
    const jobId = await createJob(single);
    await service.post('2.0/jobs/run-now', { job_id: jobId });
    const runId = idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    const { body } = await getRun(runId);
    expect(body['state']).toEqual({
      life_cycle_state: 'SKIPPED',
      user_cancelled_or_timedout: false,
      state_message: expect.stringContaining(
        'Skipping this run because the limit of 1 maximum concurrent runs has been reached',
      ),
    });
  });

  test('a repeated idempotency token returns the existing run, concurrent requests included', async () => {
    const jobId = await createJob({ ...single, max_concurrent_runs: 5 });
    const ask = { job_id: jobId, idempotency_token: 'once' };
    const answers = await Promise.all([
      service.post('2.1/jobs/run-now', ask),
      service.post('2.1/jobs/run-now', ask),
    ]);
    expect(answers[0].body).toEqual(answers[1].body);
    expect((await service.get('2.0/jobs/runs/list', { job_id: String(jobId) })).body['runs']).toHaveLength(1);
  });

  test.each([
    [
      { notebook_params: { a: '1' }, jar_params: ['x'] },
      'jar_params and notebook_params are given; only the parameters of one task kind are allowed.',
    ],
    [{ python_params: ['x'] }, 'python_params is given, but the job has no spark_python_task.'],
    [{ notebook_params: { a: 'ü' } }, 'notebook_params'],
    [
      { notebook_params: { a: 'x'.repeat(10_000) } },
      'notebook_params is 10008 bytes of JSON; at most 10000 are allowed.',
    ],
    [
      { notebook_params: 'x' },
      'Could not parse request object: Expected object for field notebook_params, found STRING',
    ],
    [{ idempotency_token: 'x'.repeat(65) }, 'idempotency_token has 65 characters; at most 64 are allowed.'],
    [
      { job_parameters: { x: '1' } },
      'job_parameters.x is given, but the job has no such parameter; it has none.',
    ],
    [
      { notebook_params: { a: '{{job.naem}}' } },
      'notebook_params.a refers to {{job.naem}}; no such value exists; known values are job.id',
    ],
    [{ only: ['a'] }, 'only is not supported; a run always consists of all tasks.'],
    [{ job_id: 777_777 }, 'Job 777777 does not exist.'],
    [{ job_id: null }, 'Missing required field: job_id.'],
  ])('%j is refused and nothing is stored', async (body, message) => {
    const jobId = await createJob(single);
    const before = await service.rowCounts();
    const answer = await service.post('2.1/jobs/run-now', { job_id: jobId, ...body });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    expect(await service.rowCounts()).toEqual(before);
  });
});

describe('spec 4.1.5: submit', () => {
  test('a single-task body stays single-task in 2.0', async () => {
    const answer = await service.post('2.0/jobs/runs/submit', { ...single, run_name: 'ad hoc' });
    expect(answer.body).toEqual({ run_id: expect.any(Number) });
    expect((await getRun(idFrom(answer, 'run_id'))).body).toMatchObject({
      run_name: 'ad hoc',
      run_type: 'SUBMIT_RUN',
      format: 'SINGLE_TASK',
      job_id: expect.any(Number),
      number_in_job: 1,
      task: { notebook_task: notebook },
    });
  });

  test.each(['2.1', '2.2'])('a single-task body is one task keyed by the run name in %s', async (version) => {
    const runId = idFrom(
      await service.post(`${version}/jobs/runs/submit`, { ...single, run_name: 'ad hoc' }),
      'run_id',
    );
    expect((await getRun(runId, version)).body).toMatchObject({
      format: 'MULTI_TASK',
      tasks: [{ task_key: 'ad_hoc', run_id: expect.any(Number) }],
    });
  });

  test('a list of tasks is accepted in every version, and a run without a name is Untitled', async () => {
    for (const version of ['2.0', '2.1', '2.2']) {
      const runId = idFrom(await service.post(`${version}/jobs/runs/submit`, { tasks: [task] }), 'run_id');
      expect((await getRun(runId, version)).body).toMatchObject({
        run_name: 'Untitled',
        tasks: [{ task_key: 'a', start_time: 0 }],
      });
    }
  });

  test('the hidden job of a submission is not listed', async () => {
    const run = await getRun(idFrom(await service.post('2.0/jobs/runs/submit', single), 'run_id'));
    expect((await service.get('2.0/jobs/get', { job_id: String(run.body['job_id']) })).status).toBe(400);
  });

  test('a repeated idempotency token returns the existing run', async () => {
    const first = await service.post('2.1/jobs/runs/submit', { tasks: [task], idempotency_token: 'once' });
    const before = await service.rowCounts();
    expect(
      (await service.post('2.1/jobs/runs/submit', { tasks: [task], idempotency_token: 'once' })).body,
    ).toEqual(first.body);
    expect(await service.rowCounts()).toEqual(before);
  });

  test.each([
    [{}, 'No task is given; one of'],
    [
      {
        tasks: [task],
        job_clusters: [
          { job_cluster_key: 'k', new_cluster: { spark_version: '1', node_type_id: 'n', num_workers: 1 } },
        ],
      },
      'job_clusters is given; a submission cannot have shared job clusters',
    ],
    [
      { tasks: [{ ...task, existing_cluster_id: undefined, job_cluster_key: 'k' }] },
      'tasks[0].job_cluster_key is given; a submission cannot have shared job clusters',
    ],
    [{ tasks: [task, task] }, 'task_key'],
    [{ tasks: [{ ...task, depends_on: [{ task_key: 'z' }] }] }, 'z'],
    [{ tasks: [{ ...task, task_key: 'a b' }] }, 'tasks[0].task_key is "a b"; it must match'],
    [
      { tasks: { task_key: 'a' } },
      'Could not parse request object: Expected array for field tasks, found OBJECT',
    ],
    [
      { ...single, run_name: 'x'.repeat(4_097) },
      'run_name is 4097 bytes of UTF-8; at most 4096 are allowed.',
    ],
    [{ ...single, idempotency_token: 'x'.repeat(65) }, 'idempotency_token has 65 characters'],
    [{ ...single, timeout_seconds: '-5' }, 'timeout_seconds is -5; it must be at least 0.'],
  ])('%j is refused and nothing is stored', async (body, message) => {
    const before = await service.rowCounts();
    const answer = await service.post('2.1/jobs/runs/submit', body);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    expect(await service.rowCounts()).toEqual(before);
  });
});

describe('spec 3.1, 4.1.9: cancel', () => {
  test('cancel of an active run requests its stop', async () => {
    const runId = idFrom(await service.post('2.0/jobs/runs/submit', single), 'run_id');
    expect(await service.post('2.0/jobs/runs/cancel', { run_id: String(runId) })).toMatchObject({
      status: 200,
      body: {},
    });
    expect(service.stoppedRunIds).toContain(runId);
  });

  test('cancel of a terminated run changes nothing', async () => {
    const runId = idFrom(await service.post('2.0/jobs/runs/submit', single), 'run_id');
    await service.endRun(runId, { result: 'SUCCESS' });
    const before = await getRun(runId);
    expect((await service.post('2.1/jobs/runs/cancel', { run_id: runId })).status).toBe(200);
    expect((await getRun(runId)).body).toEqual(before.body);
  });

  test.each([
    [{ run_id: 666_666 }, 'INVALID_PARAMETER_VALUE', 'Run 666666 does not exist.'],
    [{}, 'INVALID_PARAMETER_VALUE', 'Missing required field: run_id.'],
    [
      { run_id: 'x' },
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected integer for field run_id, found STRING "x"',
    ],
    [
      { run_id: '9007199254740993' },
      'MALFORMED_REQUEST',
      'Could not parse request object: Expected integer for field run_id, found STRING "9007199254740993"',
    ],
  ])('%j is refused', async (body, error_code, message) => {
    expect(await service.post('2.0/jobs/runs/cancel', body)).toMatchObject({
      status: 400,
      body: { error_code, message },
    });
  });

  test('cancel of a single task run is refused', async () => {
    const runId = idFrom(await service.post('2.1/jobs/runs/submit', { tasks: [task] }), 'run_id');
    const answer = await service.post('2.1/jobs/runs/cancel', { run_id: runId + 1 });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`task run of run ${runId}`) },
    });
  });
});
