/** Validation of references in parameters of jobs and tasks. */
import { expect, test } from 'vitest';
import {
  multiTaskJob,
  newCluster,
  singleTaskJob,
  settingsErrorOf,
  submissionErrorOf,
} from './sample-settings.ts';

const on = { new_cluster: newCluster };
const notebook = (task_key: string, base_parameters: object, ...depends: string[]) => ({
  task_key,
  ...on,
  notebook_task: { notebook_path: '/nb', base_parameters },
  depends_on: depends.map((key) => ({ task_key: key })),
});
const python = (task_key: string, parameters: string[], ...depends: string[]) => ({
  task_key,
  ...on,
  spark_python_task: { python_file: 'managed_fs:/x.py', parameters },
  depends_on: depends.map((key) => ({ task_key: key })),
});

/**
 * Returns a job whose task `last` depends on `first` and `second` (not a notebook), but not on `beside`.
 */
const graph = (text: string) => ({
  parameters: [
    { name: 'day', default: '{{job.start_time.iso_date}}' },
    { name: 'odd name', default: '' },
  ],
  tasks: [
    notebook('first', {}),
    python('second', [], 'first'),
    notebook('beside', {}),
    notebook('last', { x: text }, 'second'),
  ],
});
const field = 'tasks[3].notebook_task.base_parameters.x refers to';

test.each([
  'text',
  '{{job.id}} {{run_id}}',
  '{{job.parameters.day}}',
  '{{job.parameters.`odd name`}}',
  '{{task.notebook_path}}',
  '{{tasks.first.values.rows}}',
  '{{tasks.first.run_id}}',
  '{{tasks.second.result_state}}',
  '{{job.trigger.time.iso_weekday}}',
  '{{user.name}}',
  '{{job.id + 1}}',
])('%s is accepted', (text) => {
  expect(settingsErrorOf(graph(text), '2.1')).toBe('accepted');
});

test.each([
  [
    '{{job.naem}}',
    'no such value exists; known values are job.id, job.name, job.run_id, job.repair_count, job.start_time.<argument>, job.trigger.type, job.trigger.time.<argument>, job.parameters.<parameter>.',
  ],
  [
    '{{task.foo}}',
    'no such value exists; known values are task.name, task.run_id, task.execution_count, task.notebook_path.',
  ],
  [
    '{{job.start_time.week}}',
    '"week" must be one of iso_weekday, is_weekday, iso_date, iso_datetime, year, month, day, hour, minute, second, timestamp_ms.',
  ],
  ['{{job.parameters.dya}}', 'the job has no parameter "dya"; it has "day", "odd name".'],
  ['{{tasks.frist.run_id}}', 'no task has the key "frist".'],
  ['{{tasks.last.run_id}}', 'a task cannot refer to itself.'],
  ['{{tasks.beside.values.x}}', 'task last does not depend on task beside; add beside to its depends_on.'],
  ['{{tasks.second.values.x}}', 'task second is not a notebook_task, and only notebooks set values.'],
  ['{{tasks.first.output.rows}}', 'SQL tasks are not supported.'],
  ['{{input}}', 'for-each tasks are not supported.'],
  ['{{input.city}}', 'for-each tasks are not supported.'],
  ['{{inputs}}', 'accepted'],
  ['{{input.a.b}}', 'no such value exists; known values are none.'],
  ['{{backfill.iso_date}}', 'backfill runs are not supported.'],
  ['{{job.trigger.file_arrival.location}}', 'file arrival triggers are not supported.'],
])('a reference %s gets the verdict: %s', (text, reason) => {
  expect(settingsErrorOf(graph(`a ${text} b`), '2.1')).toBe(
    reason === 'accepted' ? reason : `${field} ${text}; ${reason}`,
  );
});

test('a message truncates a long reference', () => {
  expect(settingsErrorOf(graph(`{{job.${'x'.repeat(500)}}}`), '2.1')).toContain(
    `${field} {{job.${'x'.repeat(74)}...; no such value exists`,
  );
});

test.each<[string, object, string]>([
  [
    'a list of parameters',
    multiTaskJob({ tasks: [python('a', ['-', '{{task.notebook_path}}'])] }),
    'tasks[0].spark_python_task.parameters[1] refers to {{task.notebook_path}}; task a is not a notebook_task.',
  ],
  [
    'a JAR task',
    multiTaskJob({
      tasks: [{ task_key: 'a', ...on, spark_jar_task: { main_class_name: 'M', parameters: ['{{job.x}}'] } }],
    }),
    'tasks[0].spark_jar_task.parameters[0] refers to {{job.x}}; no such value exists',
  ],
  [
    'the parameters of a run_job_task',
    multiTaskJob({
      tasks: [{ task_key: 'a', run_job_task: { job_id: 7, job_parameters: { x: '{{job.x}}' } } }],
    }),
    'tasks[0].run_job_task.job_parameters.x refers to {{job.x}}; no such value exists',
  ],
  [
    'a single-task job',
    {
      ...singleTaskJob,
      notebook_task: { notebook_path: '/a', base_parameters: { x: '{{tasks.b.run_id}}' } },
    },
    'notebook_task.base_parameters.x refers to {{tasks.b.run_id}}; no task has the key "b".',
  ],
  [
    'the default of a job parameter',
    multiTaskJob({ parameters: [{ name: 'a', default: '{{task.name}}' }] }),
    'parameters[0].default refers to {{task.name}}; a job parameter has the same value for all tasks and may refer only to values of the run.',
  ],
  [
    'a job parameter that refers to another',
    multiTaskJob({
      parameters: [
        { name: 'a', default: '' },
        { name: 'b', default: '{{job.parameters.a}}' },
      ],
    }),
    'parameters[1].default refers to {{job.parameters.a}}; a job parameter has the same value for all tasks',
  ],
])('references in %s are checked', (_fact, settings, message) => {
  expect(settingsErrorOf(settings)).toContain(message);
});

test('references in name, description and tags are not checked', () => {
  expect(
    settingsErrorOf(
      multiTaskJob({ name: '{{job.naem}}', description: '{{task.x}}', tags: { a: '{{input}}' } }),
    ),
  ).toBe('accepted');
});

test('references in a submission are checked', () => {
  expect(submissionErrorOf({ tasks: [notebook('a', { x: '{{job.parameters.y}}' })] })).toBe(
    'tasks[0].notebook_task.base_parameters.x refers to {{job.parameters.y}}; the job has no parameter "y"; it has none.',
  );
  expect(
    submissionErrorOf({
      parameters: [{ name: 'y', default: '1' }],
      tasks: [notebook('a', { x: '{{job.parameters.y}}' })],
    }),
  ).toBe('accepted');
});

test.each<[string, object[], string]>([
  [
    'a repeated name',
    [
      { name: 'a', default: '1' },
      { name: 'a', default: '2' },
    ],
    'parameters[1].name is "a", the same as in parameters[0]; each must be unique.',
  ],
  ['no name', [{ name: ' ', default: '1' }], 'Missing required field: parameters[0].name.'],
  [
    'a backtick',
    [{ name: 'a`b', default: '1' }],
    'parameters[0].name is "a`b"; it must not contain a backtick.',
  ],
  [
    'more than 10,000 bytes',
    [{ name: 'a', default: 'ü'.repeat(5_000) }],
    'parameters is 10027 bytes of JSON; at most 10000 are allowed.',
  ],
  ['no default', [{ name: 'a' }], 'Missing required field: parameters[0].default.'],
  ['characters of any script', [{ name: 'größe', default: '東京' }], 'accepted'],
])('parameters with %s get the expected verdict', (_fact, parameters, verdict) => {
  expect(settingsErrorOf(multiTaskJob({ parameters }))).toBe(verdict);
});
