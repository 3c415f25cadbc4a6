/** Places of the documented objects in the settings of a job: how a sample is sent and read back. */
import type { ObjectName } from './sdk-objects.ts';
import * as cluster from './cluster-samples.ts';
import * as job from './job-samples.ts';
import { newCluster, onCluster, pythonTask, type Sample } from './sample.ts';
import * as task from './task-samples.ts';

/** Requests that are walked with operations of their own, or whose fields have no value of their own. */
export type RequestName =
  | 'SubmitSettings'
  | 'RunNow'
  | 'RepairRun'
  | 'UpdateJob'
  | 'ResetJob'
  | 'ClusterRequest'
  | 'InstancePool'
  | 'ClusterPolicy'
  | 'Pipeline';

type Settings = object;

export interface Place {
  readonly samples: Readonly<Record<string, Sample>>;
  /** Required fields of the object. */
  readonly base: object;
  /** Returns the settings of a job with the object. */
  readonly wrap: (body: object) => Settings;
  /** Path of the object in the settings. */
  readonly path: readonly (string | number)[];
}

/** Creates the place of an object by its path in the settings; `around` are the other settings. */
function at(
  path: readonly (string | number)[],
  samples: Place['samples'],
  base: object = {},
  around: object = { ...onCluster, ...pythonTask },
): Place {
  return { path, samples, base, wrap: (body) => ({ name: 'walk', ...around, ...nest(path, body) }) };
}

/** `nest(['a', 0], x)` is `{a: [x]}`. */
function nest(path: readonly (string | number)[], body: object): object {
  return path.reduceRight<object>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    body,
  );
}

const first = { task_key: 'first', ...onCluster, ...pythonTask };
const cloud = { ...pythonTask };
const inCluster = (field: string, samples: Place['samples'], base?: object): Place => ({
  ...at(['new_cluster', field], samples, base),
  wrap: (body) => ({
    ...cloud,
    new_cluster: { ...newCluster, ...(field === 'autoscale' && { num_workers: undefined }), [field]: body },
  }),
});
const inScript = (store: string[], samples: Place['samples'], base?: object): Place => ({
  ...at(['new_cluster', 'init_scripts', 0, ...store], samples, base),
  wrap: (body) => ({ ...cloud, new_cluster: { ...newCluster, init_scripts: [nest(store, body)] } }),
});
const rule = { metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 60 };

export const places: Readonly<Record<Exclude<ObjectName, RequestName>, Place>> = {
  JobSettings: at([], job.jobSamples),
  TaskSettings: {
    ...at(['tasks', 0], task.taskSamples, { task_key: 'a', ...onCluster, ...pythonTask }),
    wrap: (body) => ({
      tasks: [body, first],
      job_clusters: [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    }),
  },
  TaskDependency: {
    ...at(['tasks', 0, 'depends_on', 0], task.dependencySamples, { task_key: 'first' }),
    wrap: (body) => ({ tasks: [{ ...first, task_key: 'a', depends_on: [body] }, first] }),
  },
  NotebookTask: at(['notebook_task'], task.notebookSamples, { notebook_path: '/nb' }, onCluster),
  SparkJarTask: at(['spark_jar_task'], task.jarSamples, { main_class_name: 'Main' }, onCluster),
  SparkPythonTask: at(
    ['spark_python_task'],
    task.pythonSamples,
    { python_file: 'managed_fs:/a.py' },
    onCluster,
  ),
  SparkSubmitTask: at(['spark_submit_task'], task.submitSamples, {}, { new_cluster: newCluster }),
  PipelineTask: at(['pipeline_task'], task.pipelineSamples, { pipeline_id: 'p' }, {}),
  RunJobTask: at(['run_job_task'], task.runJobSamples, { job_id: 7 }, {}),
  PipelineParams: {
    ...at(['run_job_task', 'pipeline_params'], task.pipelineParamsSamples),
    wrap: (body) => ({ run_job_task: { job_id: 7, pipeline_params: body } }),
  },
  JobCluster: {
    ...at(['job_clusters', 0], cluster.jobClusterSamples, { job_cluster_key: 'k', new_cluster: newCluster }),
    wrap: (body) => ({ tasks: [first], job_clusters: [body] }),
  },
  NewCluster: at(['new_cluster'], cluster.newClusterSamples, newCluster, pythonTask),
  AutoScale: inCluster('autoscale', cluster.autoScaleSamples, { min_workers: 1, max_workers: 2 }),
  CloudAttributes: inCluster('cloud_attributes', cluster.cloudAttributesSamples),
  PlacementAttributes: inCluster('placement_attributes', cluster.placementAttributesSamples),
  ClusterLogConf: inCluster('cluster_log_conf', cluster.clusterLogConfSamples),
  InitScriptInfo: inScript([], cluster.initScriptSamples),
  StorageInfo: inScript(['objstore'], cluster.storageSamples, { destination: 'objstore://b/a.sh' }),
  WorkloadType: inCluster('workload_type', cluster.workloadTypeSamples),
  WorkloadClients: {
    ...at(['new_cluster', 'workload_type', 'clients'], cluster.workloadClientsSamples),
    wrap: (body) => ({ ...cloud, new_cluster: { ...newCluster, workload_type: { clients: body } } }),
  },
  Library: at(['libraries', 0], cluster.librarySamples),
  MavenLibrary: at(['libraries', 0, 'maven'], cluster.mavenSamples, { coordinates: 'a:b:1' }),
  PythonPyPiLibrary: at(['libraries', 0, 'pypi'], cluster.packageSamples, { package: 'a' }),
  RCranLibrary: at(['libraries', 0, 'cran'], cluster.packageSamples, { package: 'a' }),
  CronSchedule: at(['schedule'], job.scheduleSamples, {
    quartz_cron_expression: '0 0 6 * * ?',
    timezone_id: 'UTC',
  }),
  Trigger: at(['trigger'], job.triggerSamples, { periodic: { interval: 1, unit: 'HOURS' } }),
  PeriodicTrigger: at(['trigger', 'periodic'], job.periodicSamples, { interval: 1, unit: 'HOURS' }),
  Queue: at(['queue'], job.queueSamples),
  JobParameter: at(['parameters', 0], job.jobParameterSamples, { name: 'city', default: 'Oslo' }),
  RunAs: at(['run_as'], job.runAsSamples),
  Deployment: at(['deployment'], job.deploymentSamples, { kind: 'BUNDLE' }),
  AccessControlRequest: at(['access_control_list', 0], job.accessControlSamples, {
    user_name: 'ben',
    permission_level: 'CAN_VIEW',
  }),
  JobEmailNotifications: at(['email_notifications'], job.emailSamples),
  WebhookNotifications: at(['webhook_notifications'], job.webhookSamples),
  Webhook: at(['webhook_notifications', 'on_start', 0], job.webhookEntrySamples),
  JobNotificationSettings: at(['notification_settings'], job.notificationSettingsSamples),
  JobsHealthRules: at(['health'], job.healthSamples),
  JobsHealthRule: at(['health', 'rules', 0], job.healthRuleSamples, rule),
};
