/**
 * Fields that the vendor documents, but that the type declarations of its TypeScript SDK do not have yet. Taken from
 * its Python SDK 0.150.0; test/online/clients/python-sdk.test.ts compares the tables with all fields of that SDK.
 */

/** Interface -> fields. */
export const newerFields: Readonly<Record<string, readonly string[]>> = {
  CreateJob: ['environment_variables', 'parent_path', 'triggers'],
  SubmitRun: ['environment_variables', 'performance_target'],
  Task: ['ai_runtime_task', 'alert_task', 'compute', 'environment_variables_key', 'python_operator_task'],
  PipelineTask: [
    'full_refresh_selection',
    'parameters',
    'refresh_flow_selection',
    'refresh_selection',
    'reset_checkpoint_selection',
  ],
  PipelineParams: [
    'full_refresh_selection',
    'refresh_flow_selection',
    'refresh_selection',
    'reset_checkpoint_selection',
  ],
  JobCluster: ['serverless_compute_id'],
  CreateInstancePool: ['node_type_flexibility'],
  ClusterSpec: ['dependency_mode', 'driver_node_type_flexibility', 'worker_node_type_flexibility'],
  AzureAttributes: ['capacity_reservation_group'],
  GcpAttributes: ['confidential_compute_type'],
  CronSchedule: ['sql_condition'],
  TriggerSettings: ['model', 'sql_condition'],
  JobRunAs: ['group_name'],
  JobDeployment: ['deployment_id', 'version_id'],
  JobEmailNotifications: ['on_maintenance_complete', 'on_maintenance_start'],
  WebhookNotifications: ['on_maintenance_complete', 'on_maintenance_start'],
};
