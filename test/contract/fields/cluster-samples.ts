/** Samples of the fields of clusters and libraries. */
import type { documentedFields } from '../../../engine/job/fields/documented-fields.ts';
import { newCluster, sample, type Samples } from './sample.ts';

type FieldsOf<Name extends keyof typeof documentedFields> = Samples<
  keyof (typeof documentedFields)[Name] & string
>;

const script = { workspace: { destination: '/init.sh' } };
const text = sample('x');
const configured = sample('nosuch', {}, { refusedValue: 'nosuch', needsConfiguration: true });
const count = sample(1);
const alternatives = sample({ alternate_node_type_ids: ['standard-8'] });

export const newClusterSamples: FieldsOf<'NewCluster'> = {
  num_workers: sample(2),
  autoscale: sample({ min_workers: 1, max_workers: 2 }, { num_workers: undefined }),
  is_single_node: sample(true, { num_workers: undefined }),
  spark_version: sample('15.4.x-scala2.12'),
  spark_conf: sample({ 'spark.speculation': true }, {}, { shown: { 'spark.speculation': 'true' } }),
  spark_env_vars: sample({ STAGE: 'test', SIZE: 2 }, {}, { shown: { STAGE: 'test', SIZE: '2' } }),
  node_type_id: sample('standard-4'),
  driver_node_type_id: sample('standard-4'),
  instance_pool_id: configured,
  driver_instance_pool_id: sample('other', { instance_pool_id: 'pool' }),
  policy_id: configured,
  init_scripts: sample([script]),
  cluster_log_conf: sample({ managed_fs: { destination: 'managed_fs:/logs' } }),
  runtime: sample('warm'),
  cloud_attributes: sample({ use_preemptible_executors: true }),
  placement_attributes: sample({ zone_id: 'z' }),
  docker_image: sample({ url: 'registry.example.org/image:1', basic_auth: { username: 'u', password: 'p' } }),
  enable_local_disk_encryption: sample(true),
  custom_tags: sample({ team: 'data', cost: 7 }, {}, { shown: { team: 'data', cost: '7' } }),
  cluster_name: text,
  autotermination_minutes: sample(60),
  apply_policy_default_values: sample(true),
  data_security_mode: sample('SINGLE_USER'),
  single_user_name: sample('admin'),
  workload_type: sample({ clients: { jobs: true, notebooks: false } }),
  kind: sample('CLASSIC_PREVIEW'),
  runtime_engine: sample('STANDARD'),
  use_ml_runtime: sample(false),
  remote_disk_throughput: count,
  total_initial_remote_disk_size: count,
  driver_node_type_flexibility: alternatives,
  worker_node_type_flexibility: alternatives,
  dependency_mode: sample('DEPENDENCY_MODE_CLUSTER_LIBRARIES'),
  enable_elastic_disk: sample(true, {}, { shown: false }),
  ssh_public_keys: sample(['ssh-ed25519 AAAA'], {}, { shown: [] }),
};

export const autoScaleSamples: FieldsOf<'AutoScale'> = { min_workers: sample(0), max_workers: sample(9) };

export const cloudAttributesSamples: FieldsOf<'CloudAttributes'> = {
  boot_disk_size: sample(100),
  cloud_service_account: sample('account@example.org'),
  use_preemptible_executors: sample(true),
  availability: text,
  zone_id: text,
  first_on_demand: count,
  local_ssd_count: count,
  confidential_compute_type: sample('SEV_SNP'),
};

export const placementAttributesSamples: FieldsOf<'PlacementAttributes'> = {
  availability: sample('SPOT'),
  zone_id: text,
  first_on_demand: count,
  instance_profile_arn: text,
  spot_bid_price_percent: sample(100),
  spot_bid_max_price: sample(-1),
  ebs_volume_type: text,
  ebs_volume_count: count,
  ebs_volume_size: sample(100),
  ebs_volume_iops: count,
  ebs_volume_throughput: count,
  capacity_reservation_group: text,
  log_analytics_info: sample({ log_analytics_workspace_id: 'w', log_analytics_primary_key: 'k' }),
};

const managedFs = { destination: 'managed_fs:/logs' };
const bucket = { destination: 'objstore://bucket/setup.sh' };

export const clusterLogConfSamples: FieldsOf<'ClusterLogConf'> = {
  managed_fs: sample(managedFs),
  objstore: sample(bucket),
};

export const initScriptSamples: FieldsOf<'InitScriptInfo'> = {
  workspace: sample({ destination: '/init.sh' }),
  managed_fs: sample({ destination: 'managed_fs:/init.sh' }),
  objstore: sample(bucket),
  file: sample({ destination: 'file:/init.sh' }),
};

export const storageSamples: FieldsOf<'StorageInfo'> = {
  destination: sample('objstore://bucket/other.sh'),
  canned_acl: text,
  enable_encryption: sample(true),
  encryption_type: text,
  endpoint: text,
  kms_key: text,
  region: text,
};

export const workloadTypeSamples: FieldsOf<'WorkloadType'> = { clients: sample({ jobs: true }) };

export const workloadClientsSamples: FieldsOf<'WorkloadClients'> = {
  jobs: sample(true),
  notebooks: sample(false),
};

export const librarySamples: FieldsOf<'Library'> = {
  jar: sample('managed_fs:/a.jar'),
  egg: sample('managed_fs:/a.egg'),
  whl: sample('managed_fs:/a-1.0-py3-none-any.whl'),
  pypi: sample({ package: 'simplejson==3.8.0' }),
  maven: sample({ coordinates: 'org.jsoup:jsoup:1.7.2' }),
  cran: sample({ package: 'geojson' }),
  requirements: sample('managed_fs:/requirements.txt'),
};

export const mavenSamples: FieldsOf<'MavenLibrary'> = {
  coordinates: sample('org.jsoup:jsoup:1.7.2'),
  repo: sample('https://repo.example.org'),
  exclusions: sample(['a:b']),
};

export const packageSamples: FieldsOf<'PythonPyPiLibrary'> = {
  package: sample('simplejson'),
  repo: sample('https://packages.example.org'),
};

export const jobClusterSamples: FieldsOf<'JobCluster'> = {
  job_cluster_key: sample('other'),
  new_cluster: sample({ ...newCluster, num_workers: 2 }),
  serverless_compute_id: sample('s'),
};
