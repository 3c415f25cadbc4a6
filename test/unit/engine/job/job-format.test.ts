/** Conversion between single-task and multi-task settings. */
import { expect, test } from 'vitest';
import {
  toMultiTask,
  formatOf,
  toJobSettings,
  tasksOf,
  withoutTasks,
  withTaskKey,
} from '../../../../engine/job/job-format.ts';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { taskBodies, multiTaskJob, newCluster, singleTaskJob, sampleTask } from './sample-settings.ts';

const own = {
  new_cluster: newCluster,
  notebook_task: taskBodies.notebook_task,
  libraries: [{ jar: 'managed_fs:/a.jar' }],
  timeout_seconds: 60,
  max_retries: 2,
  min_retry_interval_millis: 1000,
  retry_on_timeout: true,
};
const job: JobSettings = {
  name: 'n',
  email_notifications: { on_start: ['a@x'] },
  max_concurrent_runs: 3,
  ...own,
};

test('spec 3.3: tasks makes the format MULTI_TASK', () => {
  expect(formatOf(singleTaskJob)).toBe('SINGLE_TASK');
  expect(formatOf(multiTaskJob())).toBe('MULTI_TASK');
});

test('a single-task job has one task, keyed main, with its cluster, libraries, timeout and retries', () => {
  expect(tasksOf(job)).toEqual([{ task_key: 'main', ...own }]);
  expect(tasksOf({ name: 'n', pipeline_task: taskBodies.pipeline_task })).toEqual([
    { task_key: 'main', pipeline_task: taskBodies.pipeline_task },
  ]);
});

test('tasksOf a multi-task job returns its tasks', () => {
  expect(tasksOf(multiTaskJob())).toEqual([sampleTask('a'), sampleTask('b', 'a')]);
});

test('spec 9.2: a single-task job in multi-task format keeps only job fields at the top', () => {
  expect(toMultiTask(job)).toEqual({
    name: 'n',
    email_notifications: { on_start: ['a@x'] },
    max_concurrent_runs: 3,
    format: 'MULTI_TASK',
    tasks: [{ task_key: 'main', ...own }],
  });
  expect(job).toMatchObject(own);
});

test('spec 9.4: withoutTasks removes only tasks', () => {
  expect(withoutTasks(multiTaskJob({ job_clusters: [] }))).toEqual({ name: 'graph', job_clusters: [] });
});

test('in 2.0 a single-task submission stays single-task, without its idempotency token', () => {
  expect(toJobSettings({ ...own, idempotency_token: 't' }, '2.0')).toEqual({
    ...own,
    name: 'Untitled',
    format: 'SINGLE_TASK',
  });
});

test('in 2.1 a single-task submission becomes one task, and the timeout stays that of the run', () => {
  const { timeout_seconds, ...rest } = own;
  expect(toJobSettings({ ...own, run_name: 'Load sales' }, '2.1')).toEqual({
    name: 'Load sales',
    format: 'MULTI_TASK',
    timeout_seconds,
    tasks: [{ task_key: 'Load_sales', ...rest }],
  });
});

test.each([
  ['nightly-load_1', 'nightly-load_1'],
  [' daily: load & clean ', 'daily_load_clean'],
  ['x'.repeat(150), 'x'.repeat(100)],
  ['日本', 'main'],
  ['', 'main'],
  [undefined, 'main'],
])('a submission named %j becomes a task with the key %j', (run_name, key) => {
  const submission = run_name === undefined ? own : { ...own, run_name };
  expect(tasksOf(toJobSettings(submission, '2.2')).map((only) => only.task_key)).toEqual([key]);
});

const bare = { existing_cluster_id: 'c' };
test.each([
  ['the only task without a key', { tasks: [bare] }, { tasks: [{ ...bare, task_key: 'main' }] }],
  [
    'the only task of a named run',
    { run_name: 'Load it', tasks: [{ ...bare, task_key: '' }] },
    { run_name: 'Load it', tasks: [{ ...bare, task_key: 'Load_it' }] },
  ],
  ['a task with a key', { tasks: [{ task_key: 'a' }] }, undefined],
  ['several tasks', { tasks: [bare, bare] }, undefined],
  ['no list', { tasks: 'a' }, undefined],
  ['no task', { tasks: [7] }, undefined],
  ['a single-task body', bare, undefined],
])('a submission with %s gets the key that it lacks', (_, submission, completed) => {
  expect(withTaskKey(submission)).toEqual(completed ?? submission);
});

test('a multi-task submission keeps its tasks in every version', () => {
  for (const version of ['2.0', '2.1', '2.2'] as const) {
    expect(toJobSettings({ tasks: [sampleTask('a')] }, version)).toEqual({
      name: 'Untitled',
      format: 'MULTI_TASK',
      tasks: [sampleTask('a')],
    });
  }
});
