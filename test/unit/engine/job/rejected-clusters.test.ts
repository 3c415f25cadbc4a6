/** Refused clusters and libraries. Each rule has a row with its exact message. */
import { expect, test } from 'vitest';
import {
  aliasOf,
  taskBodies,
  newCluster,
  singleTaskJob,
  sampleTask,
  settingsErrorOf,
} from './sample-settings.ts';

const { num_workers: _, ...noSize } = newCluster;
const { spark_version: __, ...noVersion } = newCluster;
const { node_type_id: ___, ...noNodeType } = newCluster;
const { new_cluster: ____, ...noCluster } = singleTaskJob;
const incomplete = 'Cluster validation error: Missing required field: settings.cluster_spec.new_cluster';
const [cloud, fs, store] = [aliasOf('cloud_attributes'), aliasOf('managed_fs'), aliasOf('objstore')];

/** Returns a multi-task job with one task and changed fields. */
function oneTask(extra: object) {
  return { tasks: [{ ...sampleTask('a'), ...extra }] };
}

test.each<[string, object, string]>([
  ['no compute', noCluster, 'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.'],
  [
    'an empty existing_cluster_id',
    { ...noCluster, existing_cluster_id: '' },
    'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified.',
  ],
  [
    'no compute in a task',
    { tasks: [sampleTask('a'), { task_key: 'b', notebook_task: taskBodies.notebook_task }] },
    'One of job_cluster_key, new_cluster, or existing_cluster_id must be specified. tasks[1] has none.',
  ],
  [
    'two clusters',
    { ...singleTaskJob, existing_cluster_id: 'c' },
    'The job has new_cluster and existing_cluster_id; exactly one of job_cluster_key, new_cluster, existing_cluster_id is allowed.',
  ],
  [
    'two clusters in a pipeline task',
    {
      tasks: [
        {
          task_key: 'a',
          pipeline_task: taskBodies.pipeline_task,
          new_cluster: newCluster,
          existing_cluster_id: 'c',
        },
      ],
    },
    'tasks[0] has new_cluster and existing_cluster_id; exactly one of job_cluster_key, new_cluster, existing_cluster_id is allowed.',
  ],
  ['no size', { ...singleTaskJob, new_cluster: noSize }, `${incomplete}.size`],
  ['no size in a task', oneTask({ new_cluster: noSize }), `${incomplete}.size (tasks[0].new_cluster)`],
  ['no spark_version', { ...singleTaskJob, new_cluster: noVersion }, `${incomplete}.spark_version`],
  ['no node type', { ...singleTaskJob, new_cluster: noNodeType }, `${incomplete}.node_type_id`],
  [
    'num_workers together with autoscale',
    { ...singleTaskJob, new_cluster: { ...newCluster, autoscale: { min_workers: 1, max_workers: 2 } } },
    'new_cluster has num_workers and autoscale; exactly one of num_workers, autoscale is allowed.',
  ],
  [
    'an empty range',
    { ...singleTaskJob, new_cluster: { ...noSize, autoscale: { min_workers: 2, max_workers: 2 } } },
    'new_cluster.autoscale.max_workers is 2; it must be greater than min_workers, which is 2.',
  ],
  [
    'half a range',
    { ...singleTaskJob, new_cluster: { ...noSize, autoscale: { min_workers: 2 } } },
    'Missing required field: new_cluster.autoscale.max_workers.',
  ],
  [
    'negative workers',
    { ...singleTaskJob, new_cluster: { ...newCluster, num_workers: -1 } },
    'new_cluster.num_workers is -1; it must be at least 0.',
  ],
  [
    'a small boot disk',
    { ...singleTaskJob, new_cluster: { ...newCluster, cloud_attributes: { boot_disk_size: 99 } } },
    'new_cluster.cloud_attributes.boot_disk_size is 99; it must be between 100 and 4096.',
  ],
  [
    'a large boot disk under an alias',
    { ...singleTaskJob, new_cluster: { ...newCluster, [cloud]: { boot_disk_size: 4097 } } },
    `new_cluster.${cloud}.boot_disk_size is 4097; it must be between 100 and 4096.`,
  ],
  [
    'a non-ASCII variable',
    { ...singleTaskJob, new_cluster: { ...newCluster, spark_env_vars: { A: 'ä' } } },
    'new_cluster.spark_env_vars.A is "ä"; only ASCII characters are allowed.',
  ],
  [
    'a non-ASCII variable name',
    { ...singleTaskJob, new_cluster: { ...newCluster, spark_env_vars: { Ä: 'a' } } },
    'new_cluster.spark_env_vars has the name "Ä"; only ASCII characters are allowed.',
  ],
  [
    'log delivery without a store',
    { ...singleTaskJob, new_cluster: { ...newCluster, cluster_log_conf: {} } },
    'Missing required field: new_cluster.cluster_log_conf.managed_fs.',
  ],
  [
    'log delivery without destination',
    { ...singleTaskJob, new_cluster: { ...newCluster, cluster_log_conf: { [fs]: {} } } },
    `Missing required field: new_cluster.cluster_log_conf.${fs}.destination.`,
  ],
  [
    'log delivery to an empty destination',
    { ...singleTaskJob, new_cluster: { ...newCluster, cluster_log_conf: { [fs]: { destination: '' } } } },
    `Missing required field: new_cluster.cluster_log_conf.${fs}.destination.`,
  ],
  [
    'an init script without store',
    { ...singleTaskJob, new_cluster: { ...newCluster, init_scripts: [{}] } },
    'new_cluster.init_scripts[0] has none of workspace, managed_fs, objstore; exactly one is required.',
  ],
  [
    'an init script in two stores',
    {
      ...singleTaskJob,
      new_cluster: {
        ...newCluster,
        init_scripts: [{ [fs]: { destination: 'a' }, [store]: { destination: 'b' } }],
      },
    },
    `new_cluster.init_scripts[0] has ${fs} and ${store}; exactly one of workspace, managed_fs, objstore is allowed.`,
  ],
  [
    'an init script without destination',
    { ...singleTaskJob, new_cluster: { ...newCluster, init_scripts: [{ [store]: { destination: ' ' } }] } },
    `Missing required field: new_cluster.init_scripts[0].${store}.destination.`,
  ],
  [
    'tags in a list',
    { ...singleTaskJob, new_cluster: { ...newCluster, custom_tags: ['a'] } },
    'Could not parse request object: Expected object for field new_cluster.custom_tags, found ARRAY',
  ],
  [
    'a tag that is not a string',
    { ...singleTaskJob, new_cluster: { ...newCluster, custom_tags: { a: 1 } } },
    'Could not parse request object: Expected string for field new_cluster.custom_tags.a, found NUMBER',
  ],
])('spec 2.2, 2.8: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(settings)).toBe(message);
});

test.each<[string, unknown, string]>([
  ['no kind', {}, 'libraries[0] has none of jar, egg, whl, pypi, maven, cran; exactly one is required.'],
  [
    'an unsupported kind',
    { requirements: 'r' },
    'libraries[0].requirements is not supported; list its packages as pypi libraries.',
  ],
  [
    'an unknown kind',
    { gem: 'r' },
    'libraries[0] has none of jar, egg, whl, pypi, maven, cran; exactly one is required.',
  ],
  [
    'two kinds',
    { jar: 'a', egg: 'b' },
    'libraries[0] has jar and egg; exactly one of jar, egg, whl, pypi, maven, cran is allowed.',
  ],
  [
    'a wheel without tags',
    { whl: 'managed_fs:/pkg-1.0.whl' },
    'libraries[0].whl is "managed_fs:/pkg-1.0.whl"; the file must be named name-version-python-abi-platform.whl, or end in .wheelhouse.zip.',
  ],
  [
    'a zip',
    { whl: 'a.zip' },
    'libraries[0].whl is "a.zip"; the file must be named name-version-python-abi-platform.whl, or end in .wheelhouse.zip.',
  ],
  ['no package', { pypi: {} }, 'Missing required field: libraries[0].pypi.package.'],
  ['no coordinates', { maven: { repo: 'r' } }, 'Missing required field: libraries[0].maven.coordinates.'],
  ['no CRAN package', { cran: {} }, 'Missing required field: libraries[0].cran.package.'],
  ['a text', 'a.jar', 'Could not parse request object: Expected object for field libraries[0], found STRING'],
])('spec 2.8: a library with %s is refused', (_name, library, message) => {
  expect(settingsErrorOf({ ...singleTaskJob, libraries: [library] })).toBe(message);
});
