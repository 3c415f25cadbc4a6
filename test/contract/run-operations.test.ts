/**
 * Operations on one run: get, export, cancel, get-output, delete (spec 4.1, rules 7 to 11).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { eventually } from '../harness/eventually.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { errorResponse, pythonTask } from './field-rows.ts';

let runyard: TestService;
/** Terminated runs of a notebook, of a Python program and of several tasks. */
let notebook: number;
let python: number;
let several: ResponseBody;
/** A run that waits until it is cancelled. */
let active: number;

const on = { existing_cluster_id: 'c' };
const program = (file: string) => ({ ...on, spark_python_task: { python_file: `managed_fs:/${file}` } });
const call = (method: 'GET' | 'POST', path: string, input: object) =>
  runyard.call(method, `2.0/jobs/${path}`, input);
const get = (path: string, run_id: number): Promise<ResponseBody> =>
  runyard.callOk('GET', `2.0/jobs/runs/${path}`, { run_id });
const submit = async (body: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/runs/submit', body)).run_id;
const over = async (body: object): Promise<number> =>
  (await runyard.waitForRunEnd(await submit(body))).run_id;
const parent =
  'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.';

beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/wait.py', 'import time\nprint("so far", flush=True)\ntime.sleep(600)\n');
  await runyard.putNotebook('/nb', ['print("no exit")']);
  await runyard.putNotebook('/exit', ['dbutils.notebook.exit("42")']);
  await runyard.putNotebook('/fail', ['1 / 0']);
  active = await submit(program('wait.py'));
  [notebook, python] = await Promise.all([
    over({ ...on, notebook_task: { notebook_path: '/nb' } }),
    over(program('ok.py')),
  ]);
  const tasks = [
    { task_key: 'p', ...program('ok.py') },
    { task_key: 'n', ...on, depends_on: [{ task_key: 'p' }], notebook_task: { notebook_path: '/exit' } },
  ];
  several = await get('get', await over({ tasks }));
});
afterAll(async () => {
  await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: active });
  await runyard.waitForRunEnd(active);
  await runyard.stop();
});

test('spec 4.1.7: a multi-task run contains its tasks, and runs/get accepts the run_id of each task', async () => {
  expect(several.tasks.map((task: ResponseBody) => task.task_key)).toEqual(['p', 'n']);
  expect(new Set([several.run_id, ...several.tasks.map((task: ResponseBody) => task.run_id)]).size).toBe(3);
  for (const task of several.tasks)
    expect(await get('get', task.run_id)).toMatchObject({
      run_id: task.run_id,
      task_key: task.task_key,
      parent_run_id: several.run_id,
      state: task.state,
    });
});

describe('spec 4.1.8: runs/export', () => {
  test('spec 4.1.8: a notebook run and a notebook task run are exported as HTML', async () => {
    for (const run_id of [notebook, several.tasks[1].run_id]) {
      expect(await get('export', run_id)).toEqual({
        views: [
          { type: 'NOTEBOOK', name: expect.any(String), content: expect.stringMatching(/^<!doctype html>/i) },
        ],
      });
    }
  });

  test('spec 4.1.8: a run of another kind is refused', async () => {
    for (const run_id of [python, several.tasks[0].run_id]) {
      expect(await call('GET', 'runs/export', { run_id })).toEqual(
        errorResponse(`Run ${run_id} is not a notebook run; only notebook runs can be exported as HTML.`),
      );
    }
  });
});

describe('spec 4.1.9: an invalid id returns 400', () => {
  const words = (field: string, name: string): readonly (readonly [unknown, string])[] => [
    [999_999, `${name} 999999 does not exist.`],
    [0, `${name} 0 does not exist.`],
    [-1, `${field} is -1; it must be at least 0.`],
    ['x', `Could not parse request object: Expected integer for field ${field}, found STRING "x"`],
    ['', `Could not parse request object: Expected integer for field ${field}, found STRING ""`],
  ];

  test.each([
    ['POST', 'runs/cancel', 'run_id', 'Run'],
    ['POST', 'runs/cancel-all', 'job_id', 'Job'],
    ['GET', 'runs/get-output', 'run_id', 'Run'],
  ] as const)('spec 4.1.9: %s %s', async (method, path, field, name) => {
    for (const [value, message] of words(field, name))
      expect(await call(method, path, { [field]: value })).toEqual(errorResponse(message));
    expect(await call(method, path, {})).toEqual(errorResponse(`Missing required field: ${field}.`));
  });
});

describe('spec 4.1.10: get-output', () => {
  test('spec 4.1.10: a notebook without exit has an empty output, a notebook with exit has its result', async () => {
    expect(await get('get-output', notebook)).toEqual({
      metadata: expect.objectContaining({ run_id: notebook }),
      notebook_output: {},
    });
    expect(await get('get-output', several.tasks[1].run_id)).toMatchObject({
      notebook_output: { result: '42', truncated: false },
      metadata: { task_key: 'n' },
    });
  });

  test('spec 4.1.10: a multi-task run is refused, even with a single task', async () => {
    expect(await call('GET', 'runs/get-output', { run_id: several.run_id })).toEqual(errorResponse(parent));
    const run_id = await over({ tasks: [{ task_key: 'only', ...program('ok.py') }] });
    expect(await call('GET', 'runs/get-output', { run_id })).toEqual(errorResponse(parent));
  });

  test('spec 4.1.10: error contains the reason for a missing output', async () => {
    const failed = await over({ ...on, notebook_task: { notebook_path: '/fail' } });
    const output = await get('get-output', failed);
    expect(output).toMatchObject({
      error: 'ZeroDivisionError: division by zero',
      error_trace: expect.stringContaining('Traceback'),
    });
    expect(output).not.toHaveProperty('notebook_output');
    const gone = await over({ ...on, notebook_task: { notebook_path: '/gone' } });
    expect((await get('get-output', gone)).error).toMatch(/\/gone was not found/);
  });

  test('spec 4.1.10: an active run has its output so far', async () => {
    const output = await eventually(() => get('get-output', active), {
      until: ({ logs }) => logs === 'so far\n',
    });
    expect(output).toMatchObject({ metadata: { run_id: active, end_time: 0 } });
    expect(output).not.toHaveProperty('error');
  });
});

describe('spec 4.1.11: runs/delete', () => {
  test('spec 4.1.11: a terminated run is deleted', async () => {
    const run_id = await over(program('ok.py'));
    expect(await call('POST', 'runs/delete', { run_id })).toEqual({ status: 200, body: {} });
    for (const path of ['get', 'get-output'])
      expect(await call('GET', `runs/${path}`, { run_id })).toEqual(
        errorResponse(`Run ${run_id} does not exist.`),
      );
  });

  test('spec 4.1.11: delete of an active run is refused, and the run continues', async () => {
    expect(await call('POST', 'runs/delete', { run_id: active })).toEqual({
      status: 400,
      body: {
        error_code: 'INVALID_STATE',
        message: `Run ${active} is still active. Cancel it before deleting it.`,
      },
    });
    expect((await get('get', active)).end_time).toBe(0);
  });
});

test('spec 2.5 run_name has at most 4096 bytes of UTF-8', async () => {
  const submitNamed = (run_name: string) =>
    runyard.call('POST', '2.0/jobs/runs/submit', { run_name, existing_cluster_id: 'c', ...pythonTask });
  const {
    body: { run_id },
  } = await submitNamed('ü'.repeat(2_048));
  expect((await runyard.waitForRunEnd(run_id)).run_name).toBe('ü'.repeat(2_048));
  expect(await submitNamed(`${'ü'.repeat(2_048)}x`)).toEqual({
    status: 400,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'run_name is 4097 bytes of UTF-8; at most 4096 are allowed.',
    },
  });
});
