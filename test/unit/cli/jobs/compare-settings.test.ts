/** Table of differences between the settings of a file and those of a job. */
import { expect, test } from 'vitest';
import { compareSettings } from '../../../../cli/commands/jobs/compare-settings.ts';

const task = { task_key: 'a', existing_cluster_id: 'c' };

test.each<[string, object, object, string[]]>([
  ['equal settings', { name: 'x' }, { name: 'x' }, []],
  [
    'another value',
    { name: 'x', timeout_seconds: 1 },
    { name: 'x', timeout_seconds: 2 },
    ['timeout_seconds'],
  ],
  ['a field that the file adds', { name: 'x' }, { name: 'x', max_retries: 2 }, ['max_retries']],
  ['a field that the file leaves out', { name: 'x', timeout_seconds: 9 }, { name: 'x' }, ['timeout_seconds']],
  [
    'defaults that the service shows',
    {
      name: 'x',
      format: 'MULTI_TASK',
      max_concurrent_runs: 1,
      timeout_seconds: 0,
      email_notifications: {},
      tasks: [{ ...task, run_if: 'ALL_SUCCESS', retry_on_timeout: false }],
    },
    { name: 'x', tasks: [task] },
    [],
  ],
  [
    'a default inside an object',
    { schedule: { quartz_cron_expression: '0', pause_status: 'UNPAUSED' } },
    { schedule: { quartz_cron_expression: '0' } },
    [],
  ],
  [
    'a paused schedule that the file does not pause',
    { schedule: { quartz_cron_expression: '0', pause_status: 'PAUSED' } },
    { schedule: { quartz_cron_expression: '0' } },
    ['schedule.pause_status'],
  ],
  ['a schedule that the file removes', { schedule: { quartz_cron_expression: '0' } }, {}, ['schedule']],
  [
    'a task that is added and one that is removed',
    { tasks: [task, { ...task, task_key: 'b' }] },
    { tasks: [task, { ...task, task_key: 'c' }] },
    ['tasks[b]', 'tasks[c]'],
  ],
  [
    'a field of a task',
    { tasks: [{ ...task, max_retries: 1 }] },
    { tasks: [{ ...task, max_retries: 3 }] },
    ['tasks[a].max_retries'],
  ],
  ['the order of tasks', { tasks: [task, { task_key: 'b' }] }, { tasks: [{ task_key: 'b' }, task] }, []],
  [
    'a list without keys',
    { spark_python_task: { parameters: ['1'] } },
    { spark_python_task: { parameters: ['2'] } },
    ['spark_python_task.parameters'],
  ],
  ['a number that is stored as text', { spark_conf: { a: '1' } }, { spark_conf: { a: 1 } }, []],
  ['an explicit default', { name: 'x' }, { name: 'x', timeout_seconds: 0, tags: {} }, []],
  ['permissions, which settings do not show', { name: 'x' }, { name: 'x', access_control_list: [{}] }, []],
])('%s', (_, stored, wanted, paths) => {
  expect(compareSettings(stored, wanted).map(({ path }) => path)).toEqual(paths);
});
