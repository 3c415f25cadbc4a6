/** Inventory of the configuration together with the pools and policies that the API manages. */
import { toClusterPolicy, type StoredPolicy } from './cluster-policy.ts';
import type { InstancePool } from './instance-pool.ts';
import type { ClusterPolicy, Inventory, NodePool } from './inventory.ts';

export interface LiveInventory {
  /** Its pools and policies change with each call of `replace`. */
  readonly inventory: Inventory;
  /** Replaces the managed pools and policies. Configured ones of the same id have precedence. */
  replace(pools: readonly InstancePool[], policies: readonly StoredPolicy[]): void;
}

export function createLiveInventory(configured: Inventory): LiveInventory {
  let { pools, policies } = configured;
  return {
    inventory: {
      ...configured,
      get pools() {
        return pools;
      },
      get policies() {
        return policies;
      },
    },
    replace(managedPools, managedPolicies) {
      pools = {
        ...Object.fromEntries(managedPools.map((pool) => [pool.instancePoolId, toNodePool(pool)])),
        ...configured.pools,
      };
      policies = { ...Object.fromEntries(managedPolicies.flatMap(toPolicyEntry)), ...configured.policies };
    },
  };
}

/** A policy of a newer version, whose rules this version does not know, is left out: its clusters are refused. */
function toPolicyEntry(policy: StoredPolicy): [string, ClusterPolicy][] {
  try {
    return [[policy.policyId, toClusterPolicy(policy)]];
  } catch {
    return [];
  }
}

function toNodePool({ spec: { node_type_id: nodeTypeId, max_capacity: capacity } }: InstancePool): NodePool {
  return { node_type_id: nodeTypeId, ...(capacity !== undefined && { capacity }) };
}
