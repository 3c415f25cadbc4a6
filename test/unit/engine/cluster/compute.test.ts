/** What clusters compute on, by configuration, node type and policy. */
import { describe, expect, test } from 'vitest';
import { defaultPySpark, resolveCompute, sparkRuntimeOf } from '../../../../engine/cluster/compute.ts';
import { defaultInventory, resolveRuntime, type Inventory } from '../../../../engine/cluster/inventory.ts';
import { checkSparkSwitches } from '../../../../engine/job/spark-switches.ts';

const typed = { memory_mb: 1, num_cores: 1, category: '', description: '' };
const inventory: Inventory = {
  ...defaultInventory,
  sparkMaster: 'spark://host:7077',
  nodeTypes: { big: { ...typed, spark_master: 'yarn' }, plain: { ...typed, spark_master: 'none' } },
  policies: { k8s: { spark_master: 'k8s://https://host' }, off: { spark_master: 'none' }, other: {} },
};

describe('the compute of a cluster', () => {
  test.each<[string, Parameters<typeof resolveCompute>[0], string, Inventory, string | undefined]>([
    ['is local without a master', {}, 'big', defaultInventory, undefined],
    ['has the master of the configuration', {}, 'unknown', inventory, 'spark://host:7077'],
    ['has the master of its node type', {}, 'big', inventory, 'yarn'],
    ['is local for a node type without Spark', {}, 'plain', inventory, undefined],
    ['has the master of its policy', { policy_id: 'k8s' }, 'big', inventory, 'k8s://https://host'],
    ['is local for a policy without Spark', { policy_id: 'off' }, 'big', inventory, undefined],
    ['ignores a policy that names no master', { policy_id: 'other' }, 'big', inventory, 'yarn'],
    [
      'is a single node by spark.master',
      { spark_conf: { 'spark.master': 'local[*]' } },
      'big',
      inventory,
      'local[*]',
    ],
    [
      'does not take another master from spark_conf',
      { spark_conf: { 'spark.master': 'spark://elsewhere:1' } },
      'big',
      inventory,
      'yarn',
    ],
  ])('%s', (_fact, spec, nodeType, from, master) => {
    const compute = resolveCompute(spec, nodeType, from);
    expect(compute).toMatchObject(
      master === undefined ? { provider: 'local' } : { provider: 'spark', master },
    );
  });

  test('reads the switches of spark_conf and passes the other properties on', () => {
    const conf = { 'runyard.spark.session': 'classic', 'runyard.sql': 'duckdb', 'spark.x': '1' };
    expect(resolveCompute({ spark_conf: conf }, '', inventory)).toMatchObject({
      session: 'classic',
      sql: 'duckdb',
      conf: { 'spark.x': '1' },
    });
  });
});

test.each<[string, Inventory['sparkRuntimes'], object]>([
  ['16.4.x-scala2.12', {}, { pyspark: defaultPySpark, conf: { 'spark.sql.ansi.enabled': 'false' } }],
  ['17.3.x-scala2.13', {}, { pyspark: defaultPySpark }],
  ['4.0.5', {}, { pyspark: '4.0.5' }],
  ['', { default: { pyspark: '4.1.4' } }, { pyspark: '4.1.4' }],
  ['a', { a: { home: '/opt/spark' }, default: {} }, { pyspark: defaultPySpark, home: '/opt/spark' }],
])('the spark_version %j with the runtimes %j is %j', (version, sparkRuntimes, runtime) => {
  expect(sparkRuntimeOf(version, { sparkRuntimes })).toEqual(runtime);
});

test.each<[Record<string, string>, string]>([
  [
    { 'runyard.sql': 'hive' },
    'new_cluster.spark_conf.runyard.sql is "hive"; it must be one of spark, duckdb.',
  ],
  [
    { 'runyard.sgl': 'spark' },
    'new_cluster.spark_conf has the property "runyard.sgl"; properties of Runyard are runyard.spark.session and runyard.sql.',
  ],
])('the properties %j are refused', (conf, message) => {
  expect(() => checkSparkSwitches('new_cluster.spark_conf', conf)).toThrow(message);
});

test.each<[string, Parameters<typeof resolveRuntime>[0], Parameters<typeof resolveRuntime>[1], string]>([
  ['cold by default', {}, defaultInventory, 'cold'],
  ['that of the configuration', {}, { policies: {}, runtime: 'warm' }, 'warm'],
  [
    'that of its policy',
    { policy_id: 'p' },
    { policies: { p: { runtime: 'cold' } }, runtime: 'warm' },
    'cold',
  ],
  ['its own', { policy_id: 'p', runtime: 'warm' }, { policies: { p: { runtime: 'cold' } } }, 'warm'],
])('the runtime of a cluster is %s', (_fact, spec, from, runtime) => {
  expect(resolveRuntime(spec, from)).toBe(runtime);
});
