/** Refused repairs of runs; a refusal changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import { idFrom, startApiHarness, type ApiResponse, type ApiHarness } from '../../unit/api/api-harness.ts';

const work = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/x.py' } };

const tasks = [
  { task_key: 'b', ...work, depends_on: [{ task_key: 'a' }] },
  { task_key: 'a', ...work },
];

let service: ApiHarness;

/** Service that allows five active task runs in the workspace. */
let small: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
  small = await startApiHarness({}, { ...defaultLimits, concurrentTaskRuns: 5 });
});

afterAll(() => Promise.all([service.close(), small.close()]));

async function submitted(on: ApiHarness = service, body: object = { tasks }): Promise<number> {
  return idFrom(await on.post('2.0/jobs/runs/submit', body), 'run_id');
}

async function failed(on: ApiHarness = service, body?: object): Promise<number> {
  const runId = await submitted(on, body);
  await on.endRun(runId, { result: 'FAILED' });
  return runId;
}

const repair = (body: object, on: ApiHarness = service): Promise<ApiResponse> =>
  on.post('2.1/jobs/runs/repair', body);

async function repairIdOf(answer: ApiResponse): Promise<number> {
  expect(answer).toEqual({
    status: 200,
    headers: expect.anything(),
    body: { repair_id: expect.any(Number) },
  });
  return Number(answer.body['repair_id']);
}

/** Returns all stored rows of runs. */
const stored = async (on: ApiHarness = service): Promise<unknown> => {
  const { db } = on.database;
  return Promise.all(
    (['runs', 'task_runs', 'repairs'] as const).map((table) =>
      db
        .selectFrom(table)
        .selectAll()
        .orderBy(table === 'repairs' ? 'repair_id' : 'run_id')
        .execute(),
    ),
  );
};

describe('a repair is refused without a change:', () => {
  test.each<[string, object, string]>([
    ['no choice', {}, 'Neither rerun_tasks nor rerun_all_failed_tasks is given; one of them is required.'],
    [
      'no task selection',
      { rerun_tasks: [] },
      'Neither rerun_tasks nor rerun_all_failed_tasks is given; one of them is required.',
    ],
    [
      'rerun_all_failed_tasks false',
      { rerun_all_failed_tasks: false, rerun_dependent_tasks: true },
      'Neither rerun_tasks nor rerun_all_failed_tasks is given',
    ],
    [
      'two task selections',
      { rerun_tasks: ['a'], rerun_all_failed_tasks: true },
      'rerun_tasks and rerun_all_failed_tasks are given; only one of them is allowed.',
    ],
    [
      'an unknown task',
      { rerun_tasks: ['a', 'z'] },
      'rerun_tasks[1] is "z"; run RUN has no task with this key.',
    ],
    [
      'an unknown repair',
      { rerun_tasks: ['a'], latest_repair_id: 7 },
      'latest_repair_id is 7, but run RUN has not been repaired yet; leave it out.',
    ],
    [
      'parameters of a task kind that the job lacks',
      { rerun_tasks: ['a'], jar_params: ['x'] },
      'jar_params is given, but the job has no spark_jar_task.',
    ],
    [
      'parameters of two task kinds',
      { rerun_tasks: ['a'], jar_params: ['x'], python_params: ['y'] },
      'jar_params and python_params are given',
    ],
    ['unknown job parameters', { rerun_tasks: ['a'], job_parameters: { x: '1' } }, 'x'],
    ['a text for a list', { rerun_tasks: 'a' }, 'rerun_tasks'],
    ['a word for a boolean', { rerun_all_failed_tasks: 'yes' }, 'rerun_all_failed_tasks'],
    ['no run', { run_id: null, rerun_tasks: ['a'] }, 'Missing required field: run_id.'],
    ['an unknown run', { run_id: 555_555, rerun_tasks: ['a'] }, 'Run 555555 does not exist.'],
  ])('%s', async (_name, body, message) => {
    const runId = await failed();
    const before = await stored();
    const answer = await repair({ run_id: runId, ...body });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(message.replace('RUN', String(runId))) },
    });
    expect(await stored()).toEqual(before);
  });

  test('an active run', async () => {
    const runId = await submitted();
    expect(await repair({ run_id: runId, rerun_tasks: ['a'] })).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_STATE',
        message: `Run ${runId} is PENDING; only a run that is over can be repaired.`,
      },
    });
  });

  test('a task run, with its run in the message', async () => {
    const runId = await failed();
    const { run_id: taskRun } = await service.database.db
      .selectFrom('task_runs')
      .select('run_id')
      .where('job_run_id', '=', runId)
      .executeTakeFirstOrThrow();
    expect(await repair({ run_id: taskRun, rerun_all_failed_tasks: true })).toMatchObject({
      status: 400,
      body: {
        message: `Run ${taskRun} is a task run of run ${runId}; only the whole run can be repaired: name its tasks in rerun_tasks.`,
      },
    });
  });

  test('a run without failed tasks when all failed tasks are requested', async () => {
    const runId = await submitted();
    await service.endRun(runId, { result: 'SUCCESS' });
    expect(await repair({ run_id: runId, rerun_all_failed_tasks: true })).toMatchObject({
      status: 400,
      body: {
        message: `rerun_all_failed_tasks is true, but no task of run ${runId} has failed; there is nothing to run again.`,
      },
    });
  });

  test('a skipped run', async () => {
    const jobId = idFrom(
      await service.post('2.1/jobs/create', { name: 'one', tasks, max_concurrent_runs: 0 }),
      'job_id',
    );
    const runId = idFrom(await service.post('2.1/jobs/run-now', { job_id: jobId }), 'run_id');
    expect(await repair({ run_id: runId, rerun_tasks: ['a'] })).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_STATE',
        message: `Run ${runId} was skipped, so there is nothing to repair. Start a new run with jobs/run-now.`,
      },
    });
  });

  test('a deleted run, and a run of a deleted job', async () => {
    const jobId = idFrom(await service.post('2.1/jobs/create', { name: 'gone', tasks }), 'job_id');
    const runId = idFrom(await service.post('2.1/jobs/run-now', { job_id: jobId }), 'run_id');
    await service.endRun(runId, { result: 'FAILED' });
    await service.post('2.1/jobs/delete', { job_id: jobId });
    const deleted = await failed();
    await service.post('2.1/jobs/runs/delete', { run_id: deleted });
    for (const id of [runId, deleted]) {
      expect(await repair({ run_id: id, rerun_tasks: ['a'] })).toMatchObject({
        status: 400,
        body: { message: `Run ${id} does not exist.` },
      });
    }
  });

  test('more task runs than the workspace allows', async () => {
    const runId = await failed(small);
    const others = [];
    for (let count = 0; count < 5; count += 1) others.push(await submitted(small));
    const before = await stored(small);
    const answer = await repair({ run_id: runId, rerun_tasks: ['a', 'b'] }, small);
    expect(answer).toMatchObject({
      status: 429,
      body: { error_code: 'REQUEST_LIMIT_EXCEEDED' },
      headers: { 'retry-after': expect.any(String) },
    });
    expect(await stored(small)).toEqual(before);
    await small.endRun(others[0] ?? 0, { result: 'SUCCESS' });
    await repairIdOf(await repair({ run_id: runId, rerun_tasks: ['a', 'b'] }, small));
  });
});
