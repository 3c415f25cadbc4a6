/** Settings that are refused: every rule has a row with its exact message. */
import { expect, test } from 'vitest';
import { taskKinds } from '../../../../engine/job/task-kinds.ts';
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

const { num_workers: _, ...noSize } = newCluster;
const { spark_version: __, ...noVersion } = newCluster;
const { node_type_id: ___, ...noNodeType } = newCluster;
const { new_cluster: ____, ...noCluster } = singleTaskJob;
const { notebook_task: _____, ...noTask } = singleTaskJob;
const kinds = taskKinds.join(', ');
const incomplete = 'Cluster validation error: Missing required field: settings.cluster_spec.new_cluster';
const [cloud, fs, store] = [aliasOf('cloud_attributes'), aliasOf('managed_fs'), aliasOf('objstore')];
const rule = { metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 1 };

/** A multi-task job with one task, changed. */
function oneTask(extra: object) {
  return { tasks: [{ ...sampleTask('a'), ...extra }] };
}

/** A single-task job of one kind on a new cluster. */
function work(kind: object) {
  return { new_cluster: newCluster, ...kind };
}

test.each<[string, object, string]>([
  ['no task at all', noTask, `No task is given; one of ${kinds}, or tasks, is required.`],
  [
    'two task kinds',
    { ...singleTaskJob, spark_jar_task: {} },
    `The job has notebook_task and spark_jar_task; exactly one of ${kinds} is allowed.`,
  ],
  [
    'an unknown task kind',
    { ...noTask, magic_task: {} },
    `magic_task is not a task kind of this service; the known kinds are ${kinds}.`,
  ],
  [
    'tasks beside a task kind',
    multiTaskJob({ notebook_task: taskBodies.notebook_task }),
    'notebook_task is a single-task field; beside tasks it belongs into an entry of tasks.',
  ],
  [
    'tasks beside a cluster',
    multiTaskJob({ existing_cluster_id: 'c' }),
    'existing_cluster_id is a single-task field; beside tasks it belongs into an entry of tasks.',
  ],
  [
    'tasks beside retries',
    multiTaskJob({ max_retries: 0 }),
    'max_retries is a single-task field; beside tasks it belongs into an entry of tasks.',
  ],
  ['an empty list of tasks', { tasks: [] }, 'tasks has 0 entries; at least one task is required.'],
  [
    'format against the shape',
    { ...singleTaskJob, format: 'MULTI_TASK' },
    'format is "MULTI_TASK", but the settings are SINGLE_TASK: they have no tasks.',
  ],
  [
    'the other way round',
    multiTaskJob({ format: 'SINGLE_TASK' }),
    'format is "SINGLE_TASK", but the settings are MULTI_TASK: they have tasks.',
  ],
  [
    'an unknown format',
    { ...singleTaskJob, format: 'X' },
    'format is "X"; it must be one of SINGLE_TASK, MULTI_TASK.',
  ],
  [
    'job_clusters in single-task',
    { ...singleTaskJob, job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }] },
    'Shared job cluster feature is only supported in multi-task jobs.',
  ],
  [
    'job_cluster_key in single-task',
    { ...noCluster, job_cluster_key: 'k' },
    'Shared job cluster feature is only supported in multi-task jobs.',
  ],
  [
    'a name over the limit',
    { ...singleTaskJob, name: 'ü'.repeat(2049) },
    'name is 4098 bytes of UTF-8; at most 4096 are allowed.',
  ],
])('spec 2.2: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(settings)).toBe(message);
});

test.each<[string, object, string]>([
  [
    'a task kind at the top',
    singleTaskJob,
    'notebook_task is a single-task field; version 2.1 takes it only within an entry of tasks.',
  ],
  [
    'a cluster at the top',
    { new_cluster: newCluster },
    'new_cluster is a single-task field; version 2.1 takes it only within an entry of tasks.',
  ],
  [
    'no tasks',
    { name: 'n' },
    'Missing required field: tasks. Version 2.1 takes every job as a list of tasks.',
  ],
])('spec 9.2: in 2.1 %s is refused, naming tasks', (_name, settings, message) => {
  expect(settingsErrorOf(settings, '2.1')).toBe(message);
});

test.each<[string, object, string]>([
  [
    'a negative timeout',
    { ...singleTaskJob, timeout_seconds: -5 },
    'timeout_seconds is -5; it must be at least 0.',
  ],
  [
    'a negative interval',
    { ...singleTaskJob, min_retry_interval_millis: -1 },
    'min_retry_interval_millis is -1; it must be at least 0.',
  ],
  ['retries below -1', oneTask({ max_retries: -2 }), 'tasks[0].max_retries is -2; it must be at least -1.'],
  [
    'negative concurrency',
    { ...singleTaskJob, max_concurrent_runs: -1 },
    'max_concurrent_runs is -1; it must be at least 0.',
  ],
  [
    'concurrency over the limit',
    { ...singleTaskJob, max_concurrent_runs: 1001 },
    'max_concurrent_runs is 1001; it must be between 0 and 1000.',
  ],
  [
    'more than INT32',
    { ...singleTaskJob, timeout_seconds: 2 ** 31 },
    'timeout_seconds is 2147483648; it must be at most 2147483647.',
  ],
])('spec 2.2, 2.3: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(settings)).toBe(message);
});

test.each<[string, object, string]>([
  ['no compute', noCluster, 'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.'],
  [
    'an empty existing_cluster_id',
    { ...noCluster, existing_cluster_id: '' },
    'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.',
  ],
  [
    'no compute in a task',
    { tasks: [sampleTask('a'), { task_key: 'b', notebook_task: taskBodies.notebook_task }] },
    'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified. tasks[1] has none.',
  ],
  [
    'two clusters',
    { ...singleTaskJob, existing_cluster_id: 'c' },
    'The job has new_cluster and existing_cluster_id; exactly one of job_cluster_key, new_cluster, existing_cluster_id is allowed.',
  ],
  [
    'two clusters in a pipeline task',
    {
      tasks: [
        {
          task_key: 'a',
          pipeline_task: taskBodies.pipeline_task,
          new_cluster: newCluster,
          existing_cluster_id: 'c',
        },
      ],
    },
    'tasks[0] has new_cluster and existing_cluster_id; exactly one of job_cluster_key, new_cluster, existing_cluster_id is allowed.',
  ],
  ['no size', { ...singleTaskJob, new_cluster: noSize }, `${incomplete}.size`],
  ['no size in a task', oneTask({ new_cluster: noSize }), `${incomplete}.size (tasks[0].new_cluster)`],
  ['no spark_version', { ...singleTaskJob, new_cluster: noVersion }, `${incomplete}.spark_version`],
  ['no node type', { ...singleTaskJob, new_cluster: noNodeType }, `${incomplete}.node_type_id`],
  [
    'size twice',
    { ...singleTaskJob, new_cluster: { ...newCluster, autoscale: { min_workers: 1, max_workers: 2 } } },
    'new_cluster has num_workers and autoscale; exactly one of num_workers, autoscale is allowed.',
  ],
  [
    'an empty range',
    { ...singleTaskJob, new_cluster: { ...noSize, autoscale: { min_workers: 2, max_workers: 2 } } },
    'new_cluster.autoscale.max_workers is 2; it must be greater than min_workers, which is 2.',
  ],
  [
    'half a range',
    { ...singleTaskJob, new_cluster: { ...noSize, autoscale: { min_workers: 2 } } },
    'Missing required field: new_cluster.autoscale.max_workers.',
  ],
  [
    'negative workers',
    { ...singleTaskJob, new_cluster: { ...newCluster, num_workers: -1 } },
    'new_cluster.num_workers is -1; it must be at least 0.',
  ],
  [
    'a small boot disk',
    { ...singleTaskJob, new_cluster: { ...newCluster, cloud_attributes: { boot_disk_size: 99 } } },
    'new_cluster.cloud_attributes.boot_disk_size is 99; it must be between 100 and 4096.',
  ],
  [
    'a large boot disk under an alias',
    { ...singleTaskJob, new_cluster: { ...newCluster, [cloud]: { boot_disk_size: 4097 } } },
    `new_cluster.${cloud}.boot_disk_size is 4097; it must be between 100 and 4096.`,
  ],
  [
    'a non-ASCII variable',
    { ...singleTaskJob, new_cluster: { ...newCluster, spark_env_vars: { A: 'ä' } } },
    'new_cluster.spark_env_vars.A is "ä"; only ASCII characters are allowed.',
  ],
  [
    'a non-ASCII variable name',
    { ...singleTaskJob, new_cluster: { ...newCluster, spark_env_vars: { Ä: 'a' } } },
    'new_cluster.spark_env_vars has the name "Ä"; only ASCII characters are allowed.',
  ],
  [
    'log delivery to nowhere',
    { ...singleTaskJob, new_cluster: { ...newCluster, cluster_log_conf: {} } },
    'Missing required field: new_cluster.cluster_log_conf.managed_fs.',
  ],
  [
    'log delivery without destination',
    { ...singleTaskJob, new_cluster: { ...newCluster, cluster_log_conf: { [fs]: {} } } },
    `Missing required field: new_cluster.cluster_log_conf.${fs}.destination.`,
  ],
  [
    'log delivery to an empty destination',
    { ...singleTaskJob, new_cluster: { ...newCluster, cluster_log_conf: { [fs]: { destination: '' } } } },
    `Missing required field: new_cluster.cluster_log_conf.${fs}.destination.`,
  ],
  [
    'an init script without store',
    { ...singleTaskJob, new_cluster: { ...newCluster, init_scripts: [{}] } },
    'new_cluster.init_scripts[0] has none of workspace, managed_fs, objstore; exactly one is required.',
  ],
  [
    'an init script in two stores',
    {
      ...singleTaskJob,
      new_cluster: {
        ...newCluster,
        init_scripts: [{ [fs]: { destination: 'a' }, [store]: { destination: 'b' } }],
      },
    },
    `new_cluster.init_scripts[0] has ${fs} and ${store}; exactly one of workspace, managed_fs, objstore is allowed.`,
  ],
  [
    'an init script without place',
    { ...singleTaskJob, new_cluster: { ...newCluster, init_scripts: [{ [store]: { destination: ' ' } }] } },
    `Missing required field: new_cluster.init_scripts[0].${store}.destination.`,
  ],
  [
    'tags in a list',
    { ...singleTaskJob, new_cluster: { ...newCluster, custom_tags: ['a'] } },
    'Could not parse request object: Expected object for field new_cluster.custom_tags, found ARRAY',
  ],
  [
    'a tag that is no text',
    { ...singleTaskJob, new_cluster: { ...newCluster, custom_tags: { a: 1 } } },
    'Could not parse request object: Expected string for field new_cluster.custom_tags.a, found NUMBER',
  ],
])('spec 2.2, 2.8: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(settings)).toBe(message);
});

test.each<[string, unknown, string]>([
  ['no kind', {}, 'libraries[0] has none of jar, egg, whl, pypi, maven, cran; exactly one is required.'],
  [
    'an unknown kind',
    { requirements: 'r' },
    'libraries[0] has none of jar, egg, whl, pypi, maven, cran; exactly one is required.',
  ],
  [
    'two kinds',
    { jar: 'a', egg: 'b' },
    'libraries[0] has jar and egg; exactly one of jar, egg, whl, pypi, maven, cran is allowed.',
  ],
  [
    'a wheel without tags',
    { whl: 'managed_fs:/pkg-1.0.whl' },
    'libraries[0].whl is "managed_fs:/pkg-1.0.whl"; the file must be named name-version-python-abi-platform.whl, or end in .wheelhouse.zip.',
  ],
  [
    'a zip',
    { whl: 'a.zip' },
    'libraries[0].whl is "a.zip"; the file must be named name-version-python-abi-platform.whl, or end in .wheelhouse.zip.',
  ],
  ['no package', { pypi: {} }, 'Missing required field: libraries[0].pypi.package.'],
  ['no coordinates', { maven: { repo: 'r' } }, 'Missing required field: libraries[0].maven.coordinates.'],
  ['no CRAN package', { cran: {} }, 'Missing required field: libraries[0].cran.package.'],
  ['a text', 'a.jar', 'Could not parse request object: Expected object for field libraries[0], found STRING'],
])('spec 2.8: a library with %s is refused', (_name, library, message) => {
  expect(settingsErrorOf({ ...singleTaskJob, libraries: [library] })).toBe(message);
});

test.each<[string, object, string]>([
  [
    'a notebook path without slash',
    work({ notebook_task: { notebook_path: 'Users/a' } }),
    'notebook_task.notebook_path is "Users/a"; it must be an absolute path that begins with a slash.',
  ],
  [
    'a notebook without path',
    work({ notebook_task: {} }),
    'Missing required field: notebook_task.notebook_path.',
  ],
  [
    'an empty notebook path',
    oneTask({ notebook_task: { notebook_path: '' } }),
    'Missing required field: tasks[0].notebook_task.notebook_path.',
  ],
  [
    'a non-ASCII notebook parameter',
    oneTask({ notebook_task: { notebook_path: '/a', base_parameters: { p: 'é' } } }),
    'tasks[0].notebook_task.base_parameters.p is "é"; only ASCII characters are allowed.',
  ],
  [
    'a notebook parameter that is no text',
    work({ notebook_task: { notebook_path: '/a', base_parameters: { p: 5 } } }),
    'Could not parse request object: Expected string for field notebook_task.base_parameters.p, found NUMBER',
  ],
  [
    'a line break in a parameter name hides nothing',
    work({ notebook_task: { notebook_path: '/a', base_parameters: { 'p\nq': 5 } } }),
    'Could not parse request object: Expected string for field notebook_task.base_parameters.p\nq, found NUMBER',
  ],
  [
    'an empty Python file',
    work({ spark_python_task: { python_file: '' } }),
    'Missing required field: spark_python_task.python_file.',
  ],
  [
    'an empty pipeline',
    { pipeline_task: { pipeline_id: '' } },
    'Missing required field: pipeline_task.pipeline_id.',
  ],
  ['a job to run that is missing', { run_job_task: {} }, 'Missing required field: run_job_task.job_id.'],
  [
    'a job to run below 0',
    { run_job_task: { job_id: -1 } },
    'run_job_task.job_id is -1; it must be at least 0.',
  ],
  [
    'a submit task with --master',
    work({ spark_submit_task: { parameters: ['--conf', 'a=b', '--master', 'local', 'a.jar'] } }),
    'spark_submit_task.parameters[2] is --master; it is set by the service and must not be given.',
  ],
  [
    'a submit task with --deploy-mode=',
    work({ spark_submit_task: { parameters: ['--deploy-mode=cluster', 'a.jar'] } }),
    'spark_submit_task.parameters[0] is --deploy-mode; it is set by the service and must not be given.',
  ],
  [
    'a submit task with a property for --executor-cores',
    work({ spark_submit_task: { parameters: ['--conf', 'spark.executor.cores=2', 'a.jar'] } }),
    'spark_submit_task.parameters[1] sets spark.executor.cores; it is set by the service and must not be given.',
  ],
  [
    'a submit task with --conf=spark.master',
    work({ spark_submit_task: { parameters: ['-v', '--conf=spark.master=local'] } }),
    'spark_submit_task.parameters[1] sets spark.master; it is set by the service and must not be given.',
  ],
  [
    'a submit task with --executor-cores',
    oneTask({ notebook_task: undefined, spark_submit_task: { parameters: ['-v', '--executor-cores', '2'] } }),
    'tasks[0].spark_submit_task.parameters[1] is --executor-cores; it is set by the service and must not be given.',
  ],
  [
    'a submit task on an existing cluster',
    { existing_cluster_id: 'c', spark_submit_task: {} },
    'existing_cluster_id is given; spark_submit_task runs only on a new_cluster.',
  ],
  [
    'a submit task with libraries',
    work({ spark_submit_task: {}, libraries: [{ jar: 'a' }] }),
    'libraries is given; spark_submit_task takes libraries only as --jars, --py-files and --files in its parameters.',
  ],
  [
    'a submit task with spark_conf',
    { spark_submit_task: {}, new_cluster: { ...newCluster, spark_conf: { a: 'b' } } },
    'new_cluster.spark_conf is given; spark_submit_task takes configuration only as --conf in its parameters.',
  ],
])('spec 2.7: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(JSON.parse(JSON.stringify(settings)))).toBe(message);
});

test.each<[string, object, string]>([
  [
    '101 tasks',
    { tasks: Array.from({ length: 101 }, (_entry, index) => sampleTask(`t${index}`)) },
    'tasks has 101 entries; at most 100 are allowed.',
  ],
  [
    '101 job clusters',
    multiTaskJob({
      job_clusters: Array.from({ length: 101 }, (_entry, index) => ({
        job_cluster_key: `k${index}`,
        new_cluster: newCluster,
      })),
    }),
    'job_clusters has 101 entries; at most 100 are allowed.',
  ],
  [
    'a duplicate job_cluster_key',
    multiTaskJob({
      job_clusters: [
        { job_cluster_key: 'k', new_cluster: newCluster },
        { job_cluster_key: 'k', new_cluster: newCluster },
      ],
    }),
    'job_clusters[1].job_cluster_key is "k", as is that of job_clusters[0]; each must be unique.',
  ],
  [
    'an unknown job_cluster_key',
    { tasks: [{ task_key: 'a', job_cluster_key: 'x', notebook_task: taskBodies.notebook_task }] },
    'tasks[0].job_cluster_key is "x"; no entry of job_clusters has this key.',
  ],
  [
    'libraries in a job cluster',
    multiTaskJob({
      job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster, libraries: [{ jar: 'a' }] }],
    }),
    'job_clusters[0].libraries is given; libraries are configured in the tasks, never on a shared job cluster.',
  ],
  [
    'libraries in its new_cluster',
    multiTaskJob({
      job_clusters: [{ job_cluster_key: 'k', new_cluster: { ...newCluster, libraries: [{ jar: 'a' }] } }],
    }),
    'job_clusters[0].new_cluster.libraries is given; libraries are configured in the tasks, never on a shared job cluster.',
  ],
  [
    'an incomplete job cluster',
    multiTaskJob({ job_clusters: [{ job_cluster_key: 'k', new_cluster: noSize }] }),
    `${incomplete}.size (job_clusters[0].new_cluster)`,
  ],
  [
    'a job cluster without cluster',
    multiTaskJob({ job_clusters: [{ job_cluster_key: 'k' }] }),
    'Missing required field: job_clusters[0].new_cluster.',
  ],
  [
    'a submit task on a shared cluster',
    multiTaskJob({
      job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }],
      tasks: [{ task_key: 'a', job_cluster_key: 'k', spark_submit_task: {} }],
    }),
    'tasks[0].job_cluster_key is given; tasks[0].spark_submit_task runs only on a new_cluster.',
  ],
  [
    'a task without key',
    { tasks: [{ notebook_task: taskBodies.notebook_task }] },
    'Missing required field: tasks[0].task_key.',
  ],
  [
    'a task key with a space',
    { tasks: [sampleTask('a b')] },
    'tasks[0].task_key is "a b"; it must match ^[A-Za-z0-9_-]{1,100}$.',
  ],
  [
    'a task key with a line break',
    { tasks: [sampleTask('a\n')] },
    'tasks[0].task_key is "a\\n"; it must match ^[A-Za-z0-9_-]{1,100}$.',
  ],
  [
    'a long task key',
    { tasks: [sampleTask('x'.repeat(101))] },
    `tasks[0].task_key is "${'x'.repeat(79)}...; it must match ^[A-Za-z0-9_-]{1,100}$.`,
  ],
  [
    'a task without kind',
    { tasks: [{ task_key: 'a', new_cluster: newCluster }] },
    `tasks[0] has none of ${kinds}; exactly one is required.`,
  ],
  [
    'two kinds in a task',
    oneTask({ run_job_task: { job_id: 1 } }),
    `tasks[0] has notebook_task and run_job_task; exactly one of ${kinds} is allowed.`,
  ],
  [
    'an unknown kind beside a known one',
    oneTask({ condition_task: { op: 'EQUAL_TO' } }),
    `tasks[0].condition_task is not a task kind of this service; the known kinds are ${kinds}.`,
  ],
  [
    'an unknown run_if',
    oneTask({ run_if: 'NEVER' }),
    'tasks[0].run_if is "NEVER"; it must be one of ALL_SUCCESS, AT_LEAST_ONE_SUCCESS, NONE_FAILED, ALL_DONE, AT_LEAST_ONE_FAILED, ALL_FAILED.',
  ],
  [
    'a cycle',
    { tasks: [sampleTask('a', 'b'), sampleTask('b', 'a')] },
    'tasks: depends_on must not form a cycle, but it does: a -> b -> a.',
  ],
  [
    'tasks that are no list',
    { tasks: {} },
    'Could not parse request object: Expected array for field tasks, found OBJECT',
  ],
])('spec 2.3, 2.4, 8: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(settings, '2.1')).toBe(message);
});

test.each<[string, object, string]>([
  [
    'a non-ASCII address',
    { email_notifications: { on_failure: ['a@x', 'jürgen@x'] } },
    'email_notifications.on_failure[1] is "jürgen@x"; only ASCII characters are allowed.',
  ],
  [
    'an address that is no list',
    { email_notifications: { on_start: 'a@x' } },
    'Could not parse request object: Expected array for field email_notifications.on_start, found STRING',
  ],
  [
    'a fourth webhook',
    { webhook_notifications: { on_failure: ['1', '2', '3', '4'].map((id) => ({ id })) } },
    'webhook_notifications.on_failure has 4 entries; at most 3 are allowed.',
  ],
  [
    'a webhook without id',
    { webhook_notifications: { on_start: [{}] } },
    'Missing required field: webhook_notifications.on_start[0].id.',
  ],
  [
    'an unknown metric',
    { health: { rules: [{ ...rule, metric: 'CPU' }] } },
    'health.rules[0].metric is "CPU"; it must be one of RUN_DURATION_SECONDS.',
  ],
  [
    'an unknown operator',
    { health: { rules: [{ ...rule, operator: 'LESS' }] } },
    'health.rules[0].operator is "LESS"; it must be one of GREATER_THAN.',
  ],
  [
    'an unknown op',
    { health: { rules: [{ metric: rule.metric, value: 1, op: 'LESS' }] } },
    'health.rules[0].op is "LESS"; it must be one of GREATER_THAN.',
  ],
  [
    'no operator',
    { health: { rules: [{ metric: rule.metric, value: 1 }] } },
    'Missing required field: health.rules[0].operator.',
  ],
  [
    'no threshold',
    { health: { rules: [{ metric: rule.metric, op: 'GREATER_THAN' }] } },
    'Missing required field: health.rules[0].value.',
  ],
])('spec 2.9: %s is refused, on a job and on a task', (_name, extra, message) => {
  expect(settingsErrorOf({ ...singleTaskJob, ...extra })).toBe(message);
  const field = /(email|webhook|health)\S*/.exec(message)?.[0] ?? '';
  expect(settingsErrorOf(oneTask(extra), '2.1')).toBe(message.replace(field, `tasks[0].${field}`));
});

test.each<[string, object, string]>([
  [
    'five fields',
    { quartz_cron_expression: '0 6 * * ?', timezone_id: 'UTC' },
    'Invalid quartz_cron_expression: "0 6 * * ?". It has 5 fields; 6 or 7 are required: second minute hour day-of-month month day-of-week [year].',
  ],
  [
    'no field',
    { quartz_cron_expression: '', timezone_id: 'UTC' },
    'Invalid quartz_cron_expression: "". It has 0 fields; 6 or 7 are required: second minute hour day-of-month month day-of-week [year].',
  ],
  [
    'an empty zone',
    { quartz_cron_expression: '0 0 6 * * ?', timezone_id: '' },
    'schedule.timezone_id is ""; it must be a Java time zone id, for example Europe/Berlin.',
  ],
  ['no zone', { quartz_cron_expression: '0 0 6 * * ?' }, 'Missing required field: schedule.timezone_id.'],
  ['no expression', { timezone_id: 'UTC' }, 'Missing required field: schedule.quartz_cron_expression.'],
  [
    'an unknown pause_status',
    { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status: 'ON' },
    'schedule.pause_status is "ON"; it must be one of PAUSED, UNPAUSED.',
  ],
])('spec 2.8: a schedule with %s is refused', (_name, schedule, message) => {
  expect(settingsErrorOf({ ...singleTaskJob, schedule })).toBe(message);
});

test.each<[string, object, string]>([
  ['no task', { run_name: 'r' }, `No task is given; one of ${kinds}, or tasks, is required.`],
  [
    'tasks beside single-task fields',
    { ...singleTaskJob, tasks: [sampleTask('a')] },
    'notebook_task is a single-task field; beside tasks it belongs into an entry of tasks.',
  ],
  [
    'shared job clusters',
    { tasks: [sampleTask('a')], job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }] },
    'job_clusters is given; a submission has no shared job clusters: give each task a new_cluster or an existing_cluster_id.',
  ],
  [
    'a task on a shared cluster',
    { tasks: [{ task_key: 'a', job_cluster_key: 'k', notebook_task: taskBodies.notebook_task }] },
    'tasks[0].job_cluster_key is given; a submission has no shared job clusters: give each task a new_cluster or an existing_cluster_id.',
  ],
  [
    'a task without cluster',
    { tasks: [{ task_key: 'a', notebook_task: taskBodies.notebook_task }] },
    'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified. tasks[0] has none.',
  ],
  [
    'a long run_name',
    { ...singleTaskJob, run_name: 'x'.repeat(4097) },
    'run_name is 4097 bytes of UTF-8; at most 4096 are allowed.',
  ],
  [
    'a long idempotency_token',
    { ...singleTaskJob, idempotency_token: 'x'.repeat(65) },
    'idempotency_token has 65 characters; at most 64 are allowed.',
  ],
  [
    'too many webhooks',
    { ...singleTaskJob, webhook_notifications: { on_start: ['1', '2', '3', '4'].map((id) => ({ id })) } },
    'webhook_notifications.on_start has 4 entries; at most 3 are allowed.',
  ],
  [
    'a cycle',
    { tasks: [sampleTask('a', 'a')] },
    'tasks[0].depends_on[0].task_key is "a", the task itself; a task may depend on other tasks only.',
  ],
])('spec 4.1.5: a submission with %s is refused in every version', (_name, submission, message) => {
  for (const version of ['2.0', '2.1', '2.2'] as const)
    expect(submissionErrorOf(submission, version)).toBe(message);
});
