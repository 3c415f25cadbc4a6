/** Resolved node types, pool and size of clusters, faults and terminations (spec 2.8). */
import { describe, expect, test } from 'vitest';
import { desiredWorkers } from '../../../../engine/cluster/autoscale.ts';
import { createClusterFaults } from '../../../../engine/cluster/fault-injection.ts';
import {
  poolCapacityOf,
  defaultInventory,
  hasLimitedPool,
  resolveShape,
  unknownNameError,
  type Inventory,
} from '../../../../engine/cluster/inventory.ts';
import {
  terminationMessage,
  isUserError,
  toTerminationReason,
} from '../../../../engine/cluster/termination.ts';

const inventory: Inventory = {
  ...defaultInventory,
  nodes: 9,
  pools: { small: { node_type_id: 'standard-2', capacity: 4 }, any: {} },
  policies: {
    nightly: { instance_pool_id: 'small', driver_node_type_id: 'memory-4' },
    typed: { node_type_id: 'standard-8' },
  },
};

describe('spec 2.8', () => {
  test.each<[string, object, object]>([
    [
      'driver_node_type_id defaults to node_type_id',
      { node_type_id: 'a', num_workers: 2 },
      { poolId: '', nodeTypeId: 'a', driverNodeTypeId: 'a', workers: 2 },
    ],
    [
      'driver_node_type_id overrides node_type_id',
      { node_type_id: 'a', driver_node_type_id: 'b', num_workers: 0 },
      { poolId: '', nodeTypeId: 'a', driverNodeTypeId: 'b', workers: 0 },
    ],
    [
      'a cluster with autoscaling starts with min_workers',
      { node_type_id: 'a', autoscale: { min_workers: 3, max_workers: 9 } },
      { poolId: '', nodeTypeId: 'a', driverNodeTypeId: 'a', workers: 3 },
    ],
    [
      'is_single_node means no workers',
      { node_type_id: 'a', is_single_node: true },
      { poolId: '', nodeTypeId: 'a', driverNodeTypeId: 'a', workers: 0 },
    ],
    [
      'a pool supplies the node type',
      { node_type_id: 'a', instance_pool_id: 'small', num_workers: 1 },
      { poolId: 'small', nodeTypeId: 'standard-2', driverNodeTypeId: 'standard-2', workers: 1 },
    ],
    [
      'a pool without a node type keeps that of the cluster',
      { node_type_id: 'a', instance_pool_id: 'any', num_workers: 1 },
      { poolId: 'any', nodeTypeId: 'a', driverNodeTypeId: 'a', workers: 1 },
    ],
    [
      'a policy supplies missing fields',
      { policy_id: 'nightly', num_workers: 1 },
      { poolId: 'small', nodeTypeId: 'standard-2', driverNodeTypeId: 'memory-4', workers: 1 },
    ],
    [
      'a policy does not override given fields',
      { policy_id: 'typed', node_type_id: 'a', num_workers: 1 },
      { poolId: '', nodeTypeId: 'a', driverNodeTypeId: 'a', workers: 1 },
    ],
    [
      'a policy supplies the node type',
      { policy_id: 'typed', num_workers: 1 },
      { poolId: '', nodeTypeId: 'standard-8', driverNodeTypeId: 'standard-8', workers: 1 },
    ],
  ])('%s', (_name, spec, shape) => expect(resolveShape(spec, inventory)).toEqual(shape));

  test('the error of an unknown pool or policy lists the known ones', () => {
    expect(resolveShape({ instance_pool_id: 'sea' }, inventory)).toEqual({
      error: `The cluster's instance_pool_id is "sea"; it must be one of small, any (RUNYARD_CLUSTERS).`,
    });
    expect(unknownNameError({ policy_id: 'toString' }, defaultInventory)).toBe(
      'policy_id is "toString"; no policy is configured (RUNYARD_CLUSTERS).',
    );
  });

  test('the capacity of a pool is that of the configuration', () => {
    expect(['', 'small', 'any'].map((pool) => poolCapacityOf(pool, inventory))).toEqual([9, 4, undefined]);
    expect([
      hasLimitedPool(inventory),
      hasLimitedPool(defaultInventory),
      hasLimitedPool({ ...defaultInventory, pools: { a: { capacity: 1 } } }),
    ]).toEqual([true, false, true]);
  });

  test.each([
    [0, 2],
    [1, 2],
    [3, 3],
    [5, 5],
    [9, 5],
  ])('autoscale from 2 to 5: %i running tasks need %i workers', (tasks, workers) => {
    expect(desiredWorkers({ min_workers: 2, max_workers: 5 }, tasks)).toBe(workers);
  });
});

test('a fault is injected the configured number of times, into the named cluster', () => {
  const faults = createClusterFaults([
    { fault: 'loss', cluster: 'etl', times: 2 },
    { fault: 'start_failure' },
  ]);
  expect(faults.take('loss', ['other'])).toBeUndefined();
  expect([1, 2, 3].map(() => faults.take('loss', ['x', 'etl'])?.fault)).toEqual(['loss', 'loss', undefined]);
  expect([1, 2].map(() => faults.take('start_failure', [])?.fault)).toEqual(['start_failure', undefined]);
});

test('a termination has code, type and parameters', () => {
  expect(toTerminationReason({ code: 'INIT_SCRIPT_FAILURE', parameters: { message: 'x' } })).toEqual({
    code: 'INIT_SCRIPT_FAILURE',
    type: 'CLIENT_ERROR',
    parameters: { message: 'x' },
  });
  expect(terminationMessage('c', { code: 'JOB_FINISHED' })).toBe('Cluster c was terminated (JOB_FINISHED)');
  expect([
    isUserError({ code: 'INIT_SCRIPT_FAILURE' }),
    isUserError({ code: 'CLOUD_PROVIDER_SHUTDOWN' }),
  ]).toEqual([true, false]);
});
