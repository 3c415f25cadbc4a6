/** Samples of the fields of jobs, submissions, notifications, triggers and requests. */
import type { documentedFields } from '../../../engine/job/fields/documented-fields.ts';
import { knownDestinations } from '../../harness/destinations.ts';
import { newCluster, onCluster, pythonTask, sample, withoutWorkload, type Samples } from './sample.ts';
import { parameterSamples } from './task-samples.ts';

type FieldsOf<Name extends keyof typeof documentedFields> = Samples<
  keyof (typeof documentedFields)[Name] & string
>;

const tasks = [{ task_key: 'a', ...onCluster, ...pythonTask }];
const [destination = ''] = knownDestinations;
const addresses = sample(['a@example.org']);
const webhooks = sample([{ id: destination }]);
const flag = sample(true);
const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' };

const condition = sample({ sql_query_id: 'q', warehouse_id: 'w' });

const shared = {
  email_notifications: sample({ on_start: ['a@example.org'] }),
  webhook_notifications: sample({ on_start: [{ id: destination }] }),
  notification_settings: sample({ no_alert_for_skipped_runs: true }),
  health: sample({ rules: [] }),
  timeout_seconds: sample(60),
  tasks: sample(tasks, withoutWorkload),
  queue: sample({ enabled: true }),
  tags: sample({ team: 'data' }),
  parameters: sample([{ name: 'city', default: 'Oslo' }]),
  run_as: sample({ user_name: 'admin' }, {}, { refusedValue: { user_name: 'ben' } }),
  access_control_list: sample([{ group_name: 'users', permission_level: 'CAN_VIEW' }], {}, { hidden: true }),
  git_source: sample({ git_url: 'https://git.example.org/a', git_provider: 'gitHub', git_branch: 'main' }),
  environments: sample([{ environment_key: 'default', spec: { environment_version: '2' } }]),
  environment_variables: sample([{ environment_variables_key: 'k', spec: { variables: { A: '1' } } }]),
  performance_target: sample('STANDARD'),
  budget_policy_id: sample('b'),
  usage_policy_id: sample('u'),
};

export const jobSamples: FieldsOf<'JobSettings'> = {
  ...shared,
  name: sample('nightly'),
  description: sample('Loads the day.'),
  schedule: sample(schedule),
  trigger: sample({ periodic: { interval: 1, unit: 'HOURS' } }),
  continuous: sample({ pause_status: 'UNPAUSED' }),
  max_concurrent_runs: sample(2),
  job_clusters: sample([{ job_cluster_key: 'k', new_cluster: newCluster }], { ...withoutWorkload, tasks }),
  format: sample('SINGLE_TASK'),
  edit_mode: sample('UI_LOCKED'),
  deployment: sample({ kind: 'BUNDLE', metadata_file_path: '/x' }),
  triggers: sample([{ periodic: { interval: 1, unit: 'HOURS' } }]),
  parent_path: sample('/Users/a'),
};

export const submissionSamples: FieldsOf<'SubmitSettings'> = {
  ...shared,
  // The store keeps them as `name`, and as the key of the token.
  run_name: sample('once', {}, { hidden: true }),
  idempotency_token: sample('walk', {}, { hidden: true }),
  job_clusters: sample([{ job_cluster_key: 'k', new_cluster: newCluster }], { ...withoutWorkload, tasks }),
  format: sample('SINGLE_TASK'),
  schedule: sample(schedule),
  trigger: sample({ periodic: { interval: 1, unit: 'HOURS' } }),
  continuous: sample({ pause_status: 'UNPAUSED' }),
};

export const deploymentSamples: FieldsOf<'Deployment'> = {
  kind: sample('BUNDLE'),
  metadata_file_path: sample('/Workspace/x'),
  deployment_id: sample('d'),
  version_id: sample('v'),
};

export const runAsSamples: FieldsOf<'RunAs'> = {
  user_name: sample('admin', {}, { refusedValue: 'nosuch@example.org' }),
  service_principal_name: sample('admin', {}, { refusedValue: 'robot' }),
  group_name: sample('users', { user_name: 'admin' }),
};

export const accessControlSamples: FieldsOf<'AccessControlRequest'> = {
  user_name: sample('ben'),
  group_name: sample('users', { user_name: undefined }),
  service_principal_name: sample('robot', { user_name: undefined }),
  permission_level: sample('CAN_MANAGE'),
};

export const scheduleSamples: FieldsOf<'CronSchedule'> = {
  quartz_cron_expression: sample('0 0 7 * * ?'),
  timezone_id: sample('Europe/Berlin'),
  pause_status: sample('PAUSED'),
  misfire_policy: sample('SKIP'),
  sql_condition: condition,
};

export const triggerSamples: FieldsOf<'Trigger'> = {
  periodic: sample({ interval: 2, unit: 'DAYS' }),
  pause_status: sample('PAUSED'),
  file_arrival: sample({ url: 'managed_fs:/in' }, { periodic: undefined }),
  table_update: sample({ table_names: ['t'] }, { periodic: undefined }),
  model: sample({ condition: 'MODEL_CREATED' }, { periodic: undefined }),
  sql_condition: condition,
};

export const periodicSamples: FieldsOf<'PeriodicTrigger'> = { interval: sample(5), unit: sample('WEEKS') };

export const queueSamples: FieldsOf<'Queue'> = { enabled: flag };

export const jobParameterSamples: FieldsOf<'JobParameter'> = {
  name: sample('town'),
  default: sample('Rome'),
};

export const emailSamples: FieldsOf<'JobEmailNotifications'> = {
  on_start: sample(addresses.value, {}, { refusedValue: ['ann'] }),
  on_success: sample(addresses.value, {}, { refusedValue: ['ann@example.org, ben@example.org'] }),
  on_failure: sample(addresses.value, {}, { refusedValue: [''] }),
  on_duration_warning_threshold_exceeded: sample(addresses.value, {}, { refusedValue: ['a@b@c'] }),
  on_streaming_backlog_exceeded: addresses,
  on_maintenance_start: addresses,
  on_maintenance_complete: addresses,
  no_alert_for_skipped_runs: flag,
};

export const webhookSamples: FieldsOf<'WebhookNotifications'> = {
  on_start: webhooks,
  on_success: webhooks,
  on_failure: webhooks,
  on_duration_warning_threshold_exceeded: webhooks,
  on_streaming_backlog_exceeded: webhooks,
  on_maintenance_start: webhooks,
  on_maintenance_complete: webhooks,
};

export const webhookEntrySamples: FieldsOf<'Webhook'> = {
  id: sample(destination, {}, { refusedValue: 'nosuch' }),
};

export const notificationSettingsSamples: FieldsOf<'JobNotificationSettings'> = {
  no_alert_for_skipped_runs: flag,
  no_alert_for_canceled_runs: flag,
  alert_on_last_attempt: flag,
};

const rule = { metric: 'RUN_DURATION_SECONDS', op: 'GREATER_THAN', operator: 'GREATER_THAN', value: 60 };

export const healthSamples: FieldsOf<'JobsHealthRules'> = { rules: sample([rule]) };

export const healthRuleSamples: FieldsOf<'JobsHealthRule'> = {
  metric: sample('RUN_DURATION_SECONDS', {}, { refusedValue: 'STREAMING_BACKLOG_BYTES' }),
  operator: sample('GREATER_THAN'),
  value: sample(5),
};

const requestParameters = {
  ...parameterSamples,
  performance_target: sample('STANDARD', {}, { hidden: true }),
};

export const runNowSamples: FieldsOf<'RunNow'> = {
  ...requestParameters,
  job_id: sample(1),
  idempotency_token: sample('walk'),
  queue: sample({ enabled: true }),
  only: sample(['a']),
};
