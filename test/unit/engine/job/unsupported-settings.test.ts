/** Messages of settings that are refused because they would have no effect. The field walk covers every field. */
import { expect, test } from 'vitest';
import {
  aliasOf,
  newCluster,
  sampleTask,
  settingsErrorOf,
  singleTaskJob,
  submissionErrorOf,
} from './sample-settings.ts';

const store = aliasOf('objstore');
const bucket = { destination: 'objstore://b/x' };
const logs = { destination: 'managed_fs:/logs' };

/** Returns a multi-task job whose second task has changed fields. */
const withTask = (extra: object) => ({ tasks: [sampleTask('a'), { ...sampleTask('b', 'a'), ...extra }] });

/** Returns a single-task job whose new cluster has additional fields. */
const withCluster = (extra: object) => ({ ...singleTaskJob, new_cluster: { ...newCluster, ...extra } });

const emails = (address: string) => ({
  ...singleTaskJob,
  email_notifications: { on_start: ['a@x', address] },
});

test.each<[object, string]>([
  [
    { ...singleTaskJob, git_source: { git_url: 'https://git.example.org/a' } },
    'git_source is not supported; import the files into the workspace.',
  ],
  [
    withTask({ notebook_task: { notebook_path: '/a', source: 'GIT' } }),
    'tasks[1].notebook_task.source is "GIT"; git_source is not supported, so it must be WORKSPACE.',
  ],
  [
    { ...singleTaskJob, environments: [{ environment_key: 'e' }] },
    'environments is not supported; give every task a cluster, and libraries for its dependencies.',
  ],
  [
    withTask({ environment_key: 'e' }),
    'tasks[1].environment_key is "e"; environments are not supported, so none has this key: give the task a cluster and libraries.',
  ],
  [withTask({ disabled: true }), 'tasks[1].disabled is true; a task cannot be disabled, only removed.'],
  [
    withTask({ depends_on: [{ task_key: 'a', outcome: 'true' }] }),
    'tasks[1].depends_on[0].outcome is "true"; only a condition_task has an outcome, and this service has no such task kind.',
  ],
  [
    withTask({ run_job_task: { job_id: 7, sql_params: { a: 'b' } }, notebook_task: undefined }),
    'tasks[1].run_job_task.sql_params is not supported; it is for a sql_task, which this service does not have.',
  ],
  [
    withCluster({ docker_image: { url: 'i' } }),
    'new_cluster.docker_image is not supported; install what the tasks need with libraries and init_scripts.',
  ],
  [
    withCluster({ cluster_log_conf: { managed_fs: logs, [store]: bucket } }),
    `new_cluster.cluster_log_conf has managed_fs and ${store}; only one destination is allowed.`,
  ],
  [
    withCluster({ cluster_log_conf: { ftp: logs } }),
    'new_cluster.cluster_log_conf.ftp is not supported; logs are delivered only to managed_fs.',
  ],
  [
    withCluster({ init_scripts: [{ workspace: { destination: '/a' }, ftp: logs }] }),
    'new_cluster.init_scripts[0].ftp is not supported; a script is in workspace, managed_fs or objstore.',
  ],
  [
    withCluster({ driver_instance_pool_id: 'p' }),
    'new_cluster.driver_instance_pool_id is "p"; the driver is a node of the instance_pool_id, so both must be the same.',
  ],
  [
    withCluster({ num_workers: 2, is_single_node: true }),
    'new_cluster.is_single_node is true, but num_workers is 2; a single node has no workers.',
  ],
  [
    emails('ann'),
    'email_notifications.on_start[1] is "ann"; it must be an e-mail address, such as name@example.org.',
  ],
  [
    emails('a@x, b@x'),
    'email_notifications.on_start[1] is "a@x, b@x"; it must be an e-mail address, such as name@example.org.',
  ],
])('%j is refused', (settings, message) => {
  expect(settingsErrorOf(settings)).toBe(message);
});

test('a one-time run with a schedule is refused', () => {
  const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' };
  expect(submissionErrorOf({ ...singleTaskJob, schedule })).toBe(
    'schedule is not supported; a one-time run starts at once: create a job.',
  );
});

test.each([
  withCluster({ instance_pool_id: 'p', driver_instance_pool_id: 'p' }),
  withCluster({ num_workers: undefined, is_single_node: true }),
  withTask({ disabled: false, environment_key: '' }),
])('%j is accepted', (settings) => {
  expect(settingsErrorOf(JSON.parse(JSON.stringify(settings)))).toBe('accepted');
});
