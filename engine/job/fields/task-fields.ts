/** Support of the fields of tasks: the task itself, its dependencies, and the bodies of the task kinds. */
import {
  refused,
  refusedIf,
  refusedWhere,
  stored,
  works,
  worksExcept,
  type FieldTable,
} from './field-support.ts';
import { isNonEmpty, quote } from '../../validation/messages.ts';

/**
 * Field of a task kind that this service does not have. Every other key that ends in `_task` is refused, too.
 */
const unknownKind = refused('see the task kinds of this service');

const git = 'git_source is not supported, so it must be WORKSPACE';

export const taskFields = {
  task_key: works(),
  description: works(),
  depends_on: works(),
  run_if: works(),
  existing_cluster_id: works(),
  new_cluster: works(),
  job_cluster_key: works(),
  notebook_task: works(),
  spark_jar_task: works(),
  spark_python_task: works(),
  spark_submit_task: works(),
  pipeline_task: works(),
  run_job_task: works(),
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
  libraries: works(),
  timeout_seconds: works(),
  max_retries: works(),
  min_retry_interval_millis: works(),
  retry_on_timeout: works(),
  email_notifications: works(),
  webhook_notifications: works(),
  notification_settings: works(),
  health: works(),
  disabled: refusedIf(true, 'a task cannot be disabled, only removed'),
  disable_auto_optimization: stored('Nothing is optimized automatically.'),
  environment_key: refusedWhere(
    isNonEmpty,
    (path, value) =>
      `${path} is ${quote(value)}; environments are not supported, so none has this key: give the task a cluster and libraries.`,
    'Environments are not supported: a task needs a cluster, and libraries for its dependencies.',
  ),
  environment_variables_key: refused('use spark_env_vars of the cluster'),
  compute: refused('give the task a cluster'),
} satisfies FieldTable;

export const dependencyFields = {
  task_key: works(),
  outcome: refusedWhere(
    isNonEmpty,
    (path, value) =>
      `${path} is ${quote(value)}; only a condition_task has an outcome, and this service has no such task kind.`,
    'Only a condition_task has an outcome, and this service has no such task kind.',
  ),
} satisfies FieldTable;

const wholeTables = refused('select whole tables with full_refresh_selection or refresh_selection');

const pipelineSelection = {
  full_refresh: works(),
  full_refresh_selection: works(),
  refresh_selection: works(),
  reset_checkpoint_selection: wholeTables,
  refresh_flow_selection: wholeTables,
} satisfies FieldTable;

export const pipelineParamsFields = pipelineSelection satisfies FieldTable;

const noKind = (kind: string) =>
  refusedWhere(
    isNonEmpty,
    (path) => `${path} is not supported; it is for a ${kind}, which this service does not have.`,
    `For a \`${kind}\`, which this service does not have.`,
  );

/** Bodies of the task kinds, by settings field. */
export const taskKindFieldTables = {
  notebook_task: {
    notebook_path: works(),
    revision_timestamp: works(),
    base_parameters: works(),
    source: worksExcept('GIT', git),
    warehouse_id: refused('leave it out, and the notebook runs on the cluster of its task'),
  },
  spark_jar_task: {
    jar_uri: works(),
    main_class_name: works(),
    parameters: works(),
    run_as_repl: stored('Deprecated: a JAR always runs in a process of its own.'),
  },
  spark_python_task: { python_file: works(), parameters: works(), source: worksExcept('GIT', git) },
  spark_submit_task: { parameters: works() },
  pipeline_task: {
    pipeline_id: works(),
    ...pipelineSelection,
    validate_only: works(),
    parameters: refused('write the values into the configuration of the pipeline'),
  },
  run_job_task: {
    job_id: works(),
    job_parameters: works(),
    jar_params: works(),
    notebook_params: works(),
    python_params: works(),
    spark_submit_params: works(),
    pipeline_params: works(),
    python_named_params: noKind('python_wheel_task'),
    sql_params: noKind('sql_task'),
    dbt_commands: noKind('dbt_task'),
  },
} satisfies Readonly<Record<string, FieldTable>>;
