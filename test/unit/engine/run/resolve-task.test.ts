/** Task for its runner: merged parameters of job, task and run, and resolved references. */
import { describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { jobParametersOf } from '../../../../engine/run/job-parameters.ts';
import type { RunParameters } from '../../../../engine/run/parameters.ts';
import {
  resolveTask,
  runFactsOf,
  upstreamTaskRuns,
  type AttemptContext,
} from '../../../../engine/run/resolve-task.ts';
import type { Progress, Run, TaskRun } from '../../../../engine/run/run.ts';

const start = 1_770_000_000_000;
const site = { publicUrl: () => 'http://runyard.test', workspaceId: '17' };
const running: Progress = {
  state: 'RUNNING',
  startTime: start + 1_000,
  runningTime: start + 60_000,
  terminatingTime: undefined,
  message: '',
};
const skipped: Progress = {
  state: 'SKIPPED',
  startTime: undefined,
  runningTime: undefined,
  terminatingTime: undefined,
  endTime: start,
  message: '',
};
const failed: Progress = {
  ...running,
  state: 'TERMINATED',
  result: 'FAILED',
  terminatingTime: start + 61_000,
  endTime: start + 62_000,
};
const broken: Progress = { ...failed, state: 'INTERNAL_ERROR', result: undefined };

function moment(
  settings: JobSettings,
  given?: RunParameters,
  ended: readonly Progress[] = [],
): AttemptContext {
  const run: Run = {
    runId: 900,
    jobId: 41,
    numberInJob: 3,
    format: settings.tasks === undefined ? 'SINGLE_TASK' : 'MULTI_TASK',
    version: '2.1',
    name: 'nightly',
    type: 'JOB_RUN',
    trigger: 'ONE_TIME',
    creatorUserName: 'a',
    settings,
    overridingParameters: given,
    originalAttemptRunId: 900,
    attempt: 4,
    stopReason: undefined,
    owner: 'n',
    fence: 1,
    repair: undefined,
    admittedTime: undefined,
    launchedBy: undefined,
    timeoutRevision: 0,
    warned: false,
    progress: { ...running, startTime: start },
  };
  const tasks = settings.tasks ?? [{ ...settings, task_key: 'main' }];
  const runs = tasks.map((task, index): TaskRun => ({
    runId: 901 + index,
    jobRunId: 900,
    taskKey: task.task_key,
    attempt: 1,
    fence: 1,
    clusterId: undefined,
    sparkContextId: undefined,
    dueTime: undefined,
    stopReason: undefined,
    warned: false,
    progress: ended[index] ?? running,
  }));
  const [task, taskRun] = [tasks.at(-1), runs.at(-1)];
  if (task === undefined || taskRun === undefined) throw new Error('There is no task.');
  return { run, task, taskRun, latestAttempts: new Map(runs.map((one) => [one.taskKey, one])) };
}

const notebook = (base_parameters: Record<string, string>, ...depends: string[]) => ({
  task_key: 'last',
  notebook_task: { notebook_path: '/nb', base_parameters },
  depends_on: depends.map((task_key) => ({ task_key })),
});
const parameters = [
  { name: 'day', default: '{{job.start_time.iso_date}}' },
  { name: 'city', default: 'Zürich' },
];

describe('job parameters', () => {
  test.each<[string, Record<string, string>, RunParameters, Record<string, string>]>([
    ['reach notebooks as if they were their own', {}, {}, { day: '2026-02-02', city: 'Zürich' }],
    [
      'beat a parameter of the task',
      { city: 'Bern', x: '1' },
      {},
      { city: 'Zürich', x: '1', day: '2026-02-02' },
    ],
    [
      'have the value that the run gave',
      {},
      { job_parameters: { city: 'Basel' } },
      { city: 'Basel', day: '2026-02-02' },
    ],
    [
      'beat notebook_params by their default',
      { y: '1' },
      { notebook_params: { city: 'Genf', y: '2' } },
      { city: 'Zürich', y: '2', day: '2026-02-02' },
    ],
    [
      'beat notebook_params by the value of the run',
      {},
      { notebook_params: { city: 'Genf' }, job_parameters: { city: 'Basel' } },
      { city: 'Basel', day: '2026-02-02' },
    ],
    [
      'are there for references',
      { at: '{{job.parameters.day}} in {{job.parameters.city}}' },
      { job_parameters: { city: '{{job.id}}' } },
      { at: '2026-02-02 in 41', city: '41', day: '2026-02-02' },
    ],
  ])('%s', (_fact, base, given, result) => {
    const resolved = resolveTask(moment({ parameters, tasks: [notebook(base)] }, given), site, new Map());
    expect(resolved).toEqual({
      kind: 'notebook_task',
      body: { notebook_path: '/nb', base_parameters: result },
      parameters: { base_parameters: result },
    });
  });

  test('reach tasks other than notebooks only by reference', () => {
    const python = {
      task_key: 'a',
      spark_python_task: {
        python_file: 'managed_fs:/{{job.id}}.py',
        parameters: ['{{job.parameters.city}}'],
      },
    };
    expect(resolveTask(moment({ parameters, tasks: [python] }), site, new Map())).toMatchObject({
      body: { python_file: 'managed_fs:/{{job.id}}.py', parameters: ['Zürich'] },
    });
    const bare = { task_key: 'a', spark_python_task: { python_file: 'managed_fs:/x.py' } };
    expect(resolveTask(moment({ parameters, tasks: [bare] }), site, new Map())).toMatchObject({
      body: bare.spark_python_task,
      parameters: {},
    });
  });

  test('have a default and a value', () => {
    const { run } = moment(
      { parameters, tasks: [notebook({})] },
      { job_parameters: { city: 'x {{job.run_id}}' } },
    );
    expect(jobParametersOf(run, runFactsOf(run, site))).toEqual([
      { name: 'day', default: '{{job.start_time.iso_date}}', value: '2026-02-02' },
      { name: 'city', default: 'Zürich', value: 'x 900' },
    ]);
  });
});

describe('values of references', () => {
  const all = {
    t: '{{task.name}} {{task.run_id}} {{start_time}} {{task_retry_count}} {{task.execution_count}} {{task.notebook_path}} {{workspace.url}}',
  };

  test('a task has the values of its attempt, and the start of its execution as its time', () => {
    expect(resolveTask(moment({ tasks: [notebook(all)] }), site, new Map())).toMatchObject({
      body: { base_parameters: { t: `last 901 ${start + 60_000} 1 2 /nb http://runyard.test` } },
    });
  });

  test('a single-task run has the attempt number of the run', () => {
    const { task_key: _, ...single } = notebook(all);
    expect(resolveTask(moment(single), site, new Map())).toMatchObject({
      body: { base_parameters: { t: `main 901 ${start + 60_000} 4 5 /nb http://runyard.test` } },
    });
  });

  test('direct and indirect upstream tasks have their results', () => {
    const bare = (task_key: string, ...depends: string[]) => ({ ...notebook({}, ...depends), task_key });
    const settings = {
      tasks: [
        bare('a'),
        bare('b', 'a'),
        bare('c'),
        bare('d'),
        notebook(
          {
            x: '{{tasks.a.result_state}} {{tasks.b.result_state}} {{tasks.c.result_state}} {{tasks.a.values.v}}',
          },
          'b',
          'c',
        ),
      ],
    };
    const found = moment(settings, undefined, [failed, skipped, broken, running]);
    expect(
      upstreamTaskRuns(found)
        .map((one) => one.taskKey)
        .sort(),
    ).toEqual(['a', 'b', 'c']);
    expect(resolveTask(found, site, new Map([['a', { v: '"set"' }]]))).toMatchObject({
      body: { base_parameters: { x: 'failed skipped failed set' } },
    });
    expect(resolveTask(found, site, new Map())).toEqual({
      error:
        'notebook_task.base_parameters.x: {{tasks.a.values.v}} has no value: task a has not set "v"; no values were set.',
    });
  });
});

test('a task of an unknown kind has an error', () => {
  expect(resolveTask(moment({ tasks: [{ task_key: 'x' }] }), site, new Map())).toEqual({
    error: 'This task has no kind that Runyard knows.',
  });
});

test('the stored task is unchanged', () => {
  const found = moment(
    { parameters, tasks: [notebook({ a: '{{job.id}}' })] },
    { notebook_params: { b: '{{run_id}}' } },
  );
  const before = structuredClone(found.run);
  resolveTask(found, site, new Map());
  expect(found.run).toEqual(before);
});
