/**
 * Limits with their production values: a value at the limit is accepted, a larger one is refused (spec 8).
 * Limits that are too large for a test are lowered in test/e2e/api/limits.test.ts; limits of
 * tokens are in tokens.test.ts of that folder.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { addDestinations, knownDestinations } from '../harness/destinations.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  assertFieldRow,
  jobLocation,
  newCluster,
  withoutTaskKind,
  pythonTask,
  errorResponse,
  repeat,
  type FieldRow,
} from './field-rows.ts';

let runyard: TestService;
let jobId: number;
beforeAll(async () => {
  runyard = await startTestService();
  await addDestinations(runyard.database.db);
  jobId = (
    await runyard.callOk('POST', '2.0/jobs/create', {
      existing_cluster_id: 'c',
      max_concurrent_runs: 0,
      notebook_task: { notebook_path: '/nb' },
    })
  ).job_id;
});
afterAll(() => runyard.stop());

const MB = 2 ** 20;
const task = (index: number) => ({ task_key: `t${index}`, existing_cluster_id: 'c', ...pythonTask });
const tasks = (count: number) => ({
  existing_cluster_id: undefined,
  ...withoutTaskKind,
  tasks: repeat(count, task),
});
const clusters = (count: number) => ({
  ...tasks(1),
  job_clusters: repeat(count, (index) => ({ job_cluster_key: `k${index}`, new_cluster: newCluster })),
});
const webhooks = (count: number) => ({
  webhook_notifications: { on_start: knownDestinations.slice(0, count).map((id) => ({ id })) },
});
const disk = (boot_disk_size: number) => ({
  existing_cluster_id: undefined,
  new_cluster: { ...newCluster, cloud_attributes: { boot_disk_size } },
});

const settings: readonly FieldRow[] = [
  {
    field: 'tasks of a job: 100',
    accepts: [tasks(100)],
    rejects: [[tasks(101), 'tasks has 101 entries; at most 100 are allowed.']],
  },
  {
    field: 'shared job clusters of a job: 100',
    accepts: [clusters(100)],
    rejects: [[clusters(101), 'job_clusters has 101 entries; at most 100 are allowed.']],
  },
  {
    field: 'max_concurrent_runs: 1000',
    accepts: [{ max_concurrent_runs: 1_000 }],
    rejects: [
      [{ max_concurrent_runs: 1_001 }, 'max_concurrent_runs is 1001; it must be between 0 and 1000.'],
    ],
  },
  {
    field: 'webhook destinations of a list: 3',
    accepts: [webhooks(3)],
    rejects: [[webhooks(4), 'webhook_notifications.on_start has 4 entries; at most 3 are allowed.']],
  },
  {
    field: 'boot_disk_size: 100 to 4096',
    accepts: [disk(100), disk(4_096)],
    rejects: [
      [disk(99), 'new_cluster.cloud_attributes.boot_disk_size is 99; it must be between 100 and 4096.'],
      [disk(4_097), 'new_cluster.cloud_attributes.boot_disk_size is 4097; it must be between 100 and 4096.'],
    ],
  },
];

test.each(settings)('spec 8 $field', (row) => assertFieldRow(runyard, row, jobLocation));

test('spec 8 max_concurrent_runs is 1 by default', async () => {
  const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
    existing_cluster_id: 'c',
    ...pythonTask,
  });
  expect((await runyard.callOk('GET', '2.1/jobs/get', { job_id })).settings.max_concurrent_runs).toBe(1);
});

test('spec 8 request size is at most 10 MB', async () => {
  // Whitespace around the JSON counts.
  const send = async (bytes: number) => {
    const response = await fetch(`${runyard.url}/api/2.0/jobs/delete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${runyard.token}` },
      body: '{"job_id":999999}'.padEnd(bytes),
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await send(10 * MB)).toEqual({ status: 200, body: {} });
  expect(await send(10 * MB + 1)).toEqual({
    status: 413,
    body: { error_code: 'REQUEST_TOO_LARGE', message: 'Size of the request body exceeds 10485760 bytes' },
  });
});

const runNow = (given: object) => runyard.call('POST', '2.0/jobs/run-now', { job_id: jobId, ...given });
const submit = (given: object) =>
  runyard.call('POST', '2.0/jobs/runs/submit', {
    existing_cluster_id: 'c',
    spark_python_task: { python_file: 'managed_fs:/gone.py' },
    ...given,
  });

test.each<[string, () => Promise<ResponseBody>, () => Promise<ResponseBody>, string]>([
  [
    'JSON size of parameters: 10,000 bytes',
    () => runNow({ notebook_params: { a: 'x'.repeat(9_992) } }),
    () => runNow({ notebook_params: { a: 'x'.repeat(9_993) } }),
    'notebook_params is 10001 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'idempotency_token of run-now: 64 characters',
    () => runNow({ idempotency_token: 'ü'.repeat(64) }),
    () => runNow({ idempotency_token: 'ü'.repeat(65) }),
    'idempotency_token has 65 characters; at most 64 are allowed.',
  ],
  [
    'idempotency_token of submit: 64 characters',
    () => submit({ idempotency_token: 'x'.repeat(64) }),
    () => submit({ idempotency_token: 'x'.repeat(65) }),
    'idempotency_token has 65 characters; at most 64 are allowed.',
  ],
  [
    'run_name: 4096 bytes of UTF-8',
    () => submit({ run_name: 'ü'.repeat(2_048) }),
    () => submit({ run_name: 'ü'.repeat(2_049) }),
    'run_name is 4098 bytes of UTF-8; at most 4096 are allowed.',
  ],
  [
    'runs list limit: less than 1000',
    () => runyard.call('GET', '2.0/jobs/runs/list', { limit: 999 }),
    () => runyard.call('GET', '2.0/jobs/runs/list', { limit: 1_000 }),
    'Invalid limit 1000 - it has to be no more than 999.',
  ],
  [
    'runs list limit: at least 0, and 0 means the maximum',
    () => runyard.call('GET', '2.0/jobs/runs/list', { limit: 0 }),
    () => runyard.call('GET', '2.0/jobs/runs/list', { limit: -1 }),
    'limit is -1; it must be at least 0.',
  ],
])('spec 8 %s', async (_limit, fits, exceeds, message) => {
  expect(await fits()).toMatchObject({ status: 200 });
  expect(await exceeds()).toEqual(errorResponse(message));
});

test('spec 8 runs list limit is 20 by default', async () => {
  for (const _ of repeat(22, () => 0)) await runNow({});
  expect((await runyard.callOk('GET', '2.0/jobs/runs/list', { job_id: jobId })).runs).toHaveLength(20);
});

describe('size of run output', () => {
  async function outputOf(body: object): Promise<ResponseBody> {
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      ...body,
    });
    await runyard.waitForRunEnd(run_id);
    return runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
  }

  test.each([
    [5 * MB, false],
    [5 * MB + 1, true],
  ])('spec 8 get-output returns the first 5 MB of %d bytes of logs', async (bytes, cut) => {
    await runyard.putFile('/loud.py', `print("a" + "x" * (${bytes} - 2) + "z", end="")\n`);
    const { logs, logs_truncated } = await outputOf({
      spark_python_task: { python_file: 'managed_fs:/loud.py' },
    });
    expect([logs.length, logs[0], logs.at(-1), logs_truncated]).toEqual([5 * MB, 'a', cut ? 'x' : 'z', cut]);
  });

  test.each([
    [MB, false],
    [MB + 1, true],
  ])('spec 8 notebook result of %d bytes is cut to the first 1 MB', async (bytes, truncated) => {
    await runyard.putNotebook('/result', [`dbutils.notebook.exit("x" * ${bytes})`]);
    const { notebook_output } = await outputOf({ notebook_task: { notebook_path: '/result' } });
    expect([notebook_output.result.length, notebook_output.truncated]).toEqual([MB, truncated]);
  });

  test('spec 7, 8 notebook cell output of 8 MB is kept, one more byte fails the run', async () => {
    const cells = (bytes: number) => [
      `import sys\n_ = sys.stdout.write("x" * ${bytes})`,
      'dbutils.notebook.exit("reached")',
    ];
    await runyard.putNotebook('/fits', cells(8 * MB));
    await runyard.putNotebook('/over', cells(8 * MB + 1));
    expect((await outputOf({ notebook_task: { notebook_path: '/fits' } })).notebook_output).toEqual({
      result: 'reached',
      truncated: false,
    });
    const over = await outputOf({ notebook_task: { notebook_path: '/over' } });
    expect(over.metadata.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(over.error).toMatch(/8 MB/);
    expect(over).not.toHaveProperty('notebook_output');
  });
});
