/** Examples of operations on clusters. */
import type { Example } from './example.ts';

const clusterId = '1121-101010-abcd1234';
const described = {
  num_workers: 2,
  spark_version: '16.4.x-scala2.12',
  node_type_id: 'standard-4',
  autotermination_minutes: 60,
};
const cluster = {
  ...described,
  driver_node_type_id: 'standard-4',
  cluster_id: clusterId,
  cluster_name: 'shared',
  creator_user_name: 'ann@example.org',
  cluster_source: 'API',
  state: 'RUNNING',
  state_message: '',
  start_time: 1_772_409_600_000,
  last_restarted_time: 1_772_409_601_000,
};
const sparkApplication = {
  application_id: 'app-20260302000001-0000',
  name: 'shared',
  spark_version: '4.3.0',
  state: 'RUNNING',
  start_time: 1_772_409_602_000,
  executors: [{ executor_id: '0', host: '10.0.0.7', num_cores: 4, start_time: 1_772_409_603_000 }],
  num_jobs: 3,
  num_completed_jobs: 3,
  num_failed_jobs: 0,
  num_stages: 5,
  num_completed_stages: 5,
  num_tasks: 40,
  num_completed_tasks: 40,
  active_stages: [],
};
const byId = { request: { cluster_id: clusterId }, answer: {} };
const events = {
  request: { cluster_id: clusterId, order: 'ASC', limit: 1 },
  answer: {
    events: [
      {
        cluster_id: clusterId,
        timestamp: 1_772_409_600_000,
        type: 'CREATING',
        details: { target_num_workers: 2, user: 'ann@example.org' },
      },
    ],
    total_count: 2,
    next_page: { cluster_id: clusterId, order: 'ASC', offset: 1, limit: 1 },
  },
};

export const clusterExamples: Readonly<Record<string, Example>> = {
  'POST /clusters/create': {
    request: { cluster_name: 'shared', ...described },
    answer: { cluster_id: clusterId },
  },
  'GET /clusters/get': { request: { cluster_id: clusterId }, answer: cluster },
  'GET /clusters/list-spark-applications': {
    request: { cluster_id: clusterId },
    answer: { applications: [sparkApplication] },
  },
  'GET /clusters/list': { request: { page_size: 20 }, answer: { clusters: [cluster] } },
  'POST /clusters/start': byId,
  'POST /clusters/delete': byId,
  'POST /clusters/permanent-delete': byId,
  'POST /clusters/resize': { request: { cluster_id: clusterId, num_workers: 4 }, answer: {} },
  'POST /clusters/edit': {
    request: { cluster_id: clusterId, cluster_name: 'shared', ...described, num_workers: 4 },
    answer: {},
  },
  'POST /clusters/update': {
    request: { cluster_id: clusterId, cluster: { num_workers: 4 }, update_mask: 'num_workers' },
    answer: {},
  },
  'POST /clusters/restart': byId,
  'POST /clusters/pin': byId,
  'POST /clusters/unpin': byId,
  'GET /clusters/list-zones': { request: {}, answer: { zones: ['local'], default_zone: 'local' } },
  'POST /clusters/events': events,
  'GET /clusters/events': events,
  'GET /clusters/list-node-types': {
    request: {},
    answer: {
      node_types: [
        {
          node_type_id: 'standard-4',
          memory_mb: 16_384,
          num_cores: 4,
          category: 'General Purpose',
          description: '4 cores, 16 GB',
          instance_type_id: 'standard-4',
          node_instance_type: {
            instance_type_id: 'standard-4',
            local_disks: 1,
            local_disk_size_gb: 128,
            local_nvme_disks: 0,
            local_nvme_disk_size_gb: 0,
          },
          num_gpus: 0,
          is_deprecated: false,
          is_hidden: false,
          is_graviton: false,
          is_io_cache_enabled: false,
          is_encrypted_in_transit: false,
          photon_driver_capable: false,
          photon_worker_capable: false,
          support_cluster_tags: true,
          support_ebs_volumes: false,
          support_port_forwarding: false,
        },
      ],
    },
  },
  'GET /clusters/spark-versions': {
    request: {},
    answer: {
      versions: [{ key: '16.4.x-scala2.12', name: '16.4 LTS (includes Apache Spark 3.5.2, Scala 2.12)' }],
    },
  },
};
