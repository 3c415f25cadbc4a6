/** Refused jobs and submissions: format, numbers, notifications and schedules. Each rule has a row. */
import { expect, test } from 'vitest';
import { taskKinds } from '../../../../engine/job/task-kinds.ts';
import {
  taskBodies,
  multiTaskJob,
  newCluster,
  singleTaskJob,
  sampleTask,
  settingsErrorOf,
  submissionErrorOf,
} from './sample-settings.ts';

const { new_cluster: ____, ...noCluster } = singleTaskJob;
const { notebook_task: _____, ...noTask } = singleTaskJob;
const kinds = taskKinds.join(', ');
const rule = { metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 1 };

/** Returns a multi-task job with one task and changed fields. */
function oneTask(extra: object) {
  return { tasks: [{ ...sampleTask('a'), ...extra }] };
}

test.each<[string, object, string]>([
  ['a job without a task', noTask, `No task is given; one of ${kinds}, or tasks, is required.`],
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
    'tasks together with a task kind',
    multiTaskJob({ notebook_task: taskBodies.notebook_task }),
    'notebook_task is a single-task field; with tasks given, it must be in an entry of tasks.',
  ],
  [
    'tasks together with a cluster',
    multiTaskJob({ existing_cluster_id: 'c' }),
    'existing_cluster_id is a single-task field; with tasks given, it must be in an entry of tasks.',
  ],
  [
    'tasks together with retries',
    multiTaskJob({ max_retries: 0 }),
    'max_retries is a single-task field; with tasks given, it must be in an entry of tasks.',
  ],
  ['an empty list of tasks', { tasks: [] }, 'tasks has 0 entries; at least one task is required.'],
  [
    'a MULTI_TASK format against the shape',
    { ...singleTaskJob, format: 'MULTI_TASK' },
    'format is "MULTI_TASK", but the settings are SINGLE_TASK: they have no tasks.',
  ],
  [
    'a SINGLE_TASK format against the shape',
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
    'notebook_task is a single-task field; version 2.1 allows it only in an entry of tasks.',
  ],
  [
    'a cluster at the top',
    { new_cluster: newCluster },
    'new_cluster is a single-task field; version 2.1 allows it only in an entry of tasks.',
  ],
  [
    'no tasks',
    { name: 'n' },
    'Missing required field: tasks. Version 2.1 requires every job as a list of tasks.',
  ],
])('spec 9.2: in 2.1 %s is refused, with a message that names tasks', (_name, settings, message) => {
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
  [
    'a non-ASCII address',
    { email_notifications: { on_failure: ['a@x', 'jürgen@x'] } },
    'email_notifications.on_failure[1] is "jürgen@x"; only ASCII characters are allowed.',
  ],
  [
    'an address that is not in a list',
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
    'tasks together with single-task fields',
    { ...singleTaskJob, tasks: [sampleTask('a')] },
    'notebook_task is a single-task field; with tasks given, it must be in an entry of tasks.',
  ],
  [
    'shared job clusters',
    { tasks: [sampleTask('a')], job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }] },
    'job_clusters is given; a submission cannot have shared job clusters; give each task a new_cluster or an existing_cluster_id.',
  ],
  [
    'a task on a shared cluster',
    { tasks: [{ task_key: 'a', job_cluster_key: 'k', notebook_task: taskBodies.notebook_task }] },
    'tasks[0].job_cluster_key is given; a submission cannot have shared job clusters; give each task a new_cluster or an existing_cluster_id.',
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
