/** Fields of NewCluster and its parts (spec 2.8). */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  notBoolean,
  notList,
  notObject,
  notText,
  assertFieldRow,
  jobLocation,
  taskLocation,
  newCluster,
  pythonTask,
  type FieldRow,
  type SettingsLocation,
} from './field-rows.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService({
    clusters: {
      ...defaultInventory,
      pools: { pool: {} },
      policies: { policy: { node_type_id: 'standard-4' } },
    },
  });
});

afterAll(() => runyard.stop());

/** Puts the settings of a row into a new_cluster at a location. */
function clusterAt(place: SettingsLocation): SettingsLocation {
  return {
    version: place.version,
    path: `${place.path}new_cluster.`,
    toJobSettings: (settings) =>
      place.toJobSettings({ existing_cluster_id: undefined, new_cluster: { ...newCluster, ...settings } }),
    settingsFrom: (settings) => place.settingsFrom(settings).new_cluster,
  };
}

const inSharedCluster: SettingsLocation = {
  version: '2.1',
  path: 'job_clusters[0].new_cluster.',
  toJobSettings: (settings) => ({
    tasks: [{ task_key: 'a', job_cluster_key: 'k', ...pythonTask }],
    job_clusters: [{ job_cluster_key: 'k', new_cluster: { ...newCluster, ...settings } }],
  }),
  settingsFrom: (settings) => settings.job_clusters[0].new_cluster,
};

const noSize = { num_workers: undefined };
const range = (min_workers: unknown, max_workers: unknown) => ({
  ...noSize,
  autoscale: { min_workers, max_workers },
});
const cloud = (fields: object) => ({ cloud_attributes: fields });
const oneStore = 'exactly one of workspace, managed_fs, objstore is allowed.';

const clusterRows: readonly FieldRow[] = [
  {
    field: 'num_workers OR autoscale',
    accepts: [{ num_workers: 0 }, { num_workers: 8 }, range(1, 2)],
    rejects: [
      [{ num_workers: -1 }, '<at>num_workers is -1; it must be at least 0.'],
      [
        { autoscale: { min_workers: 1, max_workers: 2 } },
        '<here> has num_workers and autoscale; exactly one of num_workers, autoscale is allowed.',
      ],
    ],
  },
  {
    field: 'spark_version',
    accepts: [{ spark_version: '16.4.x-scala2.12' }],
    rejects: [[{ spark_version: 16 }, notText('spark_version')]],
  },
  {
    field: 'spark_conf',
    accepts: [{ spark_conf: { 'spark.speculation': 'true' } }, { spark_conf: {} }],
    rejects: [[{ spark_conf: { a: [1] } }, notText('spark_conf.a', 'ARRAY')]],
  },
  {
    field: 'cloud_attributes',
    accepts: [cloud({})],
    rejects: [[{ cloud_attributes: 'x' }, notObject('cloud_attributes')]],
  },
  {
    field: 'node_type_id',
    accepts: [
      { node_type_id: 'standard-4' },
      { node_type_id: undefined, instance_pool_id: 'pool' },
      { node_type_id: undefined, policy_id: 'policy' },
    ],
    rejects: [[{ node_type_id: 4 }, notText('node_type_id')]],
  },
  {
    field: 'driver_node_type_id',
    accepts: [{ driver_node_type_id: 'big' }, { driver_node_type_id: undefined }],
    rejects: [[{ driver_node_type_id: 4 }, notText('driver_node_type_id')]],
  },
  {
    field: 'ssh_public_keys',
    accepts: [{ ssh_public_keys: [] }, [{ ssh_public_keys: ['ssh-rsa AAAA'] }, { ssh_public_keys: [] }]],
    rejects: [[{ ssh_public_keys: 'key' }, notList('ssh_public_keys')]],
  },
  {
    // The specification has an always empty list, clients read a map; responses contain a map.
    field: 'custom_tags',
    accepts: [{ custom_tags: { team: 'a' } }, [{ custom_tags: [] }, { custom_tags: {} }]],
    rejects: [
      [
        { custom_tags: ['a'] },
        'Could not parse request object: Expected object for field <at>custom_tags, found ARRAY',
      ],
    ],
  },
  {
    field: 'cluster_log_conf',
    accepts: [{ cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } } }],
    rejects: [[{ cluster_log_conf: 'logs' }, notObject('cluster_log_conf')]],
  },
  {
    field: 'init_scripts',
    accepts: [
      { init_scripts: [] },
      {
        init_scripts: [
          { workspace: { destination: '/a.sh' } },
          { managed_fs: { destination: 'managed_fs:/b.sh' } },
        ],
      },
    ],
    rejects: [[{ init_scripts: 'a.sh' }, notList('init_scripts')]],
  },
  {
    field: 'spark_env_vars',
    accepts: [{ spark_env_vars: { STAGE: 'test', EMPTY: '' } }],
    rejects: [
      [
        { spark_env_vars: { CITY: 'Zürich' } },
        '<at>spark_env_vars.CITY is "Zürich"; only ASCII characters are allowed.',
      ],
      [
        { spark_env_vars: { GRÖSSE: '1' } },
        '<at>spark_env_vars has the name "GRÖSSE"; only ASCII characters are allowed.',
      ],
      [
        { spark_env_vars: { 'A=B': '1' } },
        '<at>spark_env_vars has the name "A=B"; a variable name must not be empty or contain "=".',
      ],
      [{ spark_env_vars: { A: {} } }, notText('spark_env_vars.A', 'OBJECT')],
    ],
  },
  {
    field: 'enable_elastic_disk',
    accepts: [
      { enable_elastic_disk: false },
      [{ enable_elastic_disk: true }, { enable_elastic_disk: false }],
    ],
    rejects: [[{ enable_elastic_disk: 'maybe' }, notBoolean('enable_elastic_disk')]],
  },
  {
    field: 'instance_pool_id',
    accepts: [{ instance_pool_id: 'pool' }],
    rejects: [
      [{ instance_pool_id: 4 }, notText('instance_pool_id')],
      [
        { instance_pool_id: 'sea' },
        '<at>instance_pool_id is "sea"; it must be one of pool (RUNYARD_CLUSTERS).',
      ],
      [{ policy_id: 'none' }, '<at>policy_id is "none"; it must be one of policy (RUNYARD_CLUSTERS).'],
    ],
  },
  {
    field: 'the second attribute object (availability, zone_id)',
    accepts: [
      { placement_attributes: { availability: 'SPOT', zone_id: 'z' } },
      { placement_attributes: { availability: 'ON_DEMAND' } },
    ],
    rejects: [[{ placement_attributes: { availability: 1 } }, notText('placement_attributes.availability')]],
  },
  {
    field: 'AutoScale.min_workers',
    accepts: [range(0, 1), range(3, 9)],
    rejects: [
      [range(-1, 2), '<at>autoscale.min_workers is -1; it must be at least 0.'],
      [range(undefined, 2), 'Missing required field: <at>autoscale.min_workers.'],
    ],
  },
  {
    field: 'AutoScale.max_workers',
    accepts: [range(1, 2)],
    rejects: [
      [range(2, 2), '<at>autoscale.max_workers is 2; it must be greater than min_workers, which is 2.'],
      [range(2, 1), '<at>autoscale.max_workers is 1; it must be greater than min_workers, which is 2.'],
      [range(2, undefined), 'Missing required field: <at>autoscale.max_workers.'],
    ],
  },
  {
    field: 'Cloud attributes.use_preemptible_executors',
    accepts: [cloud({ use_preemptible_executors: true })],
    rejects: [
      [
        cloud({ use_preemptible_executors: 'maybe' }),
        notBoolean('cloud_attributes.use_preemptible_executors'),
      ],
    ],
  },
  {
    field: 'Cloud attributes.cloud_service_account',
    accepts: [cloud({ cloud_service_account: 'data@project' })],
    rejects: [[cloud({ cloud_service_account: 1 }), notText('cloud_attributes.cloud_service_account')]],
  },
  {
    field: 'Cloud attributes.boot_disk_size',
    accepts: [cloud({ boot_disk_size: 100 }), cloud({ boot_disk_size: 4_096 })],
    rejects: [99, 4_097].map((size): [object, string] => [
      cloud({ boot_disk_size: size }),
      `<at>cloud_attributes.boot_disk_size is ${size}; it must be between 100 and 4096.`,
    ]),
  },
  {
    field: 'ClusterLogConf.managed_fs',
    accepts: ['managed_fs', 'volumes'].map((store) => ({
      cluster_log_conf: { [store]: { destination: '/Volumes/v' } },
    })),
    rejects: [
      [
        { cluster_log_conf: { managed_fs: { destination: 'objstore://b/logs' } } },
        '<at>cluster_log_conf.managed_fs.destination is "objstore://b/logs"; it must be a path of managed_fs, such as managed_fs:/logs.',
      ],
      [
        { cluster_log_conf: { managed_fs: { destination: 'managed_fs:/../logs' } } },
        '<at>cluster_log_conf.managed_fs.destination is "managed_fs:/../logs"; it must not contain "..".',
      ],
      [
        { cluster_log_conf: { managed_fs: { destination: '/a' }, dbfs: { destination: '/b' } } },
        '<at>cluster_log_conf has managed_fs and dbfs; only one destination is allowed.',
      ],
      [{ cluster_log_conf: {} }, 'Missing required field: <at>cluster_log_conf.managed_fs.'],
      [
        { cluster_log_conf: { managed_fs: {} } },
        'Missing required field: <at>cluster_log_conf.managed_fs.destination.',
      ],
    ],
  },
  {
    field: 'InitScriptInfo.workspace OR managed_fs OR objstore',
    accepts: [
      ['workspace', '/a.sh'],
      ['managed_fs', '/a.sh'],
      ['managed_fs', 'dbfs:/a.sh'],
      ['volumes', '/Volumes/main/default/v/a.sh'],
      ['objstore', 'objstore://b/a.sh'],
      ['s3', 's3://b/a.sh'],
    ].map(([store = '', destination]) => ({ init_scripts: [{ [store]: { destination } }] })),
    rejects: [
      [
        { init_scripts: [{}] },
        '<at>init_scripts[0] has none of workspace, managed_fs, objstore; exactly one is required.',
      ],
      [
        { init_scripts: [{ workspace: { destination: '/a' }, objstore: { destination: '/b' } }] },
        `<at>init_scripts[0] has workspace and objstore; ${oneStore}`,
      ],
      [
        { init_scripts: [{ workspace: { destination: 'a.sh' } }] },
        '<at>init_scripts[0].workspace.destination is "a.sh"; it must be an absolute path of the workspace, such as /Shared/setup.sh.',
      ],
      [
        { init_scripts: [{ managed_fs: { destination: 's3://b/a.sh' } }] },
        '<at>init_scripts[0].managed_fs.destination is "s3://b/a.sh"; it must be a path of managed_fs, such as managed_fs:/setup.sh.',
      ],
      [
        { init_scripts: [{ objstore: { destination: '/a.sh' } }] },
        '<at>init_scripts[0].objstore.destination is "/a.sh"; it must be a URI of the object store, such as objstore://bucket/setup.sh.',
      ],
      [
        { init_scripts: [{ objstore: {} }] },
        'Missing required field: <at>init_scripts[0].objstore.destination.',
      ],
    ],
  },
];

describe.each<[string, SettingsLocation]>([
  ['a job', clusterAt(jobLocation)],
  ['a task', clusterAt(taskLocation)],
  ['a shared cluster', inSharedCluster],
])('in the new cluster of %s', (_name, place) => {
  test.each(clusterRows)('spec 2.8 $field', (row) => {
    const refuses = row.rejects.map(([sent, message]): [object, string] => [
      sent,
      message.replace('<here>', place.path.slice(0, -1)),
    ]);
    return assertFieldRow(runyard, { ...row, rejects: refuses }, place);
  });
});
