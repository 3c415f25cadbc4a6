/** Creation, retrieval and deletion of jobs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/Users/u/nb' };

const single = { name: 'single', existing_cluster_id: 'c-1', notebook_task: notebook };

const task = { task_key: 'a', existing_cluster_id: 'c-1', notebook_task: notebook };

const multi = { name: 'multi', tasks: [task, { ...task, task_key: 'b', depends_on: [{ task_key: 'a' }] }] };

let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});

afterAll(() => service.close());

async function create(version: string, settings: object): Promise<number> {
  const answer = await service.post(`${version}/jobs/create`, settings);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return idFrom(answer, 'job_id');
}

function get(version: string, jobId: number) {
  return service.get(`${version}/jobs/get`, { job_id: String(jobId) });
}

describe('spec 4.1: create and get', () => {
  test('a single-task job is returned as written in 2.0 and as multi-task from 2.1 on', async () => {
    const jobId = await create('2.0', single);
    expect((await get('2.0', jobId)).body).toEqual({
      job_id: jobId,
      creator_user_name: 'admin',
      run_as: 'admin',
      run_as_user_name: 'admin',
      created_time: 1_770_000_000_000,
      settings: { ...single, format: 'SINGLE_TASK' },
    });
    for (const version of ['2.1', '2.2']) {
      expect((await get(version, jobId)).body['settings']).toMatchObject({
        format: 'MULTI_TASK',
        tasks: [{ task_key: 'main', existing_cluster_id: 'c-1' }],
      });
    }
  });

  test('a job created in 2.1 is multi-task in 2.0 too', async () => {
    const jobId = await create('2.1', multi);
    expect((await get('2.0', jobId)).body['settings']).toEqual({ ...multi, format: 'MULTI_TASK' });
  });

  test('unknown settings and vendor spellings are kept and returned as written, null counts as absent', async () => {
    const settings = { ...single, edit_mode: 'UI_LOCKED', deployment: { kind: 'BUNDLE', n: [1, '2'] } };
    const jobId = await create('2.0', { ...settings, libraries: null, schedule: null });
    expect((await get('2.0', jobId)).body['settings']).toEqual({ ...settings, format: 'SINGLE_TASK' });
  });

  test('a job without a name is Untitled', async () => {
    const { name: _, ...unnamed } = single;
    expect((await get('2.0', await create('2.0', unnamed))).body['settings']).toMatchObject({
      name: 'Untitled',
    });
  });

  test('an unknown job is refused', async () => {
    expect(await get('2.1', 999_999)).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message: 'Job 999999 does not exist.' },
    });
  });

  test('a job above the quota of stored jobs is refused', async () => {
    const small = await startApiHarness({}, { ...defaultLimits, savedJobs: 1 });
    expect((await small.post('2.0/jobs/create', single)).status).toBe(200);
    expect(await small.post('2.0/jobs/create', single)).toMatchObject({
      status: 400,
      body: {
        error_code: 'QUOTA_EXCEEDED',
        message: 'The quota for the number of jobs has been reached. The current quota is 1.',
      },
    });
    await small.close();
  });

  test.each<[string, string, object, string, RegExp]>([
    [
      'no task',
      '2.0',
      { name: 'x' },
      'INVALID_PARAMETER_VALUE',
      /^No task is given; one of notebook_task, .* is required\.$/,
    ],
    [
      'no notebook path',
      '2.0',
      { ...single, notebook_task: {} },
      'INVALID_PARAMETER_VALUE',
      /^Missing required field: notebook_task\.notebook_path\.$/,
    ],
    [
      'a relative notebook path',
      '2.0',
      { ...single, notebook_task: { notebook_path: 'nb' } },
      'INVALID_PARAMETER_VALUE',
      /notebook_path is "nb"; it must be an absolute path/,
    ],
    [
      'no compute',
      '2.0',
      { notebook_task: notebook },
      'INVALID_PARAMETER_VALUE',
      /^One of job_cluster_key, new_cluster, or existing_cluster_id must be specified\./,
    ],
    [
      'single-task fields in 2.1',
      '2.1',
      single,
      'INVALID_PARAMETER_VALUE',
      /notebook_task is a single-task field; .* tasks/,
    ],
    [
      'tasks together with a single-task field',
      '2.0',
      { ...multi, notebook_task: notebook },
      'INVALID_PARAMETER_VALUE',
      /notebook_task is a single-task field/,
    ],
    ['an empty list of tasks', '2.1', { tasks: [] }, 'INVALID_PARAMETER_VALUE', /^tasks has 0 entries/],
    [
      'a cycle',
      '2.1',
      { tasks: [{ ...task, depends_on: [{ task_key: 'a' }] }] },
      'INVALID_PARAMETER_VALUE',
      /a/,
    ],
    [
      'too many concurrent runs',
      '2.0',
      { ...single, max_concurrent_runs: 1001 },
      'INVALID_PARAMETER_VALUE',
      /^max_concurrent_runs is 1001; it must be between 0 and 1000\.$/,
    ],
    [
      'a negative timeout',
      '2.0',
      { ...single, timeout_seconds: -1 },
      'INVALID_PARAMETER_VALUE',
      /^timeout_seconds is -1; it must be at least 0\.$/,
    ],
    [
      'a string for a number',
      '2.0',
      { ...single, max_retries: 'many' },
      'MALFORMED_REQUEST',
      /Expected integer for field max_retries, found STRING "many"/,
    ],
    [
      'a string for a map',
      '2.0',
      { ...single, notebook_task: 'nb' },
      'MALFORMED_REQUEST',
      /Expected object for field notebook_task, found STRING/,
    ],
    [
      'a wrong pause_status',
      '2.0',
      {
        ...single,
        schedule: { quartz_cron_expression: '0 0 * * * ?', timezone_id: 'UTC', pause_status: 'NO' },
      },
      'INVALID_PARAMETER_VALUE',
      /pause_status is "NO"; it must be one of PAUSED, UNPAUSED/,
    ],
    [
      'an unknown task kind',
      '2.0',
      { existing_cluster_id: 'c', dance_task: {} },
      'INVALID_PARAMETER_VALUE',
      /dance_task/,
    ],
    [
      'a contradicting format',
      '2.0',
      { ...single, format: 'MULTI_TASK' },
      'INVALID_PARAMETER_VALUE',
      /^format is "MULTI_TASK"/,
    ],
  ])('%s is refused and nothing is stored', async (_, version, settings, error_code, message) => {
    const before = await service.rowCounts();
    const answer = await service.post(`${version}/jobs/create`, settings);
    expect(answer).toMatchObject({
      status: 400,
      body: { error_code, message: expect.stringMatching(message) },
    });
    expect(await service.rowCounts()).toEqual(before);
  });
});

describe('spec 4.1.1: delete', () => {
  test('a deleted job and its runs are not found, active runs are stopped, and recipients are notified', async () => {
    const jobId = await create('2.0', {
      ...single,
      max_concurrent_runs: 2,
      email_notifications: { on_start: ['a@x'], on_failure: ['a@x', 'b@x'] },
    });
    const first = idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    const second = idFrom(await service.post('2.0/jobs/run-now', { job_id: jobId }), 'run_id');
    await service.endRun(first, { result: 'SUCCESS' });

    expect(await service.post('2.0/jobs/delete', { job_id: jobId })).toMatchObject({ status: 200, body: {} });
    expect(service.stoppedRunIds).toEqual([second]);
    expect((await get('2.0', jobId)).body['message']).toBe(`Job ${jobId} does not exist.`);
    expect((await service.get('2.0/jobs/runs/get', { run_id: String(first) })).body['message']).toBe(
      `Run ${first} does not exist.`,
    );
    expect((await service.get('2.0/jobs/runs/list', { job_id: String(jobId) })).body['runs']).toEqual([]);
    expect((await service.post('2.0/jobs/run-now', { job_id: jobId })).body['message']).toBe(
      `Job ${jobId} does not exist.`,
    );
    const notified = await service.database.db
      .selectFrom('outbox')
      .select(['event', 'recipient'])
      .where('job_id', '=', jobId)
      .orderBy('recipient')
      .execute();
    expect(notified).toEqual([
      { event: 'job_deleted', recipient: 'a@x' },
      { event: 'job_deleted', recipient: 'b@x' },
    ]);
  });

  test('a deleted or unknown job is accepted', async () => {
    const jobId = await create('2.0', single);
    for (const id of [jobId, jobId, 888_888]) {
      expect(await service.post('2.1/jobs/delete', { job_id: id })).toMatchObject({ status: 200, body: {} });
    }
  });

  test.each([
    [{}, 'Missing required field: job_id.'],
    [{ job_id: -1 }, 'job_id is -1; it must be at least 0.'],
    [
      { job_id: 'seven' },
      'Could not parse request object: Expected integer for field job_id, found STRING "seven"',
    ],
    [{ job_id: 1.5 }, 'Could not parse request object: Expected integer for field job_id, found NUMBER 1.5'],
  ])('%j is refused', async (body, message) => {
    expect(await service.post('2.1/jobs/delete', body)).toMatchObject({ status: 400, body: { message } });
  });
});
