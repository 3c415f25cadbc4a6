/** Fields of tasks and shared clusters of a job (spec 2.3, 2.4). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  assertFieldRow,
  taskLocation,
  taskKindList,
  newCluster,
  withoutTaskKind,
  pythonTask,
  errorResponse,
  type FieldRow,
  type SettingsLocation,
} from './field-rows.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
});
afterAll(() => runyard.stop());

const onNothing = { existing_cluster_id: undefined };
const oneCluster = 'exactly one of job_cluster_key, new_cluster, existing_cluster_id is allowed.';
const key = '^[A-Za-z0-9_-]{1,100}$';
const { num_workers: _, ...noSize } = newCluster;
const incomplete = 'Cluster validation error: Missing required field: settings.cluster_spec.new_cluster.size';

const taskRows: readonly FieldRow[] = [
  {
    field: 'task_key',
    accepts: [{ task_key: 'Load_2-x' }, { task_key: 'x'.repeat(100) }],
    rejects: [
      [{ task_key: undefined }, 'Missing required field: <at>task_key.'],
      [{ task_key: 'b' }, 'tasks[1].task_key is "b", the same as in tasks[0]; each must be unique.'],
      [{ task_key: 'a b' }, `<at>task_key is "a b"; it must match ${key}.`],
      [
        { task_key: 7 },
        'Could not parse request object: Expected string for field <at>task_key, found NUMBER',
      ],
    ],
  },
  {
    field: 'description',
    accepts: [
      { description: 'Free text, ünïcode\nand lines' },
      { description: '' },
      { description: undefined },
    ],
    rejects: [
      [
        { description: ['x'] },
        'Could not parse request object: Expected string for field <at>description, found ARRAY',
      ],
    ],
  },
  {
    field: 'depends_on',
    accepts: [{ depends_on: [] }, { depends_on: [{ task_key: 'b' }] }, { depends_on: undefined }],
    rejects: [
      [{ depends_on: [{ task_key: 'c' }] }, '<at>depends_on[0].task_key is "c"; no task has this key.'],
      [
        { depends_on: [{ task_key: 'a' }] },
        '<at>depends_on[0].task_key is "a", the task itself; a task may depend on other tasks only.',
      ],
      [
        { depends_on: ['b'] },
        'Could not parse request object: Expected object for field <at>depends_on[0], found STRING',
      ],
      [{ depends_on: [{}] }, 'Missing required field: <at>depends_on[0].task_key.'],
    ],
  },
  {
    field: 'existing_cluster_id / new_cluster / job_cluster_key',
    accepts: [
      { existing_cluster_id: '1120-101010-abcd1234' },
      { ...onNothing, new_cluster: newCluster },
      { ...onNothing, job_cluster_key: 'shared' },
    ],
    rejects: [
      [
        onNothing,
        'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified. tasks[0] has none.',
      ],
      [{ job_cluster_key: 'shared' }, `tasks[0] has job_cluster_key and existing_cluster_id; ${oneCluster}`],
      [
        { ...onNothing, job_cluster_key: 'other' },
        '<at>job_cluster_key is "other"; no entry of job_clusters has this key.',
      ],
      [{ ...onNothing, new_cluster: noSize }, `${incomplete} (tasks[0].new_cluster)`],
    ],
  },
  {
    field: 'task kind',
    accepts: [
      { ...withoutTaskKind, notebook_task: { notebook_path: '/nb' } },
      { ...withoutTaskKind, spark_jar_task: { main_class_name: 'Main' } },
      pythonTask,
      {
        ...withoutTaskKind,
        ...onNothing,
        new_cluster: newCluster,
        spark_submit_task: { parameters: ['managed_fs:/app.jar'] },
      },
      { ...withoutTaskKind, ...onNothing, pipeline_task: { pipeline_id: 'p' } },
      { ...withoutTaskKind, ...onNothing, run_job_task: { job_id: 1 } },
    ],
    rejects: [
      [withoutTaskKind, `tasks[0] has none of ${taskKindList}; exactly one is required.`],
      [
        { run_job_task: { job_id: 1 } },
        `tasks[0] has spark_python_task and run_job_task; exactly one of ${taskKindList} is allowed.`,
      ],
      [
        { ...withoutTaskKind, dance_task: {} },
        `<at>dance_task is not a task kind of this service; the known kinds are ${taskKindList}.`,
      ],
    ],
  },
  {
    field: 'libraries',
    accepts: [{ libraries: [{ whl: 'managed_fs:/pkg-1.0-py3-none-any.whl' }] }, { libraries: [] }],
    rejects: [
      [
        { libraries: [{ jar: 'a', egg: 'b' }] },
        '<at>libraries[0] has jar and egg; exactly one of jar, egg, whl, pypi, maven, cran is allowed.',
      ],
    ],
  },
  {
    field: 'timeout_seconds',
    accepts: [{ timeout_seconds: 0 }, { timeout_seconds: 60 }],
    rejects: [[{ timeout_seconds: -1 }, '<at>timeout_seconds is -1; it must be at least 0.']],
  },
  {
    field: 'max_retries',
    accepts: [{ max_retries: -1 }, { max_retries: 3 }],
    rejects: [[{ max_retries: -2 }, '<at>max_retries is -2; it must be at least -1.']],
  },
  {
    field: 'min_retry_interval_millis',
    accepts: [{ min_retry_interval_millis: 0 }, { min_retry_interval_millis: 500 }],
    rejects: [
      [{ min_retry_interval_millis: -1 }, '<at>min_retry_interval_millis is -1; it must be at least 0.'],
    ],
  },
  {
    field: 'retry_on_timeout',
    accepts: [{ retry_on_timeout: true }, { retry_on_timeout: false }],
    rejects: [
      [
        { retry_on_timeout: 'no' },
        'Could not parse request object: Expected boolean for field <at>retry_on_timeout, found STRING "no"',
      ],
    ],
  },
  {
    field: 'email_notifications',
    accepts: [{ email_notifications: { on_failure: ['a@x'] } }, { email_notifications: {} }],
    rejects: [
      [
        { email_notifications: { on_start: ['ü@x'] } },
        '<at>email_notifications.on_start[0] is "ü@x"; only ASCII characters are allowed.',
      ],
    ],
  },
];

test.each(taskRows)('spec 2.3 $field', (row) => assertFieldRow(runyard, row, taskLocation));

test('spec 2.3 depends_on: a cycle is refused with its task keys', async () => {
  const tasks = ['a', 'b', 'c'].map((task_key, index, keys) => ({
    task_key,
    existing_cluster_id: 'c',
    ...pythonTask,
    depends_on: [{ task_key: keys[(index + 1) % 3] }],
  }));
  expect(await runyard.call('POST', '2.1/jobs/create', { tasks })).toEqual(
    errorResponse('tasks: depends_on must not form a cycle, but it does: a -> b -> c -> a.'),
  );
});

/** First of two shared clusters; the second is `other`. */
const inJobCluster: SettingsLocation = {
  version: '2.1',
  path: 'job_clusters[0].',
  toJobSettings: (settings) => ({
    name: 'contract',
    tasks: [{ task_key: 'a', existing_cluster_id: 'c', ...pythonTask }],
    job_clusters: [
      { job_cluster_key: 'shared', new_cluster: newCluster, ...settings },
      { job_cluster_key: 'other', new_cluster: newCluster },
    ],
  }),
  settingsFrom: (settings) => settings.job_clusters[0],
};

const clusterRows: readonly FieldRow[] = [
  {
    field: 'job_cluster_key',
    accepts: [{ job_cluster_key: 'Big_2-x' }],
    rejects: [
      [{ job_cluster_key: undefined }, 'Missing required field: <at>job_cluster_key.'],
      [{ job_cluster_key: 'a b' }, `<at>job_cluster_key is "a b"; it must match ${key}.`],
      [
        { job_cluster_key: 'other' },
        'job_clusters[1].job_cluster_key is "other", the same as in job_clusters[0]; each must be unique.',
      ],
    ],
  },
  {
    field: 'new_cluster',
    accepts: [
      { new_cluster: newCluster },
      { new_cluster: { ...noSize, autoscale: { min_workers: 1, max_workers: 2 } } },
    ],
    rejects: [
      [{ new_cluster: undefined }, 'Missing required field: <at>new_cluster.'],
      [{ new_cluster: noSize }, `${incomplete} (job_clusters[0].new_cluster)`],
      [
        { libraries: [{ jar: 'a' }] },
        '<at>libraries is given; libraries are configured in the tasks, never on a shared job cluster.',
      ],
    ],
  },
];

test.each(clusterRows)('spec 2.4 $field', (row) => assertFieldRow(runyard, row, inJobCluster));
