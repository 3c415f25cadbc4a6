/** Accepted settings: every task kind, every form of cluster, and common requests of clients. */
import { expect, test } from 'vitest';
import { builtInKinds, builtInKindOf, taskKinds } from '../../../../engine/job/task-kinds.ts';
import {
  aliasOf,
  taskBodies,
  multiTaskJob,
  newCluster,
  singleTaskJob,
  sampleTask,
  settingsErrorOf,
  submissionErrorOf,
} from './sample-settings.ts';

test.each(taskKinds)('spec 2.7: a job of one %s is accepted in both formats', (kind) => {
  expect(builtInKindOf({ [kind]: taskBodies[kind] })).toBe(kind);
  const work = { [kind]: taskBodies[kind], new_cluster: newCluster };
  expect(settingsErrorOf({ name: 'n', ...work })).toBe('accepted');
  expect(settingsErrorOf({ name: 'n', tasks: [{ task_key: 't', ...work }] }, '2.1')).toBe('accepted');
  expect(submissionErrorOf(work)).toBe('accepted');
  expect(submissionErrorOf(work, '2.2')).toBe('accepted');
});

test.each(['pipeline_task', 'run_job_task'] as const)('spec 2.2: %s needs no cluster', (kind) => {
  expect(settingsErrorOf({ [kind]: taskBodies[kind] })).toBe('accepted');
  expect(settingsErrorOf({ [kind]: taskBodies[kind], existing_cluster_id: '' })).toBe('accepted');
  expect(settingsErrorOf({ tasks: [{ task_key: 't', [kind]: taskBodies[kind] }] }, '2.2')).toBe('accepted');
});

const { node_type_id: _, ...noNodeType } = newCluster;
const { num_workers: __, ...noSize } = newCluster;

test.each<[string, object]>([
  ['no workers', { ...newCluster, num_workers: 0 }],
  ['a range', { ...noSize, autoscale: { min_workers: 0, max_workers: 1 } }],
  ['an instance pool', { ...noNodeType, instance_pool_id: 'pool' }],
  ['a policy', { ...noNodeType, policy_id: 'policy' }],
  [
    'cloud attributes',
    {
      ...newCluster,
      cloud_attributes: { use_preemptible_executors: true, cloud_service_account: 'a', boot_disk_size: 100 },
    },
  ],
  [
    'cloud attributes under an alias',
    {
      ...newCluster,
      [aliasOf('cloud_attributes')]: { [aliasOf('cloud_service_account')]: 'a', boot_disk_size: 4096 },
    },
  ],
  [
    'the second attribute object',
    {
      ...newCluster,
      [aliasOf('placement_attributes')]: { availability: 'SPOT', zone_id: 'z', first_on_demand: 1 },
    },
  ],
  ['log delivery', { ...newCluster, cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } } }],
  [
    'log delivery under an alias',
    {
      ...newCluster,
      cluster_log_conf: { [aliasOf('managed_fs')]: { destination: `${aliasOf('managed_fs')}:/logs` } },
    },
  ],
  [
    'init scripts',
    {
      ...newCluster,
      init_scripts: [
        { workspace: { destination: '/a.sh' } },
        { [aliasOf('managed_fs')]: { destination: 'managed_fs:/a.sh' } },
        { [aliasOf('objstore', 2)]: { destination: 'objstore://b/a.sh' } },
      ],
    },
  ],
  ['tags as a map', { ...newCluster, custom_tags: { team: 'a' } }],
  ['tags as an empty list', { ...newCluster, custom_tags: [] }],
  [
    'environment variables, configuration and other fields',
    {
      ...newCluster,
      driver_node_type_id: 'big',
      spark_conf: { a: 'b' },
      spark_env_vars: { A: 'b' },
      ssh_public_keys: [],
      enable_elastic_disk: false,
    },
  ],
  ['unknown fields', { ...newCluster, data_security_mode: 'NONE' }],
])('spec 2.8: a cluster with %s is accepted', (_name, new_cluster) => {
  expect(settingsErrorOf({ ...singleTaskJob, new_cluster })).toBe('accepted');
  expect(
    settingsErrorOf(multiTaskJob({ job_clusters: [{ job_cluster_key: 'k', new_cluster }] }), '2.1'),
  ).toBe('accepted');
});

test.each<[string, object]>([
  ['jar', { jar: 'managed_fs:/a.jar' }],
  ['egg', { egg: 'objstore://b/a.egg' }],
  ['wheel', { whl: 'managed_fs:/x/my_pkg-1.0.0-py3-none-any.whl' }],
  [
    'wheel with a build tag',
    { whl: 'numpy-2.1.0-1-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl' },
  ],
  ['wheel of a local version', { whl: 'pkg-1!2.0+local.1-py2.py3-none-any.whl' }],
  ['zipped wheels', { whl: 'managed_fs:/x/all.wheelhouse.zip' }],
  ['pypi', { pypi: { package: 'simplejson==3.8.0', repo: 'https://index' } }],
  ['maven', { maven: { coordinates: 'org.jsoup:jsoup:1.7.2', repo: 'r', exclusions: ['a:b'] } }],
  ['cran', { cran: { package: 'ada', repo: 'r' } }],
])('spec 2.8: a library of kind %s is accepted', (_name, library) => {
  expect(settingsErrorOf({ ...singleTaskJob, libraries: [library] })).toBe('accepted');
});

test.each<[string, object]>([
  [
    'every notification',
    {
      email_notifications: {
        on_start: ['a@x'],
        on_success: [],
        on_failure: ['b@x'],
        on_duration_warning_threshold_exceeded: ['c@x'],
        no_alert_for_skipped_runs: true,
      },
      webhook_notifications: {
        on_start: [{ id: '1' }, { id: '2' }, { id: '3' }],
        on_success: [],
        on_failure: [],
        on_duration_warning_threshold_exceeded: [],
      },
      notification_settings: {
        no_alert_for_skipped_runs: true,
        no_alert_for_canceled_runs: true,
        alert_on_last_attempt: true,
      },
      health: {
        rules: [
          { metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 60 },
          { metric: 'RUN_DURATION_SECONDS', op: 'GREATER_THAN', value: 5 },
        ],
      },
    },
  ],
  [
    'a schedule',
    {
      schedule: {
        quartz_cron_expression: '0 0 6 * * ?',
        timezone_id: 'UTC',
        pause_status: 'PAUSED',
        misfire_policy: 'SKIP',
      },
    },
  ],
  [
    'a schedule with a year',
    { schedule: { quartz_cron_expression: ' 0 0  6 * * ? 2030 ', timezone_id: 'UTC' } },
  ],
  [
    'attempts',
    {
      timeout_seconds: 0,
      max_retries: -1,
      min_retry_interval_millis: 0,
      retry_on_timeout: true,
      max_concurrent_runs: 0,
    },
  ],
  [
    'additional fields of clients',
    {
      queue: { enabled: true },
      tags: { a: 'b' },
      description: 'd',
      parameters: [{ name: 'p', default: '1' }],
      edit_mode: 'EDITABLE',
      git_source: {},
      format: 'SINGLE_TASK',
    },
  ],
])('spec 2.2, 2.8, 2.9: a job with %s is accepted', (_name, extra) => {
  expect(settingsErrorOf({ ...singleTaskJob, ...extra })).toBe('accepted');
});

test('spec 2.4, 8: a multi-task job with shared and own clusters at the limits is accepted', () => {
  const job_clusters = Array.from({ length: 100 }, (_entry, index) => ({
    job_cluster_key: `k${index}`,
    new_cluster: newCluster,
  }));
  const tasks = Array.from({ length: 100 }, (_entry, index) => ({
    task_key: `t${index}`,
    job_cluster_key: `k${index}`,
    notebook_task: taskBodies.notebook_task,
  }));
  expect(settingsErrorOf({ tasks, job_clusters, format: 'MULTI_TASK', libraries: [] }, '2.2')).toBe(
    'accepted',
  );
});

test('spec 2.7: a submit task with reserved options as arguments of the application is accepted', () => {
  const parameters = [
    '--verbose',
    '--conf=a=b',
    '--class',
    '--master',
    'managed_fs:/app.jar',
    '--master',
    'x',
  ];
  expect(settingsErrorOf({ new_cluster: newCluster, spark_submit_task: { parameters } })).toBe('accepted');
});

test('a task kind of a configured plugin is accepted', () => {
  const { notebook_task: _body, ...rest } = sampleTask('t');
  const tasks = [{ ...rest, duck_task: { sql: 'select 1' } }];
  expect(
    settingsErrorOf({ tasks }, '2.1', [...builtInKinds, { name: 'duck_task', needsCluster: true }]),
  ).toBe('accepted');
});
