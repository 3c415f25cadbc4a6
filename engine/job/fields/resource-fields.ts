/** Support of the fields of requests that create or change clusters, instance pools, policies and pipelines. */
import { refused, stored, works, type FieldTable } from './field-support.ts';

const machines = stored('The machines of the service are given.');
const billing = stored('Nothing is billed.');
const oneMode = stored('There is one way to run an update.');
const sqlFiles = refused('a pipeline consists of SQL files');
const rulesInDefinition = refused('write all rules into definition');

/** Fields of clusters/create and edit beyond those of `NewCluster`. */
export const clusterRequestFields = {
  cluster_id: works(),
  cluster_name: works(),
  autotermination_minutes: works(),
  clone_from: refused('send the description of the cluster'),
  restart_user: stored('The caller is recorded instead.'),
} satisfies FieldTable;

export const instancePoolFields = {
  instance_pool_id: works(),
  instance_pool_name: works(),
  node_type_id: works(),
  max_capacity: works(),
  min_idle_instances: stored('Nodes take no time to start.'),
  idle_instance_autotermination_minutes: stored('Idle nodes cost nothing.'),
  custom_tags: stored('Shown with the pool.'),
  preloaded_spark_versions: stored('Runtimes are installed once.'),
  preloaded_docker_images: refused('install what the tasks need with libraries and init_scripts'),
  enable_elastic_disk: machines,
  disk_spec: machines,
  node_type_flexibility: machines,
  cloud_attributes: machines,
  placement_attributes: machines,
  remote_disk_throughput: machines,
  total_initial_remote_disk_size: machines,
} satisfies FieldTable;

export const clusterPolicyFields = {
  policy_id: works(),
  name: works(),
  definition: works(),
  description: works(),
  max_clusters_per_user: works(),
  libraries: rulesInDefinition,
  policy_family_id: rulesInDefinition,
  policy_family_definition_overrides: rulesInDefinition,
} satisfies FieldTable;

export const pipelineFields = {
  pipeline_id: works(),
  name: works(),
  libraries: works(),
  configuration: works(),
  storage: works(),
  catalog: works(),
  schema: works(),
  target: works(),
  continuous: works('Refused: `true`.'),
  dry_run: works(),
  allow_duplicate_names: works(),
  id: refused('the service chooses the id'),
  expected_last_modified: refused('the last change wins'),
  environment: sqlFiles,
  event_log: refused('read pipelines/<pipeline_id>/events'),
  filters: refused('name the files in libraries'),
  gateway_definition: sqlFiles,
  ingestion_definition: sqlFiles,
  notifications: refused('use the notifications of a job with a pipeline_task'),
  run_as: refused('an update runs as the user that starts it'),
  trigger: refused('use the schedule of a job with a pipeline_task'),
  budget_policy_id: billing,
  usage_policy_id: billing,
  tags: stored('Shown with the pipeline.'),
  deployment: stored('Shown to the tool that deployed the pipeline.'),
  root_path: stored('Paths of files are absolute.'),
  clusters: stored('A pipeline needs no cluster.'),
  channel: oneMode,
  development: oneMode,
  edition: oneMode,
  photon: oneMode,
  restart_window: oneMode,
  serverless: oneMode,
} satisfies FieldTable;
