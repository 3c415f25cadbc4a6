/** Parameters of a run: which are allowed, and how they change a task. */
import { expect, test } from 'vitest';
import type { TaskSettings } from '../../../../engine/job/settings.ts';
import {
  applyParameters,
  checkRunNowParameters,
  checkRunParameters,
  type RunParameters,
} from '../../../../engine/run/parameters.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import { taskBodies } from '../job/sample-settings.ts';

const notebook: TaskSettings = { task_key: 'n', notebook_task: taskBodies.notebook_task };
const jar: TaskSettings = { task_key: 'j', spark_jar_task: taskBodies.spark_jar_task };
const python: TaskSettings = { task_key: 'p', spark_python_task: taskBodies.spark_python_task };
const submit: TaskSettings = { task_key: 's', spark_submit_task: taskBodies.spark_submit_task };
const all = [notebook, jar, python, submit];

test.each<[string, RunParameters, TaskSettings[], string]>([
  [
    'two kinds',
    { jar_params: ['a'], notebook_params: { a: 'b' } },
    all,
    'jar_params and notebook_params are given; only the parameters of one task kind are allowed.',
  ],
  [
    'two kinds of lists',
    { python_params: ['a'], spark_submit_params: ['b'] },
    all,
    'python_params and spark_submit_params are given; only the parameters of one task kind are allowed.',
  ],
  [
    'notebook_params without notebook',
    { notebook_params: { a: 'b' } },
    [jar, python],
    'notebook_params is given, but the job has no notebook_task.',
  ],
  [
    'jar_params without JAR task',
    { jar_params: ['a'] },
    [notebook],
    'jar_params is given, but the job has no spark_jar_task.',
  ],
  [
    'python_params without Python task',
    { python_params: ['a'] },
    [notebook],
    'python_params is given, but the job has no spark_python_task.',
  ],
  [
    'spark_submit_params without submit task',
    { spark_submit_params: ['a'] },
    [notebook],
    'spark_submit_params is given, but the job has no spark_submit_task.',
  ],
  [
    'pipeline_params without pipeline task',
    { pipeline_params: { full_refresh: true } },
    all,
    'pipeline_params is given, but the job has no pipeline_task.',
  ],
  [
    'a list over 10,000 bytes',
    { jar_params: ['x'.repeat(9997)] },
    all,
    'jar_params is 10001 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'a map over 10,000 bytes',
    { notebook_params: { a: 'x'.repeat(9993) } },
    all,
    'notebook_params is 10001 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'a list over 10,000 bytes in fewer characters',
    { jar_params: ['ü'.repeat(4999)] },
    all,
    'jar_params is 10002 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'a non-ASCII notebook value',
    { notebook_params: { a: 'ü' } },
    all,
    'notebook_params.a is "ü"; only ASCII characters are allowed.',
  ],
  [
    'a non-ASCII notebook name',
    { notebook_params: { ü: 'a' } },
    all,
    'notebook_params has the name "ü"; only ASCII characters are allowed.',
  ],
  [
    'a non-ASCII Python parameter',
    { python_params: ['a', 'ü'] },
    all,
    'python_params[1] is "ü"; only ASCII characters are allowed.',
  ],
  [
    'a non-ASCII submit parameter',
    { spark_submit_params: ['ü'] },
    all,
    'spark_submit_params[0] is "ü"; only ASCII characters are allowed.',
  ],
  [
    'a reserved submit option',
    { spark_submit_params: ['--master', 'local'] },
    all,
    'spark_submit_params[0] is --master; it is set by the service and must not be given.',
  ],
])('spec 2.10: %s: refused', (_name, parameters, tasks, message) => {
  expect(() => checkRunParameters(parameters, tasks, defaultLimits)).toThrow(message);
});

test.each<[string, RunParameters]>([
  ['none', {}],
  ['empty parameters with other ones', { jar_params: [], python_params: ['a'], notebook_params: {} }],
  ['non-ASCII for a JAR', { jar_params: ['ü'] }],
  ['exactly 10,000 bytes', { jar_params: ['x'.repeat(9996)] }],
])('spec 2.10: %s: accepted', (_name, parameters) => {
  expect(() => checkRunParameters(parameters, all, defaultLimits)).not.toThrow();
});

test('spec 2.10: empty parameters of a kind that the job lacks count as absent', () => {
  expect(() => checkRunParameters({ jar_params: [] }, [notebook], defaultLimits)).not.toThrow();
});

test.each<[string, TaskSettings, RunParameters, object]>([
  [
    'notebook_params are merged and override',
    notebook,
    { notebook_params: { day: 'today', x: '1' } },
    { ...taskBodies.notebook_task, base_parameters: { day: 'today', x: '1' } },
  ],
  [
    'notebook_params without base_parameters',
    { task_key: 'n', notebook_task: { notebook_path: '/a' } },
    { notebook_params: { x: '1' } },
    { notebook_path: '/a', base_parameters: { x: '1' } },
  ],
  ['jar_params replace', jar, { jar_params: ['z'] }, { ...taskBodies.spark_jar_task, parameters: ['z'] }],
  [
    'python_params replace',
    python,
    { python_params: ['z'] },
    { ...taskBodies.spark_python_task, parameters: ['z'] },
  ],
  ['spark_submit_params replace', submit, { spark_submit_params: ['z.jar'] }, { parameters: ['z.jar'] }],
  ['an empty list changes nothing', jar, { jar_params: [] }, taskBodies.spark_jar_task],
  ['parameters of another kind change nothing', jar, { python_params: ['z'] }, taskBodies.spark_jar_task],
  [
    'a pipeline task is unchanged',
    { task_key: 'p', pipeline_task: taskBodies.pipeline_task },
    { jar_params: ['z'] },
    taskBodies.pipeline_task,
  ],
  [
    'pipeline_params replace fields of the body',
    { task_key: 'p', pipeline_task: { pipeline_id: 'sales', full_refresh: false } },
    { pipeline_params: { full_refresh: true } },
    { pipeline_id: 'sales', full_refresh: true },
  ],
  [
    'pipeline_params select tables',
    { task_key: 'p', pipeline_task: { pipeline_id: 'sales', refresh_selection: ['a'] } },
    { pipeline_params: { refresh_selection: ['b'], full_refresh_selection: ['c'] } },
    { pipeline_id: 'sales', refresh_selection: ['b'], full_refresh_selection: ['c'] },
  ],
  [
    'a run job task is unchanged',
    { task_key: 'p', run_job_task: taskBodies.run_job_task },
    {},
    taskBodies.run_job_task,
  ],
])('spec 2.7, 2.10: %s', (_name, task, parameters, body) => {
  const before = structuredClone(task);
  expect(applyParameters(task, parameters)).toEqual(body);
  expect(task).toEqual(before);
});

test('a task without a built-in kind has no body', () => {
  expect(applyParameters({ task_key: 'x' })).toBeUndefined();
});

const job = {
  parameters: [
    { name: 'city', default: '' },
    { name: 'größe', default: '' },
  ],
  tasks: [
    { ...notebook, task_key: 'first' },
    { ...python, depends_on: [{ task_key: 'first' }] },
  ],
};

test.each<[string, RunParameters, string]>([
  [
    'a parameter that the job does not have',
    { job_parameters: { city: 'x', ctiy: 'x' } },
    'job_parameters.ctiy is given, but the job has no such parameter; it has "city", "größe".',
  ],
  [
    'more than 10,000 bytes',
    { job_parameters: { city: 'x'.repeat(9_990) } },
    'job_parameters is 10001 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'an unknown reference',
    { job_parameters: { city: '{{job.naem}}' } },
    'job_parameters.city refers to {{job.naem}}; no such value exists',
  ],
  [
    'a reference to a value of a task',
    { job_parameters: { city: '{{run_id}}' } },
    'job_parameters.city refers to {{run_id}}; a job parameter has the same value for all tasks',
  ],
  [
    'a reference in notebook_params',
    { notebook_params: { a: '{{tasks.first.run_id}}' } },
    'notebook_params.a refers to {{tasks.first.run_id}}; a task cannot refer to itself',
  ],
  [
    'a reference in python_params',
    { python_params: ['a', '{{job.parameters.x}}'] },
    'python_params[1] refers to {{job.parameters.x}}; the job has no parameter "x"; it has "city", "größe".',
  ],
  [
    'parameters of two kinds',
    { python_params: ['a'], jar_params: ['b'] },
    'jar_params and python_params are given',
  ],
])('spec 4.1.4: run-now with %s: refused', (_fact, parameters, message) => {
  expect(() => checkRunNowParameters(parameters, job, defaultLimits)).toThrow(message);
});

test.each<[string, RunParameters]>([
  ['nothing', {}],
  ['no values', { job_parameters: {} }],
  [
    'non-ASCII values with parameters of a kind',
    {
      job_parameters: { größe: '東京' },
      python_params: ['{{tasks.first.values.x}} {{job.parameters.city}}'],
    },
  ],
])('run-now with %s: accepted', (_fact, parameters) => {
  expect(() => checkRunNowParameters(parameters, job, defaultLimits)).not.toThrow();
});
