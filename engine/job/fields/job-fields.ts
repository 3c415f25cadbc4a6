/**
 * Support of the fields of job settings and one-time submissions. Fields of their one task: task-fields.ts.
 */
import { refused, stored, works, type FieldTable } from './field-support.ts';

const billing = stored('Nothing is billed.');
const deployedBy = stored('Shown to the tool that deployed the job.');
const gitSource = refused('import the files into the workspace');
const environments = refused('give every task a cluster, and libraries for its dependencies');
const noCondition = refused('start the job with run-now when the condition holds');
const environmentVariables = refused('use spark_env_vars of the cluster');
const notInSubmission = refused('a one-time run starts at once: create a job');

/** Fields that job settings and submissions have in common. */
const sharedFields = {
  email_notifications: works(),
  webhook_notifications: works(),
  notification_settings: works(),
  health: works(),
  timeout_seconds: works(),
  tasks: works(),
  queue: works(),
  tags: works(),
  parameters: works(),
  run_as: works(
    'Only the user as whom the job runs anyway: its creator, or its owner with job access control.',
  ),
  access_control_list: works(),
  git_source: gitSource,
  environments,
  environment_variables: environmentVariables,
  performance_target: stored('Tasks start as soon as they can.'),
  budget_policy_id: billing,
  usage_policy_id: billing,
} satisfies FieldTable;

export const jobFields = {
  name: works(),
  description: works(),
  ...sharedFields,
  schedule: works(),
  trigger: works(),
  continuous: refused('use schedule or trigger.periodic'),
  max_concurrent_runs: works(),
  job_clusters: works(),
  format: works(),
  edit_mode: deployedBy,
  deployment: deployedBy,
  triggers: refused('use schedule or trigger.periodic'),
  parent_path: stored('Jobs are in no folder of the workspace.'),
} satisfies FieldTable;

export const submissionFields = {
  run_name: works(),
  idempotency_token: works(),
  ...sharedFields,
  job_clusters: refused('give each task a new_cluster or an existing_cluster_id'),
  format: works(),
  schedule: notInSubmission,
  trigger: notInSubmission,
  continuous: notInSubmission,
} satisfies FieldTable;

export const deploymentFields = {
  kind: deployedBy,
  metadata_file_path: deployedBy,
  deployment_id: deployedBy,
  version_id: deployedBy,
} satisfies FieldTable;

export const runAsFields = {
  user_name: works(),
  service_principal_name: works(),
  group_name: refused('a job runs as one user'),
} satisfies FieldTable;

export const accessControlFields = {
  user_name: works(),
  group_name: works(),
  service_principal_name: works(),
  permission_level: works(),
} satisfies FieldTable;

export const scheduleFields = {
  quartz_cron_expression: works(),
  timezone_id: works(),
  pause_status: works(),
  misfire_policy: works('A field of Runyard alone.'),
  sql_condition: noCondition,
} satisfies FieldTable;

export const triggerFields = {
  periodic: works(),
  pause_status: works(),
  file_arrival: refused('use trigger.periodic'),
  table_update: refused('use trigger.periodic'),
  model: refused('use trigger.periodic'),
  sql_condition: noCondition,
} satisfies FieldTable;

export const periodicFields = { interval: works(), unit: works() } satisfies FieldTable;

export const queueFields = { enabled: works() } satisfies FieldTable;

export const jobParameterFields = { name: works(), default: works() } satisfies FieldTable;

export const jobClusterFields = {
  job_cluster_key: works(),
  new_cluster: works(),
  serverless_compute_id: refused('describe the cluster in new_cluster'),
} satisfies FieldTable;

/** Tables of the objects in job settings and submissions that have no validation of their own. */
export const settingsParts = {
  schedule: scheduleFields,
  run_as: runAsFields,
  deployment: deploymentFields,
} satisfies Readonly<Record<string, FieldTable>>;
