/** The limits of spec section 8: each is enforced, and each can be lowered. */
import { afterEach, describe, expect, test } from 'vitest';
import { defaultLimits, type LimitName, type Limits } from '../../../engine/limits.ts';
import { addDestinations, knownDestinations } from '../../harness/destinations.ts';
import { startTestService } from '../../harness/test-service.ts';
import { idFrom, startApiHarness, type ApiResponse, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/nb' };
/** A job that tells so many destinations of its starts. */
const telling = (count: number) => ({
  ...single,
  webhook_notifications: { on_start: knownDestinations.slice(0, count).map((id) => ({ id })) },
});
const single = { existing_cluster_id: 'c', notebook_task: notebook, max_concurrent_runs: 9 };
const task = (task_key: string) => ({ task_key, existing_cluster_id: 'c', notebook_task: notebook });
const jar = (task_key: string) => ({
  task_key,
  existing_cluster_id: 'c',
  spark_jar_task: { main_class_name: 'A' },
});
const cluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };
const shared = (job_cluster_key: string) => ({ job_cluster_key, new_cluster: cluster });

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

type Ask = (service: ApiHarness) => Promise<ApiResponse>;
const create =
  (settings: object, version = '2.0'): Ask =>
  (runyard) =>
    runyard.post(`${version}/jobs/create`, settings);
const submit =
  (settings: object): Ask =>
  (runyard) =>
    runyard.post('2.1/jobs/runs/submit', settings);
const runNow =
  (settings: object, more: object): Ask =>
  async (runyard) =>
    runyard.post('2.1/jobs/run-now', {
      job_id: idFrom(await runyard.post('2.0/jobs/create', settings), 'job_id'),
      ...more,
    });
const disk = (boot_disk_size: number) =>
  create({ notebook_task: notebook, new_cluster: { ...cluster, cloud_attributes: { boot_disk_size } } });

/** Limit, the lowered value, what just fits it, what does not after that, and the refusal. */
const rows: [
  LimitName,
  number,
  Ask,
  Ask,
  { status: number; error_code: string; message: RegExp | string },
][] = [
  [
    'requestBytes',
    2_000,
    create({ ...single, name: 'x'.repeat(1_000) }),
    create({ ...single, name: 'x'.repeat(2_000) }),
    { status: 413, error_code: 'REQUEST_TOO_LARGE', message: 'Size of the request body exceeds 2000 bytes' },
  ],
  [
    'concurrentTaskRuns',
    3,
    submit({ tasks: [task('a'), task('b')] }),
    submit({ tasks: [task('a'), task('b')] }),
    {
      status: 429,
      error_code: 'REQUEST_LIMIT_EXCEEDED',
      message: 'There are already 2 active runs (limit: 3). This run would add 2.',
    },
  ],
  [
    'concurrentTaskRuns',
    1,
    submit(single),
    submit(single),
    {
      status: 429,
      error_code: 'REQUEST_LIMIT_EXCEEDED',
      message: 'There are already 1 active runs (limit: 1).',
    },
  ],
  [
    'jobsCreatedPerHour',
    1,
    create(single),
    create(single),
    {
      status: 400,
      error_code: 'QUOTA_EXCEEDED',
      message:
        'There were already 1 jobs created in past 3600 seconds, exceeding rate limit: 1 job creations per 3600 seconds.',
    },
  ],
  [
    'jobsCreatedPerHour',
    1,
    submit(single),
    submit(single),
    { status: 400, error_code: 'QUOTA_EXCEEDED', message: /^There were already 1 jobs created/ },
  ],
  [
    'savedJobs',
    1,
    create(single),
    create(single),
    {
      status: 400,
      error_code: 'QUOTA_EXCEEDED',
      message: 'The quota for the number of jobs has been reached. The current quota is 1.',
    },
  ],
  [
    'tasksPerJob',
    2,
    create({ tasks: [task('a'), task('b')] }),
    create({ tasks: [task('a'), task('b'), task('c')] }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'tasks has 3 entries; at most 2 are allowed.',
    },
  ],
  [
    'tasksPerJob',
    2,
    submit({ tasks: [task('a'), task('b')] }),
    submit({ tasks: [task('a'), task('b'), task('c')] }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'tasks has 3 entries; at most 2 are allowed.',
    },
  ],
  [
    'jobClustersPerJob',
    1,
    create({ tasks: [task('a')], job_clusters: [shared('x')] }),
    create({ tasks: [task('a')], job_clusters: [shared('x'), shared('y')] }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'job_clusters has 2 entries; at most 1 are allowed.',
    },
  ],
  [
    'maxConcurrentRuns',
    5,
    create({ ...single, max_concurrent_runs: 5 }),
    create({ ...single, max_concurrent_runs: 6 }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'max_concurrent_runs is 6; it must be between 0 and 5.',
    },
  ],
  [
    'parameterBytes',
    12,
    runNow(single, { notebook_params: { a: '1234' } }),
    runNow(single, { notebook_params: { a: '12345' } }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'notebook_params is 13 bytes of JSON; at most 12 are allowed.',
    },
  ],
  [
    'parameterBytes',
    10,
    runNow({ tasks: [jar('a')] }, { jar_params: ['123456'] }),
    runNow({ tasks: [jar('a')] }, { jar_params: ['1234567'] }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'jar_params is 11 bytes of JSON; at most 10 are allowed.',
    },
  ],
  [
    'idempotencyTokenCharacters',
    3,
    runNow(single, { idempotency_token: 'äöü' }),
    runNow(single, { idempotency_token: 'äöüx' }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'idempotency_token has 4 characters; at most 3 are allowed.',
    },
  ],
  [
    'idempotencyTokenCharacters',
    3,
    submit({ ...single, idempotency_token: 'abc' }),
    submit({ ...single, idempotency_token: 'abcd' }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'idempotency_token has 4 characters; at most 3 are allowed.',
    },
  ],
  [
    'runNameBytes',
    4,
    submit({ ...single, run_name: 'ää' }),
    submit({ ...single, run_name: 'ääx' }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'run_name is 5 bytes of UTF-8; at most 4 are allowed.',
    },
  ],
  [
    'webhooksPerList',
    1,
    create(telling(1)),
    create(telling(2)),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'webhook_notifications.on_start has 2 entries; at most 1 are allowed.',
    },
  ],
  [
    'runsPerPage',
    5,
    (runyard) => runyard.get('2.0/jobs/runs/list', { limit: '5' }),
    (runyard) => runyard.get('2.1/jobs/runs/list', { limit: '6' }),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'Invalid limit 6 - it has to be no more than 5.',
    },
  ],
  [
    'bootDiskGigabytesMin',
    200,
    disk(200),
    disk(199),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: /boot_disk_size is 199; it must be between 200 and 4096\.$/,
    },
  ],
  [
    'bootDiskGigabytesMax',
    300,
    disk(300),
    disk(301),
    {
      status: 400,
      error_code: 'INVALID_PARAMETER_VALUE',
      message: /boot_disk_size is 301; it must be between 100 and 300\.$/,
    },
  ],
];

describe('spec 8: what is beyond a limit is refused, what just fits it is not', () => {
  test.each(rows)('%s lowered to %d', async (name, value, fits, exceeds, { status, error_code, message }) => {
    const runyard = await withLimits({ [name]: value });
    await addDestinations(runyard.database.db);
    const fitting = await fits(runyard);
    expect(fitting.status, JSON.stringify(fitting.body)).toBe(200);
    expect(await exceeds(runyard)).toMatchObject({
      status,
      body: { error_code, message: typeof message === 'string' ? message : expect.stringMatching(message) },
    });
  });

  test('the values are those of the interface', () => {
    expect(defaultLimits).toMatchObject({
      requestBytes: 10_485_760,
      concurrentTaskRuns: 1_000,
      jobsCreatedPerHour: 10_000,
      savedJobs: 12_000,
      tasksPerJob: 100,
      jobClustersPerJob: 100,
      maxConcurrentRuns: 1_000,
      parameterBytes: 10_000,
      idempotencyTokenCharacters: 64,
      runNameBytes: 4_096,
      webhooksPerList: 3,
      runsPerPage: 999,
      outputBytes: 5_242_880,
      notebookResultBytes: 1_048_576,
      notebookCellBytes: 8_388_608,
      bootDiskGigabytesMin: 100,
      bootDiskGigabytesMax: 4_096,
    });
  });
});

describe('spec 8: how much of a run is shown', () => {
  test('runs/list: limit 0 and no limit are the largest page where that is lower', async () => {
    const runyard = await withLimits({ runsPerPage: 2 });
    for (const _ of 'abc') await submit(single)(runyard);
    for (const query of [{}, { limit: '0' }]) {
      const { body } = await runyard.get('2.1/jobs/runs/list', query);
      expect(body).toMatchObject({ runs: [{}, {}], has_more: true });
    }
  });

  test('get-output: the first bytes of the logs', async () => {
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

  test('a notebook: its result is cut, and a cell with too much output fails the run', async () => {
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
  test('the refusal says when to try again, and leaves nothing behind', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1 });
    const jobId = idFrom(await create(single)(runyard), 'job_id');
    await submit(single)(runyard);
    const before = await runyard.rowCounts();
    const refused = await runyard.post('2.1/jobs/run-now', { job_id: jobId, idempotency_token: 'again' });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(await runyard.rowCounts()).toEqual(before);
  });

  test('spec 4.1.4: a refused request may be sent again until it succeeds, and starts one run', async () => {
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

  test('a token that was used before gives its run, full or not', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1, jobsCreatedPerHour: 1 });
    const ask = { ...single, idempotency_token: 'once' };
    const first = await submit(ask)(runyard);
    expect((await submit(ask)(runyard)).body).toEqual(first.body);
  });

  test('a run over max_concurrent_runs is skipped, not refused: it takes no room', async () => {
    const runyard = await withLimits({ concurrentTaskRuns: 1 });
    const jobId = idFrom(await create({ ...single, max_concurrent_runs: 1 })(runyard), 'job_id');
    await runyard.post('2.0/jobs/run-now', { job_id: jobId });
    expect((await runyard.post('2.0/jobs/run-now', { job_id: jobId })).body).toMatchObject({
      number_in_job: 2,
    });
  });

  test('many launches of different jobs at once stay within the limit', async () => {
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
  test('creations count for an hour, deleted jobs and deleted submissions among them', async () => {
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

  test('a deleted job makes room for another', async () => {
    const runyard = await withLimits({ savedJobs: 1 });
    const jobId = idFrom(await create(single)(runyard), 'job_id');
    expect((await create(single)(runyard)).status).toBe(400);
    await runyard.post('2.0/jobs/delete', { job_id: jobId });
    expect((await create(single)(runyard)).status).toBe(200);
  });

  test.each([
    ['savedJobs', 5],
    ['jobsCreatedPerHour', 5],
  ] as const)('many creations at once stay within %s', async (name, most) => {
    const runyard = await withLimits({ [name]: most });
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(single)(runyard)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
    expect((await runyard.rowCounts())[0]).toBe(most);
  });
});
