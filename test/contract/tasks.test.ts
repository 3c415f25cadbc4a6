/** Tasks of a job and the clusters that they share, field by field (spec 2.3, 2.4). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness/service.ts';
import {
  expectRow,
  inTask,
  kinds,
  newCluster,
  noKind,
  python,
  refusal,
  type FieldRow,
  type Place,
} from './rows.ts';

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
    takes: [{ task_key: 'Load_2-x' }, { task_key: 'x'.repeat(100) }],
    refuses: [
      [{ task_key: undefined }, 'Missing required field: <at>task_key.'],
      [{ task_key: 'b' }, 'tasks[1].task_key is "b", as is that of tasks[0]; each must be unique.'],
      [{ task_key: 'a b' }, `<at>task_key is "a b"; it must match ${key}.`],
      [
        { task_key: 7 },
        'Could not parse request object: Expected string for field <at>task_key, found NUMBER',
      ],
    ],
  },
  {
    field: 'description',
    takes: [
      { description: 'Free text, ünïcode\nand lines' },
      { description: '' },
      { description: undefined },
    ],
    refuses: [
      [
        { description: ['x'] },
        'Could not parse request object: Expected string for field <at>description, found ARRAY',
      ],
    ],
  },
  {
    field: 'depends_on',
    takes: [{ depends_on: [] }, { depends_on: [{ task_key: 'b' }] }, { depends_on: undefined }],
    refuses: [
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
    takes: [
      { existing_cluster_id: '1120-101010-abcd1234' },
      { ...onNothing, new_cluster: newCluster },
      { ...onNothing, job_cluster_key: 'shared' },
    ],
    refuses: [
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
    takes: [
      { ...noKind, notebook_task: { notebook_path: '/nb' } },
      { ...noKind, spark_jar_task: { main_class_name: 'Main' } },
      python,
      {
        ...noKind,
        ...onNothing,
        new_cluster: newCluster,
        spark_submit_task: { parameters: ['managed_fs:/app.jar'] },
      },
      { ...noKind, ...onNothing, pipeline_task: { pipeline_id: 'p' } },
      { ...noKind, ...onNothing, run_job_task: { job_id: 1 } },
    ],
    refuses: [
      [noKind, `tasks[0] has none of ${kinds}; exactly one is required.`],
      [
        { run_job_task: { job_id: 1 } },
        `tasks[0] has spark_python_task and run_job_task; exactly one of ${kinds} is allowed.`,
      ],
      [
        { ...noKind, dance_task: {} },
        `<at>dance_task is not a task kind of this service; the known kinds are ${kinds}.`,
      ],
    ],
  },
  {
    field: 'libraries',
    takes: [{ libraries: [{ whl: 'managed_fs:/pkg-1.0-py3-none-any.whl' }] }, { libraries: [] }],
    refuses: [
      [
        { libraries: [{ jar: 'a', egg: 'b' }] },
        '<at>libraries[0] has jar and egg; exactly one of jar, egg, whl, pypi, maven, cran is allowed.',
      ],
    ],
  },
  {
    field: 'timeout_seconds',
    takes: [{ timeout_seconds: 0 }, { timeout_seconds: 60 }],
    refuses: [[{ timeout_seconds: -1 }, '<at>timeout_seconds is -1; it must be at least 0.']],
  },
  {
    field: 'max_retries',
    takes: [{ max_retries: -1 }, { max_retries: 3 }],
    refuses: [[{ max_retries: -2 }, '<at>max_retries is -2; it must be at least -1.']],
  },
  {
    field: 'min_retry_interval_millis',
    takes: [{ min_retry_interval_millis: 0 }, { min_retry_interval_millis: 500 }],
    refuses: [
      [{ min_retry_interval_millis: -1 }, '<at>min_retry_interval_millis is -1; it must be at least 0.'],
    ],
  },
  {
    field: 'retry_on_timeout',
    takes: [{ retry_on_timeout: true }, { retry_on_timeout: false }],
    refuses: [
      [
        { retry_on_timeout: 'no' },
        'Could not parse request object: Expected boolean for field <at>retry_on_timeout, found STRING "no"',
      ],
    ],
  },
  {
    field: 'email_notifications',
    takes: [{ email_notifications: { on_failure: ['a@x'] } }, { email_notifications: {} }],
    refuses: [
      [
        { email_notifications: { on_start: ['ü@x'] } },
        '<at>email_notifications.on_start[0] is "ü@x"; only ASCII characters are allowed.',
      ],
    ],
  },
];

test.each(taskRows)('spec 2.3 $field', (row) => expectRow(runyard, row, inTask));

test('spec 2.3 depends_on: a cycle is refused and named', async () => {
  const tasks = ['a', 'b', 'c'].map((task_key, index, keys) => ({
    task_key,
    existing_cluster_id: 'c',
    ...python,
    depends_on: [{ task_key: keys[(index + 1) % 3] }],
  }));
  expect(await runyard.call('POST', '2.1/jobs/create', { tasks })).toEqual(
    refusal('tasks: depends_on must not form a cycle, but it does: a -> b -> c -> a.'),
  );
});

/** The first of two shared clusters, the other one is `other`. */
const inJobCluster: Place = {
  version: '2.1',
  path: 'job_clusters[0].',
  jobWith: (settings) => ({
    name: 'contract',
    tasks: [{ task_key: 'a', existing_cluster_id: 'c', ...python }],
    job_clusters: [
      { job_cluster_key: 'shared', new_cluster: newCluster, ...settings },
      { job_cluster_key: 'other', new_cluster: newCluster },
    ],
  }),
  shownIn: (settings) => settings.job_clusters[0],
};

const clusterRows: readonly FieldRow[] = [
  {
    field: 'job_cluster_key',
    takes: [{ job_cluster_key: 'Big_2-x' }],
    refuses: [
      [{ job_cluster_key: undefined }, 'Missing required field: <at>job_cluster_key.'],
      [{ job_cluster_key: 'a b' }, `<at>job_cluster_key is "a b"; it must match ${key}.`],
      [
        { job_cluster_key: 'other' },
        'job_clusters[1].job_cluster_key is "other", as is that of job_clusters[0]; each must be unique.',
      ],
    ],
  },
  {
    field: 'new_cluster',
    takes: [
      { new_cluster: newCluster },
      { new_cluster: { ...noSize, autoscale: { min_workers: 1, max_workers: 2 } } },
    ],
    refuses: [
      [{ new_cluster: undefined }, 'Missing required field: <at>new_cluster.'],
      [{ new_cluster: noSize }, `${incomplete} (job_clusters[0].new_cluster)`],
      [
        { libraries: [{ jar: 'a' }] },
        '<at>libraries is given; libraries are configured in the tasks, never on a shared job cluster.',
      ],
    ],
  },
];

test.each(clusterRows)('spec 2.4 $field', (row) => expectRow(runyard, row, inJobCluster));
