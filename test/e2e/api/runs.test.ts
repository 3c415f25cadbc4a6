/** runs/list, runs/get and runs/get-output through HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Check } from 'typebox/value';
import { createCoreOperations } from '../../../api/http/operations.ts';
import { idFrom, startApiHarness, type ApiResponse, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/nb' };
const single = { existing_cluster_id: 'c', notebook_task: notebook };
const python = {
  task_key: 'p',
  existing_cluster_id: 'c',
  spark_python_task: { python_file: 'managed_fs:/x.py' },
};
const tasks = [python, { task_key: 'n', ...single, depends_on: [{ task_key: 'p' }] }];
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const submit = async (body: object, version = '2.0'): Promise<number> =>
  idFrom(await service.post(`${version}/jobs/runs/submit`, body), 'run_id');
const get = (runId: number, version = '2.0') =>
  service.get(`${version}/jobs/runs/get`, { run_id: String(runId) });
const output = (runId: number, version = '2.0') =>
  service.get(`${version}/jobs/runs/get-output`, { run_id: String(runId) });
const runsIn = ({ body }: ApiResponse): { run_id: number }[] =>
  Array.isArray(body['runs']) ? body['runs'] : [];
const idsIn = (answer: ApiResponse): number[] => runsIn(answer).map((run) => run.run_id);

async function taskRunId(runId: number, key: string): Promise<number> {
  const { run_id } = await service.database.db
    .selectFrom('task_runs')
    .select('run_id')
    .where('job_run_id', '=', runId)
    .where('task_key', '=', key)
    .executeTakeFirstOrThrow();
  return run_id;
}

describe('spec 4.1.7: get', () => {
  test('a multi-task run contains its tasks, and each task waits for its dependencies', async () => {
    const runId = await submit({ tasks });
    expect((await get(runId)).body).toMatchObject({
      run_id: runId,
      format: 'MULTI_TASK',
      tasks: [
        { task_key: 'p', state: { state_message: '' } },
        { task_key: 'n', state: { life_cycle_state: 'PENDING', state_message: 'Waiting for the task p' } },
      ],
    });
  });

  test.each(['2.0', '2.1', '2.2'])('a task run is returned by its own id in %s', async (version) => {
    const runId = await submit({ tasks });
    const taskRun = await taskRunId(runId, 'n');
    expect((await get(taskRun, version)).body).toMatchObject({
      run_id: taskRun,
      parent_run_id: runId,
      job_run_id: runId,
      task_key: 'n',
      task: { notebook_task: { notebook_path: '/nb' } },
    });
  });

  test('a terminated run has numbers for all times', async () => {
    const runId = await submit(single);
    await service.endRun(runId, { result: 'SUCCESS' });
    const times = {
      end_time: 1_770_000_006_000,
      setup_duration: 1_000,
      execution_duration: 2_000,
      cleanup_duration: 3_000,
    };
    expect((await get(runId)).body).toMatchObject(times);
    expect((await get(runId)).body).not.toHaveProperty('run_duration');
    expect((await get(runId, '2.1')).body).toMatchObject({
      run_duration: 6_000,
      execution_duration: 0,
      tasks: [times],
    });
  });

  test.each([
    [{ run_id: '555555' }, 'Run 555555 does not exist.'],
    [{}, 'Missing required field: run_id.'],
    [{ run_id: '' }, 'Could not parse request object: Expected integer for field run_id, found STRING ""'],
  ])('%j is refused', async (query, message) => {
    expect(await service.get('2.1/jobs/runs/get', query)).toMatchObject({ status: 400, body: { message } });
    expect(await service.get('2.1/jobs/runs/get-output', query)).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  test.each(['2.0', '2.1'] as const)(
    'every response in %s matches the documented schema',
    async (version) => {
      const runId = await submit({ tasks });
      const documented = new Map(
        createCoreOperations(service.ports).map((operation) => [operation.path, operation.response]),
      );
      const answers: [string, ApiResponse][] = [
        ['/jobs/runs/get', await get(runId, version)],
        ['/jobs/runs/list', await service.get(`${version}/jobs/runs/list`, { expand_tasks: 'true' })],
        ['/jobs/runs/get-output', await output(await taskRunId(runId, 'p'), version)],
        ['/jobs/list', await service.get(`${version}/jobs/list`)],
      ];
      for (const [path, { status, body }] of answers) {
        expect(status).toBe(200);
        expect(Check(documented.get(path) ?? {}, body), path).toBe(true);
      }
    },
  );
});

describe('spec 4.1.6: list', () => {
  let lister: ApiHarness;
  let jobId: number;
  /** Run ids, newest first: three runs of the job (the middle one is terminated), then 22 submissions. */
  const ids: number[] = [];

  beforeAll(async () => {
    lister = await startApiHarness();
    for (let index = 0; index < 22; index += 1) {
      ids.unshift(
        idFrom(await lister.post('2.0/jobs/runs/submit', index === 0 ? { tasks } : single), 'run_id'),
      );
      lister.advanceClock(1_000);
    }
    jobId = idFrom(await lister.post('2.0/jobs/create', { ...single, max_concurrent_runs: 5 }), 'job_id');
    for (let index = 0; index < 3; index += 1)
      ids.unshift(idFrom(await lister.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id'));
    await lister.endRun(ids[1] ?? 0, { result: 'SUCCESS' });
  });
  afterAll(() => lister.close());

  test.each<[string, Record<string, string>, () => number[], boolean]>([
    ['20 by default', {}, () => ids.slice(0, 20), true],
    ['999 for limit 0', { limit: '0' }, () => ids, false],
    ['as many as asked for', { limit: '25' }, () => ids, false],
    ['from an offset', { offset: '22' }, () => ids.slice(22), false],
    ['active ones', { active_only: 'true', limit: '0' }, () => ids.filter((id) => id !== ids[1]), false],
    ['completed ones', { completed_only: 'True' }, () => ids.slice(1, 2), false],
    ['of one type', { run_type: 'SUBMIT_RUN', limit: '2' }, () => ids.slice(3, 5), true],
    ['of no notebook workflow', { run_type: 'WORKFLOW_RUN' }, () => [], false],
    [
      'started within two seconds',
      { start_time_from: '1770000001000', start_time_to: '1770000002000' },
      () => ids.slice(22, 24),
      false,
    ],
  ])('shows %s', async (_, query, expected, more) => {
    for (const version of ['2.0', '2.1']) {
      const answer = await lister.get(`${version}/jobs/runs/list`, query);
      expect(idsIn(answer)).toEqual(expected());
      expect(answer.body['has_more']).toBe(more);
      expect('next_page_token' in answer.body).toBe(more && version !== '2.0');
    }
  });

  test('job_id filters the runs of one job', async () => {
    expect(idsIn(await lister.get('2.0/jobs/runs/list', { job_id: String(jobId) }))).toEqual(ids.slice(0, 3));
  });

  test('pages by token contain every run once while new runs start', async () => {
    const found: number[] = [];
    let token = '';
    do {
      const answer = await lister.get('2.1/jobs/runs/list', {
        limit: '10',
        run_type: 'SUBMIT_RUN',
        page_token: token,
      });
      found.push(...idsIn(answer));
      token = String(answer.body['next_page_token'] ?? '');
    } while (token !== '');
    expect(found).toEqual(ids.slice(3));
  });

  test('tasks of a multi-task run are empty unless expand_tasks is given in 2.1 or later', async () => {
    const query = { offset: '24', expand_tasks: 'true' };
    expect((await lister.get('2.0/jobs/runs/list', query)).body['runs']).toMatchObject([
      { format: 'MULTI_TASK', tasks: [] },
    ]);
    expect((await lister.get('2.1/jobs/runs/list', { offset: '24' })).body['runs']).toMatchObject([
      { tasks: [] },
    ]);
    expect((await lister.get('2.1/jobs/runs/list', query)).body['runs']).toMatchObject([
      { tasks: [{ task_key: 'p' }, { task_key: 'n' }] },
    ]);
  });

  test('a single-task run in a 2.0 list has its task and cluster', async () => {
    expect((await lister.get('2.0/jobs/runs/list', { limit: '1' })).body['runs']).toMatchObject([
      { format: 'SINGLE_TASK', task: { notebook_task: notebook }, cluster_instance: { cluster_id: 'c' } },
    ]);
  });

  test.each([
    [{ limit: '1000' }, 'Invalid limit 1000 - it has to be no more than 999.'],
    [{ limit: '-1' }, 'limit is -1; it must be at least 0.'],
    [
      { limit: 'ten' },
      'Could not parse request object: Expected integer for field limit, found STRING "ten"',
    ],
    [{ offset: '-1' }, 'offset is -1; it must be at least 0.'],
    [{ run_type: 'ANY' }, 'run_type is "ANY"; it must be one of JOB_RUN, WORKFLOW_RUN, SUBMIT_RUN.'],
    [
      { active_only: 'true', completed_only: 'true' },
      'active_only and completed_only are both true; at most one of them may be true.',
    ],
    [
      { active_only: 'yes' },
      'Could not parse request object: Expected boolean for field active_only, found STRING "yes"',
    ],
    [
      { page_token: 'nonsense' },
      'page_token is "nonsense"; it must be the next_page_token of a page of this list.',
    ],
  ])('%j is refused', async (query, message) => {
    expect(await lister.get('2.1/jobs/runs/list', query)).toMatchObject({ status: 400, body: { message } });
  });
});

describe('spec 4.1.10: get-output', () => {
  test.each([
    ['a result', { result: '42', truncated: true }, { result: '42', truncated: true }],
    ['no call of exit', {}, {}],
  ])('a notebook that succeeded with %s', async (_, written, shown) => {
    const runId = await submit(single);
    await service.endRun(runId, { result: 'SUCCESS' });
    service.outputs.set(runId, { output: written, logs: 'not shown' });
    const { body } = await output(runId);
    expect(body).toEqual({
      metadata: expect.objectContaining({ run_id: runId, task: { notebook_task: notebook } }),
      notebook_output: shown,
    });
  });

  test('a failed run has error and error_trace', async () => {
    const runId = await submit(single);
    await service.endRun(runId, { result: 'FAILED', message: 'Workload failed, see run output for details' });
    service.outputs.set(runId, { output: { error: 'ValueError: 7', errorTrace: 'Traceback ...' } });
    const { body } = await output(runId);
    expect(body).toMatchObject({ error: 'ValueError: 7', error_trace: 'Traceback ...' });
    expect(body).not.toHaveProperty('notebook_output');
  });

  test('a run that ended without output has an error', async () => {
    const runId = await submit(single);
    await service.endRun(runId, { result: 'CANCELED', message: 'Run cancelled by user' });
    expect((await output(runId)).body).toMatchObject({ error: 'Run cancelled by user' });
  });

  test('a Python task has at most 5 MB of logs, also while it is active', async () => {
    const runId = await submit({ tasks });
    const taskRun = await taskRunId(runId, 'p');
    service.outputs.set(taskRun, { logs: 'so far' });
    const { body } = await output(taskRun, '2.1');
    expect(body).toEqual({
      metadata: expect.objectContaining({ run_id: taskRun, parent_run_id: runId }),
      logs: 'so far',
      logs_truncated: false,
    });
    service.outputs.set(taskRun, { logs: 'x'.repeat(5 * 2 ** 20 + 1) });
    const long = await output(taskRun);
    expect(long.body).toMatchObject({ logs_truncated: true });
    expect(String(long.body['logs'])).toHaveLength(5 * 2 ** 20);
  });

  test('a single-task run is accepted by its id in every version', async () => {
    const runId = await submit(single);
    for (const version of ['2.0', '2.1', '2.2']) expect((await output(runId, version)).status).toBe(200);
  });

  test('a multi-task run is refused, even with a single task', async () => {
    const runId = await submit({ tasks: [python] });
    expect(await output(runId)).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message:
          'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
      },
    });
  });
});
