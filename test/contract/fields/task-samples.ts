/** Samples of the fields of tasks and of the bodies of task kinds. */
import type { documentedFields } from '../../../engine/job/fields/documented-fields.ts';
import { knownDestinations } from '../../harness/destinations.ts';
import { newCluster, onCluster, sample, withoutWorkload, type Samples } from './sample.ts';

type FieldsOf<Name extends keyof typeof documentedFields> = Samples<
  keyof (typeof documentedFields)[Name] & string
>;

/** A task of another kind than that of the base, with a cluster for the kinds that need one. */
const kind = (body: object, cluster: object = onCluster) => sample(body, { ...withoutWorkload, ...cluster });
const unknownKind = kind({ any: 'field' });
const [destination = ''] = knownDestinations;

export const taskSamples: FieldsOf<'TaskSettings'> = {
  task_key: sample('other'),
  description: sample('Loads the day.'),
  depends_on: sample([{ task_key: 'first' }]),
  run_if: sample('ALL_DONE', { depends_on: [{ task_key: 'first' }] }),
  existing_cluster_id: sample('c-2'),
  new_cluster: sample(newCluster, { existing_cluster_id: undefined }),
  job_cluster_key: sample('shared', { existing_cluster_id: undefined }),
  notebook_task: kind({ notebook_path: '/nb' }),
  spark_jar_task: kind({ main_class_name: 'com.example.Main' }),
  spark_python_task: sample({ python_file: 'managed_fs:/b.py' }),
  spark_submit_task: kind({ parameters: ['managed_fs:/a.jar'] }, { new_cluster: newCluster }),
  pipeline_task: kind({ pipeline_id: 'sales' }, {}),
  run_job_task: kind({ job_id: 7 }, {}),
  ai_runtime_task: unknownKind,
  alert_task: unknownKind,
  clean_rooms_notebook_task: unknownKind,
  condition_task: unknownKind,
  dashboard_task: unknownKind,
  dbt_cloud_task: unknownKind,
  dbt_platform_task: unknownKind,
  dbt_task: unknownKind,
  for_each_task: unknownKind,
  gen_ai_compute_task: unknownKind,
  power_bi_task: unknownKind,
  python_operator_task: unknownKind,
  python_wheel_task: unknownKind,
  sql_task: unknownKind,
  libraries: sample([{ jar: 'managed_fs:/a.jar' }]),
  timeout_seconds: sample(60),
  max_retries: sample(2),
  min_retry_interval_millis: sample(1_000),
  retry_on_timeout: sample(true),
  email_notifications: sample({ on_start: ['a@example.org'] }),
  webhook_notifications: sample({ on_start: [{ id: destination }] }),
  notification_settings: sample({ alert_on_last_attempt: true }),
  health: sample({ rules: [] }),
  disabled: sample(true),
  disable_auto_optimization: sample(true),
  environment_key: sample('default'),
  environment_variables_key: sample('k'),
  compute: sample({ hardware_accelerator: 'GPU_1xA10' }),
};

export const dependencySamples: FieldsOf<'TaskDependency'> = {
  task_key: sample('first'),
  outcome: sample('true'),
};

export const notebookSamples: FieldsOf<'NotebookTask'> = {
  notebook_path: sample('/Users/a/nb'),
  revision_timestamp: sample(1_770_000_000_000),
  base_parameters: sample({ day: '1' }),
  source: sample('WORKSPACE', {}, { refusedValue: 'GIT' }),
  warehouse_id: sample('1234567890abcdef'),
};

export const jarSamples: FieldsOf<'SparkJarTask'> = {
  jar_uri: sample('managed_fs:/a.jar'),
  main_class_name: sample('com.example.Other'),
  parameters: sample(['a']),
  run_as_repl: sample(true),
};

export const pythonSamples: FieldsOf<'SparkPythonTask'> = {
  python_file: sample('managed_fs:/b.py'),
  parameters: sample(['a']),
  source: sample('WORKSPACE', {}, { refusedValue: 'GIT' }),
};

export const submitSamples: FieldsOf<'SparkSubmitTask'> = { parameters: sample(['managed_fs:/a.jar']) };

export const pipelineParamsSamples: FieldsOf<'PipelineParams'> = {
  full_refresh: sample(true),
  full_refresh_selection: sample(['t']),
  refresh_selection: sample(['t']),
  reset_checkpoint_selection: sample(['f']),
  refresh_flow_selection: sample(['f']),
};

export const pipelineSamples: FieldsOf<'PipelineTask'> = {
  pipeline_id: sample('sales'),
  ...pipelineParamsSamples,
  validate_only: sample(true),
  parameters: sample({ day: '1' }),
};

/** Parameters of a run, for run-now, repairs and run_job_task. */
export const parameterSamples = {
  jar_params: sample(['a']),
  notebook_params: sample({ a: 'b' }),
  python_params: sample(['a']),
  spark_submit_params: sample(['managed_fs:/a.jar']),
  pipeline_params: sample({ full_refresh: true }),
  job_parameters: sample({ city: 'Oslo' }),
  python_named_params: sample({ a: 'b' }),
  sql_params: sample({ a: 'b' }),
  dbt_commands: sample(['dbt run']),
};

export const runJobSamples: FieldsOf<'RunJobTask'> = { job_id: sample(8), ...parameterSamples };
