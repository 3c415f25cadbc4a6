/** Support of the fields of requests that change a job, start a run or repair one. */
import { refused, refusedWhere, stored, works, type FieldTable } from './field-support.ts';
import { isNonEmpty } from '../../validation/messages.ts';

/** Parameters of a task kind that this service does not have, so that no job has such a task. */
const parametersOf = (field: string, kind: string) =>
  refusedWhere(
    isNonEmpty,
    () => `${field} is given, but the job has no ${kind}.`,
    `For a \`${kind}\`, which this service does not have.`,
  );

const parameterFields = {
  jar_params: works(),
  notebook_params: works(),
  python_params: works(),
  spark_submit_params: works(),
  pipeline_params: works(),
  job_parameters: works(),
  python_named_params: parametersOf('python_named_params', 'python_wheel_task'),
  sql_params: parametersOf('sql_params', 'sql_task'),
  dbt_commands: parametersOf('dbt_commands', 'dbt_task'),
  performance_target: stored('Accepted and not stored: tasks start as soon as they can.'),
} satisfies FieldTable;

export const runNowFields = {
  job_id: works(),
  idempotency_token: works(),
  queue: works(),
  only: refused('a run always consists of all tasks'),
  ...parameterFields,
} satisfies FieldTable;

export const repairFields = {
  run_id: works(),
  rerun_tasks: works(),
  rerun_all_failed_tasks: works(),
  rerun_dependent_tasks: works(),
  latest_repair_id: works(),
  use_original_settings: works('A field of Runyard alone.'),
  queue: works('A field of Runyard alone.'),
  ...parameterFields,
} satisfies FieldTable;

export const updateFields = {
  job_id: works(),
  new_settings: works(),
  fields_to_remove: works(),
} satisfies FieldTable;

export const resetFields = { job_id: works(), new_settings: works() } satisfies FieldTable;
