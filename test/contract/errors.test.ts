/** Conditions of the error table with status, code and message (spec 7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../engine/limits.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { addUser } from '../harness/users.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { newCluster, errorResponse } from './field-rows.ts';

let runyard: TestService;
/** Job whose runs are skipped. */
let job: number;
beforeAll(async () => {
  runyard = await startTestService({ limits: { ...defaultLimits, concurrentTaskRuns: 3 } });
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
  await runyard.putFile('/ok.py', 'print("ok")\n');
  job = (
    await runyard.callOk('POST', '2.0/jobs/create', {
      max_concurrent_runs: 0,
      tasks: [
        { task_key: 'n', ...on, notebook_task: { notebook_path: '/nb' } },
        { task_key: 'p', ...on, ...python('ok.py') },
        { task_key: 's', new_cluster: newCluster, spark_submit_task: {} },
      ],
    })
  ).job_id;
});
afterAll(() => runyard.stop());

const on = { existing_cluster_id: 'c' };
const python = (file: string) => ({ spark_python_task: { python_file: `managed_fs:/${file}` } });
const call = (method: 'GET' | 'POST', path: string, input: object) =>
  runyard.call(method, `2.0/jobs/${path}`, input);
const submit = async (body: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/runs/submit', { ...on, ...body })).run_id;
const over = async (body: object): Promise<number> =>
  (await runyard.waitForRunEnd(await submit(body))).run_id;
const cancel = async (run_id: number): Promise<ResponseBody> => {
  await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id });
  return runyard.waitForRunEnd(run_id);
};
const create = (settings: object) => call('POST', 'create', { ...on, ...python('ok.py'), ...settings });
const runNow = (given: object) => call('POST', 'run-now', { job_id: job, ...given });

test.each([
  ['POST', 'runs/cancel'],
  ['GET', 'runs/get-output'],
] as const)('spec 7 invalid run_id in %s %s returns 400', async (method, path) => {
  expect(await call(method, path, { run_id: 999_999 })).toEqual(errorResponse('Run 999999 does not exist.'));
  expect(await call(method, path, { run_id: 'first' })).toEqual(
    errorResponse('Could not parse request object: Expected integer for field run_id, found STRING "first"'),
  );
});

test('spec 7 invalid job_id in runs/cancel-all returns 400', async () => {
  expect(await call('POST', 'runs/cancel-all', { job_id: 999_999 })).toEqual(
    errorResponse('Job 999999 does not exist.'),
  );
  expect(await call('POST', 'runs/cancel-all', { job_id: 'first' })).toEqual(
    errorResponse('Could not parse request object: Expected integer for field job_id, found STRING "first"'),
  );
});

test('spec 7 a launch above the limit of active task runs returns 429 with Retry-After', async () => {
  const runs = [
    await submit(python('wait.py')),
    await submit(python('wait.py')),
    await submit(python('wait.py')),
  ];
  const response = await fetch(`${runyard.url}/api/2.0/jobs/runs/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${runyard.token}` },
    body: JSON.stringify({ ...on, ...python('ok.py') }),
  });
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await response.json()).toEqual({
    error_code: 'REQUEST_LIMIT_EXCEEDED',
    message: expect.stringContaining('There are already 3 active runs (limit: 3)'),
  });
  await Promise.all(runs.map(cancel));
});

describe('spec 7 non-ASCII characters', () => {
  const rule = 'only ASCII characters are allowed.';

  test.each<[string, () => Promise<ResponseBody>, string]>([
    [
      'e-mail lists',
      () => create({ email_notifications: { on_success: ['jürgen@x'] } }),
      `email_notifications.on_success[0] is "jürgen@x"; ${rule}`,
    ],
    [
      'ParamPair of a notebook task',
      () =>
        create({
          spark_python_task: undefined,
          notebook_task: { notebook_path: '/nb', base_parameters: { a: 'ü' } },
        }),
      `notebook_task.base_parameters.a is "ü"; ${rule}`,
    ],
    [
      'ParamPair of run-now',
      () => runNow({ notebook_params: { a: 'ü' } }),
      `notebook_params.a is "ü"; ${rule}`,
    ],
    ['python_params', () => runNow({ python_params: ['ü'] }), `python_params[0] is "ü"; ${rule}`],
    [
      'spark_submit_params',
      () => runNow({ spark_submit_params: ['ü'] }),
      `spark_submit_params[0] is "ü"; ${rule}`,
    ],
    [
      'variables of job clusters',
      () =>
        create({
          existing_cluster_id: undefined,
          new_cluster: { ...newCluster, spark_env_vars: { A: 'ü' } },
        }),
      `new_cluster.spark_env_vars.A is "ü"; ${rule}`,
    ],
  ])('spec 7 non-ASCII characters in %s', async (_where, ask, message) => {
    expect(await ask()).toEqual(errorResponse(message));
  });
});

test('spec 7 an idempotency token of a deleted run is refused', async () => {
  const ask = { ...python('ok.py'), idempotency_token: 'once' };
  await runyard.callOk('POST', '2.0/jobs/runs/delete', { run_id: await over(ask) });
  expect(await call('POST', 'runs/submit', { ...on, ...ask })).toEqual(
    errorResponse(
      'The run started with idempotency_token "once" has been deleted. Use a new token to run the job again.',
    ),
  );
});

test('spec 7 delete of an active run is refused', async () => {
  const run_id = await submit(python('wait.py'));
  expect(await call('POST', 'runs/delete', { run_id })).toEqual({
    status: 400,
    body: {
      error_code: 'INVALID_STATE',
      message: `Run ${run_id} is still active. Cancel it before deleting it.`,
    },
  });
  await cancel(run_id);
  expect(await call('POST', 'runs/delete', { run_id })).toEqual({ status: 200, body: {} });
});

test('spec 7 get-output of a multi-task run is refused', async () => {
  const run_id = await over({
    existing_cluster_id: undefined,
    tasks: [{ task_key: 'a', ...on, ...python('ok.py') }],
  });
  expect(await call('GET', 'runs/get-output', { run_id })).toEqual(
    errorResponse(
      'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
    ),
  );
});

test('spec 7 export of a run without a notebook is refused', async () => {
  const run_id = await over(python('ok.py'));
  expect(await call('GET', 'runs/export', { run_id })).toEqual(
    errorResponse(`Run ${run_id} is not a notebook run; only notebook runs can be exported as HTML.`),
  );
});

test('spec 7 a token without the required scope is refused with the name of the scope', async () => {
  const token = await addUser(runyard.database.db, 'scoped@x', { scopes: ['workspace'] });
  const send = (path: string) =>
    fetch(`${runyard.url}/api/2.0/${path}`, { headers: { authorization: `Bearer ${token}` } });
  const response = await send('jobs/list');
  expect([response.status, await response.json()]).toEqual([
    403,
    { error_code: 'PERMISSION_DENIED', message: 'Provided access token does not have required scopes: jobs' },
  ]);
  expect((await send('workspace/list?path=/')).status).toBe(200);
});

test('spec 7 a notebook cell with more than 8 MB of output fails the run before the next cell', async () => {
  await runyard.putNotebook('/loud', [
    '_ = __import__("sys").stdout.write("x" * (8 * 2**20 + 1))',
    'dbutils.notebook.exit("reached")',
  ]);
  const run_id = await over({ notebook_task: { notebook_path: '/loud' } });
  const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
  expect(output).toMatchObject({
    metadata: { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } },
    error: expect.stringContaining('8 MB'),
  });
  expect(output).not.toHaveProperty('notebook_output');
});

test('spec 7 every error response is JSON with error_code and message', async () => {
  for (const [path, init, status] of [
    ['/api/2.0/jobs/none', {}, 404],
    ['/api/2.0/jobs/create', { method: 'POST', body: '{' }, 400],
    ['/api/2.0/jobs/list', { headers: {} }, 401],
  ] as const) {
    const response = await fetch(`${runyard.url}${path}`, {
      headers: { authorization: `Bearer ${runyard.token}` },
      ...init,
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      error_code: expect.stringMatching(/^[A-Z_]+$/),
      message: expect.stringMatching(/\S/),
    });
  }
});
