/** Limits of request fields (spec 8): values at the limit are accepted, values above it are refused. */
import { afterEach, describe, expect, test } from 'vitest';
import { defaultLimits, type LimitName, type Limits } from '../../../engine/limits.ts';
import { addDestinations } from '../../harness/destinations.ts';
import { startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';
import {
  type Ask,
  create,
  disk,
  jar,
  runNow,
  shared,
  single,
  submit,
  task,
  telling,
} from './limit-requests.ts';

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

/** Limit, its lowered value, a request at the limit, a request above it, and the expected error. */
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
      message: /^There are already 2 active runs \(limit: 3\)\. This run would add 2/,
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
      message: /^There are already 1 active runs \(limit: 1\)/,
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

describe('spec 8: a value at its limit is accepted, a value above it is refused', () => {
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

  test('the defaults equal the limits of the specification', () => {
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
