/** Cluster policies: definitions, supplied values and limits. */
import { describe, expect, test } from 'vitest';
import { applyPolicy, toClusterPolicy } from '../../../../engine/cluster/cluster-policy.ts';
import type { ClusterKind } from '../../../../engine/cluster/cluster.ts';
import { defaultInventory, resolveShape } from '../../../../engine/cluster/inventory.ts';
import { createLiveInventory } from '../../../../engine/cluster/live-inventory.ts';
import { parsePolicyDefinition } from '../../../../engine/cluster/policy-rules.ts';

const cluster = { policy_id: 'p', spark_version: '16.4.x-scala2.12', node_type_id: 'n', num_workers: 2 };

function policy(definition: object, policyId = 'p') {
  return {
    policyId,
    name: policyId,
    definition: JSON.stringify(definition),
    description: '',
    maxClustersPerUser: undefined,
    creator: 'ann',
    createdTime: 1,
  };
}

/** Applies a policy and returns the changed fields, or the error. */
function applied(definition: object, fields: object = {}, kind: ClusterKind = 'JOB'): unknown {
  const inventory = { ...defaultInventory, policies: { p: toClusterPolicy(policy(definition)) } };
  const described = { ...cluster, ...fields };
  const result = applyPolicy(described, inventory, kind);
  if ('error' in result) return result.error.replace('Cluster validation error: Validation failed for ', '');
  const before = new Map(Object.entries(described));
  return Object.fromEntries(
    Object.entries(result.spec).filter(([name, value]) => before.get(name) !== value),
  );
}

describe('a policy supplies', () => {
  test.each<[string, object, object, unknown]>([
    [
      'a fixed value',
      { autotermination_minutes: { type: 'fixed', value: 30 } },
      {},
      { autotermination_minutes: 30 },
    ],
    [
      'a fixed entry of a map, whose name has dots',
      { 'spark_conf.spark.sql.shuffle.partitions': { type: 'fixed', value: '8' } },
      { spark_conf: { a: 'b' } },
      { spark_conf: { a: 'b', 'spark.sql.shuffle.partitions': '8' } },
    ],
    [
      'a fixed init script',
      { 'init_scripts.0.workspace.destination': { type: 'fixed', value: '/a.sh' } },
      {},
      { init_scripts: [{ workspace: { destination: '/a.sh' } }] },
    ],
    [
      'a default for a request that asks for defaults',
      {
        driver_node_type_id: { type: 'unlimited', defaultValue: 'd' },
        'custom_tags.team': { type: 'unlimited', defaultValue: 'x' },
      },
      { apply_policy_default_values: true },
      { driver_node_type_id: 'd', custom_tags: { team: 'x' } },
    ],
    [
      'no other default',
      { 'custom_tags.team': { type: 'unlimited', defaultValue: 'x', isOptional: true } },
      {},
      {},
    ],
    [
      'a default node type in any case',
      { node_type_id: { type: 'allowlist', values: ['n', 'm'], defaultValue: 'm' } },
      { node_type_id: undefined },
      { node_type_id: 'm' },
    ],
    [
      'the newest known version',
      { spark_version: { type: 'fixed', value: 'auto:latest-lts' } },
      { spark_version: undefined },
      { spark_version: '16.4.x-scala2.12' },
    ],
  ])('%s', (_, definition, fields, changes) => {
    expect(applied(definition, fields)).toEqual(changes);
  });
});

describe('a policy refuses', () => {
  test.each<[string, object, object, unknown]>([
    [
      'another value than the fixed one',
      { node_type_id: { type: 'fixed', value: 'x' } },
      {},
      'node_type_id, the value must be "x" (is "n")',
    ],
    [
      'a missing value',
      { 'custom_tags.team': { type: 'unlimited' } },
      {},
      'custom_tags.team, the value must be present',
    ],
    [
      'a forbidden attribute',
      { instance_pool_id: { type: 'forbidden' } },
      { instance_pool_id: 'q' },
      'instance_pool_id, the value must not be present (is "q")',
    ],
    [
      'a value that is not in the list',
      { node_type_id: { type: 'allowlist', values: ['x', 'y'] } },
      {},
      'node_type_id, the value must be one of "x", "y" (is "n")',
    ],
    [
      'a value in the list',
      { node_type_id: { type: 'blocklist', values: ['n'] } },
      {},
      'node_type_id, the value must not be one of "n" (is "n")',
    ],
    [
      'a value beside the pattern',
      { node_type_id: { type: 'regex', pattern: 'n.' } },
      {},
      'node_type_id, the value must match "n." (is "n")',
    ],
    [
      'a number outside of the range',
      { num_workers: { type: 'range', minValue: 3, maxValue: 5 } },
      {},
      'num_workers, the value must be at least 3 and be at most 5 (is 2)',
    ],
    [
      'one of several entries',
      { 'init_scripts.*.workspace.destination': { type: 'regex', pattern: '/Shared/.*' } },
      { init_scripts: [{ workspace: { destination: '/Shared/a' } }, { workspace: { destination: '/x' } }] },
      'init_scripts.*.workspace.destination, the value must match "/Shared/.*" (is "/x")',
    ],
    [
      'the kind of cluster',
      { cluster_type: { type: 'fixed', value: 'all-purpose' } },
      {},
      'cluster_type, the value must be "all-purpose" (is "job")',
    ],
  ])('%s', (_, definition, fields, message) => {
    expect(applied(definition, fields)).toBe(message);
  });

  test('nothing that its rules permit', () => {
    const definition = {
      cluster_type: { type: 'allowlist', values: ['job', 'all-purpose'] },
      dbus_per_hour: { type: 'range', maxValue: 10 },
      num_workers: { type: 'range', maxValue: 2 },
      node_type_id: { type: 'regex', pattern: '[a-z]', hidden: true },
      'custom_tags.team': { type: 'blocklist', values: ['x'], isOptional: true },
      'spark_conf.a': { type: 'fixed', value: true },
    };
    expect(applied(definition, { spark_conf: { a: 'true' } }, 'ALL_PURPOSE')).toEqual({});
    expect(applied({}, { policy_id: 'other' })).toEqual({});
  });
});

describe('a definition is refused', () => {
  test.each<[string, string, string]>([
    ['text that is not JSON', '{', 'definition is not a JSON object'],
    ['a list', '[]', 'definition is not a JSON object'],
    ['a rule without a type', '{"a":{}}', 'its type must be one of fixed, forbidden, unlimited'],
    ['an unknown type', '{"a":{"type":"x"}}', 'definition has the attribute "a" of type "x"'],
    ['a rule without its value', '{"a":{"type":"fixed"}}', 'whose rule is not a valid fixed rule'],
    ['an unknown field of a rule', '{"a":{"type":"forbidden","values":[]}}', 'not a valid forbidden rule'],
    ['a broken pattern', '{"a":{"type":"regex","pattern":"("}}', 'is not a regular expression'],
    ['a path with an empty name', '{"a..b":{"type":"forbidden"}}', 'names separated by dots'],
    ['a renamed path', '{"cluster_log_conf.path":{"type":"forbidden"}}', 'use cluster_log_conf.managed_fs'],
  ])('%s', (_, definition, message) => {
    expect(() => parsePolicyDefinition(definition)).toThrow(message);
  });
});

test('a live inventory has configured and managed pools and policies, and leaves out unreadable policies', () => {
  const live = createLiveInventory({ ...defaultInventory, pools: { own: { capacity: 1 } } });
  live.replace(
    [{ instancePoolId: 'q', name: 'queue', spec: { node_type_id: 'n', max_capacity: 4 }, createdTime: 1 }],
    [
      policy({ instance_pool_id: { type: 'fixed', value: 'q' } }),
      policy({ node_type_id: { type: 'of a newer version' } }, 'newer'),
    ],
  );
  expect(live.inventory.pools).toEqual({ own: { capacity: 1 }, q: { node_type_id: 'n', capacity: 4 } });
  expect(Object.keys(live.inventory.policies)).toEqual(['p']);
  expect(resolveShape({ policy_id: 'p', num_workers: 1 }, live.inventory)).toEqual({
    poolId: 'q',
    nodeTypeId: 'n',
    driverNodeTypeId: 'n',
    workers: 1,
  });
});
