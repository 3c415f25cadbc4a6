/** References that can never have a value are refused when a job is stored, whatever they stand in. */
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
 * A task `last` that comes after `first` and `second` (of which `second` is no notebook), and `beside`, which
 * need not be over.
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
])('%s is taken', (text) => {
  expect(settingsErrorOf(graph(text), '2.1')).toBe('accepted');
});

test.each([
  [
    '{{job.naem}}',
    'there is no such value; known are job.id, job.name, job.run_id, job.repair_count, job.start_time.<argument>, job.trigger.type, job.trigger.time.<argument>, job.parameters.<parameter>.',
  ],
  [
    '{{task.foo}}',
    'there is no such value; known are task.name, task.run_id, task.execution_count, task.notebook_path.',
  ],
  [
    '{{job.start_time.week}}',
    '"week" is none of iso_weekday, is_weekday, iso_date, iso_datetime, year, month, day, hour, minute, second, timestamp_ms.',
  ],
  ['{{job.parameters.dya}}', 'the job has no parameter "dya"; it has "day", "odd name".'],
  ['{{tasks.frist.run_id}}', 'no task has the key "frist".'],
  ['{{tasks.last.run_id}}', 'it is the task itself, which knows this only when it is over.'],
  ['{{tasks.beside.values.x}}', 'task beside need not be over when task last starts: name it in depends_on.'],
  ['{{tasks.second.values.x}}', 'task second is no notebook_task, and only notebooks set values.'],
  ['{{tasks.first.output.rows}}', 'there are no SQL tasks here, and only they have rows.'],
  ['{{input}}', 'there are no loops over inputs here.'],
  ['{{input.city}}', 'there are no loops over inputs here.'],
  ['{{inputs}}', 'accepted'],
  ['{{input.a.b}}', 'there is no such value; known are none.'],
  ['{{backfill.iso_date}}', 'there are no backfill runs here.'],
  ['{{job.trigger.file_arrival.location}}', 'no run is triggered by the arrival of a file here.'],
])('%s: %s', (text, reason) => {
  expect(settingsErrorOf(graph(`a ${text} b`), '2.1')).toBe(
    reason === 'accepted' ? reason : `${field} ${text}; ${reason}`,
  );
});

test('a long reference is not repeated whole', () => {
  expect(settingsErrorOf(graph(`{{job.${'x'.repeat(500)}}}`), '2.1')).toContain(
    `${field} {{job.${'x'.repeat(74)}...; there is no such value`,
  );
});

test.each<[string, object, string]>([
  [
    'a list of parameters',
    multiTaskJob({ tasks: [python('a', ['-', '{{task.notebook_path}}'])] }),
    'tasks[0].spark_python_task.parameters[1] refers to {{task.notebook_path}}; task a is no notebook_task.',
  ],
  [
    'a JAR task',
    multiTaskJob({
      tasks: [{ task_key: 'a', ...on, spark_jar_task: { main_class_name: 'M', parameters: ['{{job.x}}'] } }],
    }),
    'tasks[0].spark_jar_task.parameters[0] refers to {{job.x}}; there is no such value',
  ],
  [
    'what a job is run with',
    multiTaskJob({
      tasks: [{ task_key: 'a', run_job_task: { job_id: 7, job_parameters: { x: '{{job.x}}' } } }],
    }),
    'tasks[0].run_job_task.job_parameters.x refers to {{job.x}}; there is no such value',
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
    'parameters[0].default refers to {{task.name}}; the value of a job parameter is the same for all tasks, and may refer to values of the run alone.',
  ],
  [
    'a job parameter that names another',
    multiTaskJob({
      parameters: [
        { name: 'a', default: '' },
        { name: 'b', default: '{{job.parameters.a}}' },
      ],
    }),
    'parameters[1].default refers to {{job.parameters.a}}; the value of a job parameter is the same for all tasks',
  ],
])('%s is looked into', (_fact, settings, message) => {
  expect(settingsErrorOf(settings)).toContain(message);
});

test('places that hand nothing on are not looked into', () => {
  expect(
    settingsErrorOf(
      multiTaskJob({ name: '{{job.naem}}', description: '{{task.x}}', tags: { a: '{{input}}' } }),
    ),
  ).toBe('accepted');
});

test('a submission is looked into, too', () => {
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
    'a name twice',
    [
      { name: 'a', default: '1' },
      { name: 'a', default: '2' },
    ],
    'parameters[1].name is "a", as is that of parameters[0]; each must be unique.',
  ],
  ['no name', [{ name: ' ', default: '1' }], 'Missing required field: parameters[0].name.'],
  [
    'a backtick',
    [{ name: 'a`b', default: '1' }],
    'parameters[0].name is "a`b"; it must not hold a backtick.',
  ],
  [
    'more than 10,000 bytes',
    [{ name: 'a', default: 'ü'.repeat(5_000) }],
    'parameters is 10027 bytes of JSON; at most 10000 are allowed.',
  ],
  ['no default', [{ name: 'a' }], 'Missing required field: parameters[0].default.'],
  ['characters of any script', [{ name: 'größe', default: '東京' }], 'accepted'],
])('parameters with %s', (_fact, parameters, verdict) => {
  expect(settingsErrorOf(multiTaskJob({ parameters }))).toBe(verdict);
});
