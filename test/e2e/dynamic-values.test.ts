/** Dynamic value references and task values of upstream tasks, through HTTP. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  registerService,
  runyard,
  on,
  after,
  notebook,
  python,
  ran,
  taskOf,
  outputOf,
  widgetsOf,
  argumentsOf,
} from './dynamic-values-harness.ts';

registerService();

describe('two notebooks and a Python program that pass values', () => {
  test('each task gets the values of its upstream tasks, by name and by reference', async () => {
    const parameters = [
      '{{tasks.sum.values.doubled}}',
      '{{tasks.load.values.city}}: {{tasks.load.values.parts}}',
      '{{tasks.load.run_id}} {{tasks.sum.result_state}}',
    ];
    const run = await ran({
      name: 'chain',
      tasks: [
        notebook('load', '/load'),
        notebook('sum', '/sum', {}, after('load')),
        python('print', parameters, after('sum')),
      ],
    });
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
    expect((await outputOf(run, 'sum')).notebook_output.result).toBe('Zürich');
    expect(await argumentsOf(run, 'print')).toEqual([
      '24',
      'Zürich: ["a", 1.0]',
      `${taskOf(run, 'load').run_id} success`,
    ]);
    // The run shows the references as written; include_resolved_values shows the values.
    expect(taskOf(run, 'print').spark_python_task.parameters).toEqual(parameters);
    const asked = await runyard.callOk('GET', '2.1/jobs/runs/get', {
      run_id: run.run_id,
      include_resolved_values: true,
    });
    expect(taskOf(asked, 'print').resolved_values).toEqual({
      spark_python_task: { parameters: await argumentsOf(run, 'print') },
    });
    expect(taskOf(run, 'print')).not.toHaveProperty('resolved_values');
  });

  test('a value that equals a secret of the cluster reaches the task and is masked in every answer', async () => {
    const cluster = {
      existing_cluster_id: undefined,
      new_cluster: {
        num_workers: 0,
        spark_version: 'v',
        node_type_id: 's',
        spark_env_vars: { API_TOKEN: '["a", 1.0]' },
      },
    };
    const run = await ran({
      tasks: [
        notebook('load', '/load'),
        python('print', ['in {{tasks.load.values.parts}}'], { ...after('load'), ...cluster }),
      ],
    });
    const asked = await runyard.callOk('GET', '2.1/jobs/runs/get', {
      run_id: run.run_id,
      include_resolved_values: true,
    });
    expect(taskOf(asked, 'print').resolved_values).toEqual({ spark_python_task: { parameters: ['in ***'] } });
  });

  test('a reference to a value that was never set fails the task with an explanation', async () => {
    const run = await ran({
      tasks: [
        notebook('load', '/load'),
        python('print', ['{{tasks.load.values.raws}}'], after('load')),
        python('last', [], after('print')),
      ],
    });
    const message =
      'spark_python_task.parameters[0]: {{tasks.load.values.raws}} has no value: task load has not set "raws"; it has set rows, city, parts. Correct the reference, or set the value in the task that it names, and repair the run.';
    expect(taskOf(run, 'print').state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'FAILED',
      state_message: message,
    });
    expect(taskOf(run, 'last').state).toMatchObject({ life_cycle_state: 'SKIPPED' });
    expect(run.state).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'FAILED',
      state_message: expect.stringContaining(`Task print failed with message: ${message}`),
    });
    expect(await outputOf(run, 'print')).toMatchObject({ error: expect.stringContaining('has no value') });
    const asked = await runyard.callOk('GET', '2.1/jobs/runs/get', {
      run_id: run.run_id,
      include_resolved_values: true,
    });
    expect(asked.tasks.map((one: ResponseBody) => one.resolved_values)).toEqual([
      { notebook_task: { base_parameters: {} } },
      undefined,
      undefined,
    ]);
  });

  test('a value that a notebook set before it failed reaches a downstream task with run_if ALL_DONE', async () => {
    await runyard.putNotebook('/fails', ['dbutils.jobs.taskValues.set("done", 3)', '1 / 0']);
    const run = await ran({
      tasks: [
        notebook('fails', '/fails'),
        python('report', ['{{tasks.fails.result_state}} after {{tasks.fails.values.done}}'], {
          ...after('fails'),
          run_if: 'ALL_DONE',
        }),
      ],
    });
    expect(await argumentsOf(run, 'report')).toEqual(['failed after 3']);
  });
});

test('every reference to facts about the run resolves', async () => {
  const names = [
    'job.id',
    'job_id',
    'job.name',
    'job.run_id',
    'parent_run_id',
    'task.run_id',
    'run_id',
    'task.name',
    'task_key',
    'job.trigger.type',
    'job.repair_count',
    'task_retry_count',
    'task.execution_count',
    'workspace.id',
    'workspace.url',
    'task.notebook_path',
    'job.start_time.timestamp_ms',
    'start_date',
    'start_time',
  ];
  const run = await ran({
    name: 'self',
    tasks: [notebook('a', '/widgets', Object.fromEntries(names.map((name) => [name, `{{${name}}}`])))],
  });
  const { run_id, start_time } = taskOf(run, 'a');
  const given = await widgetsOf(run, 'a');
  expect(given).toEqual({
    'job.id': String(run.job_id),
    job_id: String(run.job_id),
    'job.name': 'self',
    'job.run_id': String(run.run_id),
    parent_run_id: String(run.run_id),
    'task.run_id': String(run_id),
    run_id: String(run_id),
    'task.name': 'a',
    task_key: 'a',
    'job.trigger.type': 'onetime',
    'job.repair_count': '0',
    task_retry_count: '0',
    'task.execution_count': '1',
    'workspace.id': '1',
    'workspace.url': runyard.url,
    'task.notebook_path': '/widgets',
    'job.start_time.timestamp_ms': String(run.start_time),
    start_date: new Date(start_time).toISOString().slice(0, 10),
    start_time: expect.any(String),
  });
  expect(Number(given.start_time)).toBeGreaterThanOrEqual(start_time);
});

test('references work in a single-task job of version 2.0', async () => {
  const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
    name: 'one',
    ...on,
    spark_python_task: {
      python_file: 'managed_fs:/args.py',
      parameters: ['{{run_id}} {{job.run_id}} {{task_key}}'],
    },
  });
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/run-now', { job_id });
  await runyard.waitForRunEnd(run_id);
  expect(JSON.parse((await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id })).logs)).toEqual([
    `${run_id} ${run_id} main`,
  ]);
});

test.each([
  [
    '2.1/jobs/create',
    { tasks: [python('a', ['{{job.naem}}'])] },
    'tasks[0].spark_python_task.parameters[0] refers to {{job.naem}}; no such value exists; known values are job.id',
  ],
  [
    '2.0/jobs/runs/submit',
    { ...on, notebook_task: { notebook_path: '/x', base_parameters: { a: '{{tasks.b.values.c}}' } } },
    'notebook_task.base_parameters.a refers to {{tasks.b.values.c}}; no task has the key "b".',
  ],
  [
    '2.2/jobs/create',
    {
      parameters: [
        { name: 'a', default: '' },
        { name: 'a', default: '' },
      ],
      tasks: [python('a', [])],
    },
    'parameters[1].name is "a", the same as in parameters[0]; each must be unique.',
  ],
  [
    '2.1/jobs/runs/submit',
    { parameters: 'x', tasks: [python('a', [])] },
    'Could not parse request object: Expected array for field parameters, found STRING',
  ],
])('%s refuses what can never have a value: %j', async (path, body, message) => {
  expect(await runyard.call('POST', path, body)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(message) },
  });
});
