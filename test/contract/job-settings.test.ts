/** Fields of jobs and job settings (spec 2.1, 2.2). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  assertFieldRow,
  jobLocation,
  taskKindList,
  newCluster,
  withoutTaskKind,
  pythonTask,
  repeat,
  type FieldRow,
} from './field-rows.ts';

let runyard: TestService;

let started: number;

beforeAll(async () => {
  runyard = await startTestService();
  started = Date.now();
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
});

afterAll(() => runyard.stop());

const create = async (settings: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/create', jobLocation.toJobSettings(settings))).job_id;

const integer = /^\d+$/;

const noCluster = 'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.';

const oneCluster = 'exactly one of job_cluster_key, new_cluster, existing_cluster_id is allowed.';

const schedule = {
  quartz_cron_expression: '0 0 6 1 1 ?',
  timezone_id: 'Europe/Berlin',
  pause_status: 'PAUSED',
};

const task = (index: number) => ({ task_key: `t${index}`, existing_cluster_id: 'c', ...pythonTask });

const shared = (index: number) => ({ job_cluster_key: `k${index}`, new_cluster: newCluster });

/** Replaces the single task of the location. */
const manyTasks = (count: number, more: object = {}) => ({
  existing_cluster_id: undefined,
  ...withoutTaskKind,
  tasks: repeat(count, task),
  ...more,
});

const jobFields: readonly (readonly [field: string, holds: (job: ResponseBody, jobId: number) => void])[] = [
  [
    'job_id',
    (job, jobId) => {
      expect(job.job_id).toBe(jobId);
      expect(String(job.job_id)).toMatch(integer);
    },
  ],
  ['creator_user_name', (job) => expect(job.creator_user_name).toBe('admin')],
  ['run_as: the creator without job access control', (job) => expect(job.run_as).toBe('admin')],
  [
    'settings',
    (job) => expect(job.settings).toEqual({ ...jobLocation.toJobSettings({}), format: 'SINGLE_TASK' }),
  ],
  [
    'created_time',
    (job) => {
      expect(job.created_time).toBeGreaterThanOrEqual(started);
      expect(job.created_time).toBeLessThanOrEqual(Date.now());
    },
  ],
];

test.each(jobFields)('spec 2.1 %s', async (_field, holds) => {
  const job_id = await create({});
  holds(await runyard.callOk('GET', '2.0/jobs/get', { job_id }), job_id);
  const { jobs } = await runyard.callOk('GET', '2.0/jobs/list');
  holds(
    jobs.find((job: ResponseBody) => job.job_id === job_id),
    job_id,
  );
});

const rows: readonly FieldRow[] = [
  {
    field: 'existing_cluster_id OR new_cluster',
    accepts: [
      { existing_cluster_id: '1120-101010-abcd1234' },
      { existing_cluster_id: undefined, new_cluster: newCluster },
      { existing_cluster_id: '', ...withoutTaskKind, pipeline_task: { pipeline_id: 'p' } },
      { existing_cluster_id: undefined, ...withoutTaskKind, pipeline_task: { pipeline_id: 'p' } },
    ],
    rejects: [
      [{ existing_cluster_id: undefined }, noCluster],
      [{ existing_cluster_id: '' }, noCluster],
      [{ new_cluster: newCluster }, `The job has new_cluster and existing_cluster_id; ${oneCluster}`],
      [{ existing_cluster_id: 'a/b' }, 'existing_cluster_id is "a/b"; it must match ^[A-Za-z0-9_-]{0,100}$.'],
      [
        { existing_cluster_id: undefined, new_cluster: 'small' },
        'Could not parse request object: Expected object for field new_cluster, found STRING',
      ],
    ],
  },
  {
    field: 'one of the six task kinds',
    accepts: [
      { ...withoutTaskKind, notebook_task: { notebook_path: '/nb' } },
      { ...withoutTaskKind, spark_jar_task: { main_class_name: 'Main' } },
      pythonTask,
      {
        ...withoutTaskKind,
        existing_cluster_id: undefined,
        new_cluster: newCluster,
        spark_submit_task: { parameters: ['managed_fs:/app.jar'] },
      },
      { ...withoutTaskKind, pipeline_task: { pipeline_id: 'p' } },
      { ...withoutTaskKind, run_job_task: { job_id: 1 } },
    ],
    rejects: [
      [withoutTaskKind, `No task is given; one of ${taskKindList}, or tasks, is required.`],
      [
        { ...withoutTaskKind, notebook_task: { notebook_path: '/nb' }, spark_jar_task: {} },
        `The job has notebook_task and spark_jar_task; exactly one of ${taskKindList} is allowed.`,
      ],
    ],
  },
  {
    field: 'name',
    accepts: [
      { name: 'nightly ünï' },
      { name: 'x'.repeat(4_096) },
      [{ name: undefined }, { name: 'Untitled' }],
    ],
    rejects: [[{ name: 5 }, 'Could not parse request object: Expected string for field name, found NUMBER']],
  },
  {
    field: 'libraries',
    accepts: [
      { libraries: [] },
      { libraries: [{ jar: 'managed_fs:/a.jar' }, { pypi: { package: 'simplejson' } }] },
      { libraries: undefined },
    ],
    rejects: [
      [
        { libraries: 'a.jar' },
        'Could not parse request object: Expected array for field libraries, found STRING',
      ],
      [
        { libraries: [{}] },
        'libraries[0] has none of jar, egg, whl, pypi, maven, cran; exactly one is required.',
      ],
    ],
  },
  ...(['email_notifications', 'webhook_notifications', 'notification_settings', 'health'] as const).map(
    (field): FieldRow => ({
      field,
      accepts: [{ [field]: {} }, { [field]: undefined }],
      rejects: [
        [{ [field]: [] }, `Could not parse request object: Expected object for field ${field}, found ARRAY`],
      ],
    }),
  ),
  {
    field: 'timeout_seconds',
    accepts: [
      { timeout_seconds: 0 },
      { timeout_seconds: 1 },
      { timeout_seconds: 2_147_483_647 },
      { timeout_seconds: undefined },
    ],
    rejects: [
      [{ timeout_seconds: -1 }, 'timeout_seconds is -1; it must be at least 0.'],
      [{ timeout_seconds: 2_147_483_648 }, 'timeout_seconds is 2147483648; it must be at most 2147483647.'],
      [
        { timeout_seconds: 1.5 },
        'Could not parse request object: Expected integer for field timeout_seconds, found NUMBER 1.5',
      ],
    ],
  },
  {
    field: 'max_retries',
    accepts: [{ max_retries: -1 }, { max_retries: 0 }, { max_retries: 7 }, { max_retries: undefined }],
    rejects: [
      [{ max_retries: -2 }, 'max_retries is -2; it must be at least -1.'],
      [
        { max_retries: 'often' },
        'Could not parse request object: Expected integer for field max_retries, found STRING "often"',
      ],
    ],
  },
  {
    field: 'min_retry_interval_millis',
    accepts: [
      { min_retry_interval_millis: 0 },
      { min_retry_interval_millis: 2_000 },
      { min_retry_interval_millis: undefined },
    ],
    rejects: [[{ min_retry_interval_millis: -1 }, 'min_retry_interval_millis is -1; it must be at least 0.']],
  },
  {
    field: 'retry_on_timeout',
    accepts: [{ retry_on_timeout: true }, { retry_on_timeout: false }, { retry_on_timeout: undefined }],
    rejects: [
      [
        { retry_on_timeout: 1 },
        'Could not parse request object: Expected boolean for field retry_on_timeout, found NUMBER 1',
      ],
    ],
  },
  {
    field: 'schedule',
    accepts: [{ schedule }, { schedule: undefined }],
    rejects: [
      [
        { schedule: '0 0 6 1 1 ?' },
        'Could not parse request object: Expected object for field schedule, found STRING',
      ],
    ],
  },
  {
    field: 'max_concurrent_runs',
    accepts: [{ max_concurrent_runs: 0 }, { max_concurrent_runs: 1 }, { max_concurrent_runs: 1_000 }],
    rejects: [
      [{ max_concurrent_runs: -1 }, 'max_concurrent_runs is -1; it must be at least 0.'],
      [{ max_concurrent_runs: 1_001 }, 'max_concurrent_runs is 1001; it must be between 0 and 1000.'],
    ],
  },
  {
    field: 'tasks',
    accepts: [manyTasks(1), manyTasks(100)],
    rejects: [
      [manyTasks(101), 'tasks has 101 entries; at most 100 are allowed.'],
      [manyTasks(0), 'tasks has 0 entries; at least one task is required.'],
      [
        { tasks: [task(0)] },
        'spark_python_task is a single-task field; with tasks given, it must be in an entry of tasks.',
      ],
      [
        manyTasks(1, { existing_cluster_id: 'c' }),
        'existing_cluster_id is a single-task field; with tasks given, it must be in an entry of tasks.',
      ],
    ],
  },
  {
    field: 'job_clusters',
    accepts: [manyTasks(1, { job_clusters: repeat(100, shared) })],
    rejects: [
      [
        manyTasks(1, { job_clusters: repeat(101, shared) }),
        'job_clusters has 101 entries; at most 100 are allowed.',
      ],
      [{ job_clusters: [shared(0)] }, 'Shared job cluster feature is only supported in multi-task jobs.'],
    ],
  },
  {
    field: 'format',
    accepts: [
      [{}, { format: 'SINGLE_TASK' }],
      [manyTasks(1), { format: 'MULTI_TASK' }],
      { format: 'SINGLE_TASK' },
      manyTasks(1, { format: 'MULTI_TASK' }),
    ],
    rejects: [
      [
        { format: 'MULTI_TASK' },
        'format is "MULTI_TASK", but the settings are SINGLE_TASK: they have no tasks.',
      ],
      [{ format: 'GRAPH' }, 'format is "GRAPH"; it must be one of SINGLE_TASK, MULTI_TASK.'],
    ],
  },
];

test.each(rows)('spec 2.2 $field', (row) => assertFieldRow(runyard, row, jobLocation));
