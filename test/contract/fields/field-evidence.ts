/** Tests that show the effect of each field that works, relative to `test/`. */

/** Test file -> fields as `Object.field`, several of one object in braces: `Object.{a,b}`. */
const fieldsByTest: Readonly<Record<string, readonly string[]>> = {
  'contract/job-settings.test.ts': [
    'JobSettings.{name,timeout_seconds,schedule,max_concurrent_runs,job_clusters,format,tasks}',
    'TaskSettings.{existing_cluster_id,new_cluster,timeout_seconds,max_retries,min_retry_interval_millis,retry_on_timeout}',
  ],
  'contract/operations.test.ts': ['JobSettings.description'],
  'contract/clients/sdk.test.ts': ['JobSettings.tags'],
  'contract/tasks.test.ts': [
    'TaskSettings.{task_key,description,depends_on,job_cluster_key,spark_python_task}',
    'TaskDependency.task_key',
    'JobCluster.{job_cluster_key,new_cluster}',
  ],
  'contract/task-kinds.test.ts': [
    'TaskSettings.{notebook_task,spark_jar_task,spark_submit_task,pipeline_task,run_job_task}',
    'NotebookTask.{notebook_path,revision_timestamp,base_parameters}',
    'SparkJarTask.{jar_uri,main_class_name,parameters}',
    'SparkPythonTask.{python_file,parameters}',
    'SparkSubmitTask.parameters',
    'RunJobTask.job_id',
  ],
  'contract/parameters.test.ts': ['RunNow.{jar_params,notebook_params,python_params,spark_submit_params}'],
  'contract/clusters.test.ts': [
    'NewCluster.{num_workers,autoscale,node_type_id,driver_node_type_id,cluster_log_conf}',
    'AutoScale.{min_workers,max_workers}',
  ],
  'unit/engine/cluster/cluster-policy.test.ts': ['NewCluster.apply_policy_default_values'],
  'unit/engine/cluster/compute.test.ts': ['NewCluster.{spark_version,spark_conf}'],
  'unit/engine/cluster/inventory.test.ts': ['NewCluster.{instance_pool_id,policy_id,is_single_node}'],
  'e2e/init-scripts.test.ts': [
    'NewCluster.{init_scripts,spark_env_vars}',
    'InitScriptInfo.{workspace,managed_fs}',
  ],
  'e2e/warm-runtimes.test.ts': ['NewCluster.runtime'],
  'e2e/cluster-log-delivery.test.ts': ['ClusterLogConf.managed_fs'],
  'e2e/init-scripts-harness.ts': ['InitScriptInfo.objstore', 'StorageInfo.destination'],
  'contract/libraries.test.ts': [
    'Library.{jar,egg,whl,pypi,maven,cran}',
    'MavenLibrary.{coordinates,repo,exclusions}',
    'PythonPyPiLibrary.{package,repo}',
    'RCranLibrary.{package,repo}',
  ],
  'e2e/cluster-libraries.test.ts': ['TaskSettings.libraries'],
  'e2e/task-graph.test.ts': ['TaskSettings.run_if'],
  'e2e/notifications.test.ts': [
    'JobSettings.{email_notifications,webhook_notifications,notification_settings,health}',
    'TaskSettings.{email_notifications,webhook_notifications,notification_settings,health}',
    'JobEmailNotifications.{on_start,on_success,on_failure,on_duration_warning_threshold_exceeded,no_alert_for_skipped_runs}',
    'WebhookNotifications.{on_start,on_success,on_failure,on_duration_warning_threshold_exceeded}',
    'JobNotificationSettings.{no_alert_for_skipped_runs,no_alert_for_canceled_runs,alert_on_last_attempt}',
    'Webhook.id',
    'JobsHealthRules.rules',
    'JobsHealthRule.{metric,value}',
    'SubmitSettings.{email_notifications,webhook_notifications,notification_settings,health}',
  ],
  'contract/notifications.test.ts': ['JobsHealthRule.operator'],
  'e2e/queue.test.ts': ['JobSettings.queue', 'Queue.enabled', 'RunNow.queue', 'SubmitSettings.queue'],
  'e2e/schedules.test.ts': [
    'JobSettings.trigger',
    'Trigger.{periodic,pause_status}',
    'PeriodicTrigger.{interval,unit}',
    'CronSchedule.{quartz_cron_expression,timezone_id,pause_status}',
  ],
  'unit/engine/coordinator/scheduled-launches.test.ts': ['CronSchedule.misfire_policy'],
  'e2e/job-parameters.test.ts': [
    'JobSettings.parameters',
    'JobParameter.{name,default}',
    'RunNow.job_parameters',
    'SubmitSettings.parameters',
  ],
  'e2e/api/run-as.test.ts': [
    'JobSettings.run_as',
    'SubmitSettings.run_as',
    'RunAs.{user_name,service_principal_name}',
  ],
  'e2e/api/job-access-control.test.ts': [
    'JobSettings.access_control_list',
    'SubmitSettings.access_control_list',
  ],
  'unit/engine/job/permissions.test.ts': [
    'AccessControlRequest.{user_name,group_name,service_principal_name,permission_level}',
  ],
  'contract/run-requests.test.ts': [
    'SubmitSettings.{tasks,idempotency_token}',
    'RunNow.{job_id,idempotency_token}',
  ],
  'unit/engine/job/job-format.test.ts': ['SubmitSettings.format'],
  'e2e/pipelines.test.ts': [
    'Pipeline.{pipeline_id,name,libraries,configuration,storage,continuous,dry_run,allow_duplicate_names}',
    'PipelineTask.{full_refresh,full_refresh_selection,refresh_selection,validate_only}',
  ],
  'e2e/pipeline-tasks.test.ts': ['PipelineTask.pipeline_id'],
  'unit/engine/run/parameters.test.ts': [
    'PipelineParams.{full_refresh,full_refresh_selection,refresh_selection}',
    'RunNow.pipeline_params',
    'RepairRun.{pipeline_params,spark_submit_params}',
  ],
  'unit/engine/run/run-job-rules.test.ts': [
    'RunJobTask.{job_parameters,jar_params,notebook_params,python_params,spark_submit_params,pipeline_params}',
  ],
  'unit/engine/run/repair.test.ts': ['RepairRun.{notebook_params,job_parameters}'],
  'e2e/api/launch-and-cancel.test.ts': ['SubmitSettings.{run_name,timeout_seconds}'],
  // Labels, and values that mean the same as an absent field: the walk shows that they are returned.
  'contract/fields/job-samples.ts': ['SubmitSettings.tags'],
  'contract/fields/task-samples.ts': ['NotebookTask.source', 'SparkPythonTask.source'],
  'e2e/repair.test.ts': [
    'RepairRun.{run_id,rerun_tasks,rerun_all_failed_tasks,rerun_dependent_tasks,latest_repair_id,python_params}',
  ],
  'e2e/api/repair-refusals.test.ts': ['RepairRun.jar_params'],
  'contract/fields/documented-fields.test.ts': ['RepairRun.{queue,use_original_settings}'],
  'e2e/api/update.test.ts': ['UpdateJob.{job_id,new_settings,fields_to_remove}'],
  'e2e/api/reset.test.ts': ['ResetJob.{job_id,new_settings}'],
  'contract/clients/sdk-clusters.test.ts': ['ClusterRequest.{cluster_id,cluster_name}'],
  'e2e/all-purpose-clusters.test.ts': ['ClusterRequest.autotermination_minutes'],
  'contract/clients/sdk-inventory.test.ts': [
    'InstancePool.{instance_pool_id,instance_pool_name,node_type_id,max_capacity}',
    'ClusterPolicy.{policy_id,name,definition,description,max_clusters_per_user}',
  ],
  'unit/engine/pipeline/spec.test.ts': ['Pipeline.{catalog,schema,target}'],
};

/** `Object.field` -> test file. */
export const evidence: ReadonlyMap<string, string> = new Map(
  Object.entries(fieldsByTest).flatMap(([file, fields]) =>
    fields.flatMap(expandNames).map((name) => [name, file] as const),
  ),
);

function expandNames(names: string): string[] {
  const [, object = '', list] = /^(\w+)\.\{(.+)\}$/.exec(names) ?? [];
  return list === undefined ? [names] : list.split(',').map((field) => `${object}.${field}`);
}
