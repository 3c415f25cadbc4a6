/** Support of the fields of new clusters and libraries. */
import { refused, refusedIf, refusedWhere, stored, works, type FieldTable } from './field-support.ts';
import { isNonEmpty, quote } from '../../validation/messages.ts';

const machines = stored('The machines of the service are given.');
const configuredOnce = stored('The object store is configured for the whole service.');

export const newClusterFields = {
  num_workers: works(),
  autoscale: works(),
  is_single_node: works('Means `num_workers: 0`.'),
  spark_version: works('Required. Chooses the PySpark of a cluster with Spark.'),
  spark_conf: works('On a cluster with a Spark of its own.'),
  spark_env_vars: works(),
  node_type_id: works(),
  driver_node_type_id: works(),
  instance_pool_id: works(),
  driver_instance_pool_id: refusedWhere(
    (value, holder) =>
      isNonEmpty(value) &&
      value !== (Object.hasOwn(holder, 'instance_pool_id') && Reflect.get(holder, 'instance_pool_id')),
    (path, value) =>
      `${path} is ${quote(value)}; the driver is a node of the instance_pool_id, so both must be the same.`,
    'Must be the same as `instance_pool_id`.',
  ),
  policy_id: works(),
  apply_policy_default_values: works(),
  init_scripts: works(),
  cluster_log_conf: works(),
  runtime: works('For Python programs and notebooks.'),
  cloud_attributes: machines,
  placement_attributes: machines,
  docker_image: refused('install what the tasks need with libraries and init_scripts'),
  enable_local_disk_encryption: refusedIf(true, 'disks are encrypted by the operating system or not at all'),
  custom_tags: stored('Shown with the cluster.'),
  cluster_name: stored('A cluster of a run is named after its job, run and task.'),
  autotermination_minutes: stored('A cluster of a run ends with its last task.'),
  data_security_mode: stored('Task isolation is a setting of the service.'),
  single_user_name: stored('Task isolation is a setting of the service.'),
  workload_type: stored('A cluster of a run serves that run alone.'),
  kind: stored('There is one kind of cluster.'),
  runtime_engine: stored('There is one engine.'),
  use_ml_runtime: stored('Libraries are installed by `libraries`.'),
  remote_disk_throughput: machines,
  total_initial_remote_disk_size: machines,
  driver_node_type_flexibility: machines,
  worker_node_type_flexibility: machines,
  dependency_mode: stored('Libraries are installed by `libraries`.'),
  enable_elastic_disk: stored('Shown as false, as in the specification.'),
  ssh_public_keys: stored('Shown as an empty list, as in the specification.'),
} satisfies FieldTable;

export const autoScaleFields = { min_workers: works(), max_workers: works() } satisfies FieldTable;

export const cloudAttributesFields = {
  boot_disk_size: stored('Must be between 100 and 4096.'),
  cloud_service_account: machines,
  use_preemptible_executors: machines,
  availability: machines,
  zone_id: machines,
  first_on_demand: machines,
  local_ssd_count: machines,
  confidential_compute_type: refused('the machines of the service are given'),
} satisfies FieldTable;

export const placementAttributesFields = {
  availability: machines,
  zone_id: machines,
  first_on_demand: machines,
  instance_profile_arn: machines,
  spot_bid_price_percent: machines,
  spot_bid_max_price: machines,
  ebs_volume_type: machines,
  ebs_volume_count: machines,
  ebs_volume_size: machines,
  ebs_volume_iops: machines,
  ebs_volume_throughput: machines,
  log_analytics_info: refused('use cluster_log_conf'),
  capacity_reservation_group: machines,
} satisfies FieldTable;

export const logDestinationRule = 'logs are delivered only to managed_fs';

export const clusterLogConfFields = {
  managed_fs: works(),
  objstore: refused(logDestinationRule),
} satisfies FieldTable;

export const initScriptRule = 'a script is in workspace, managed_fs or objstore';

export const initScriptFields = {
  workspace: works(),
  managed_fs: works(),
  objstore: works(),
  file: refused(initScriptRule),
} satisfies FieldTable;

/** Fields of a location in a store, whichever it is. */
export const storageFields = {
  destination: works(),
  canned_acl: configuredOnce,
  enable_encryption: configuredOnce,
  encryption_type: configuredOnce,
  endpoint: configuredOnce,
  kms_key: configuredOnce,
  region: configuredOnce,
} satisfies FieldTable;

const workload = newClusterFields.workload_type;

export const workloadTypeFields = { clients: workload } satisfies FieldTable;

export const workloadClientsFields = { jobs: workload, notebooks: workload } satisfies FieldTable;

export const libraryFields = {
  jar: works(),
  egg: works(),
  whl: works(),
  pypi: works(),
  maven: works(),
  cran: works(),
  requirements: refused('list its packages as pypi libraries'),
} satisfies FieldTable;

export const mavenFields = { coordinates: works(), repo: works(), exclusions: works() } satisfies FieldTable;

export const packageFields = { package: works(), repo: works() } satisfies FieldTable;
