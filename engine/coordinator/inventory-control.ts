/** Instance pools and cluster policies: those of the configuration, and those that the API manages. */
import type { Clock } from '../clock.ts';
import type { StoredPolicy } from '../cluster/cluster-policy.ts';
import { clusterIdAt } from '../cluster/cluster.ts';
import { unusedPool, type InstancePool, type PoolUse } from '../cluster/instance-pool.ts';
import type { Inventory } from '../cluster/inventory.ts';
import type { LiveInventory } from '../cluster/live-inventory.ts';
import { invalid, ServiceError } from '../errors.ts';
import type { AllPurposeStore } from '../ports/clusters.ts';
import type { ClusterPolicyStore, InstancePoolStore } from '../ports/inventory-stores.ts';
import { quote } from '../validation/messages.ts';

export interface InventoryControlPorts {
  /** Inventory of the configuration. */
  readonly configured: Inventory;
  readonly live: LiveInventory;
  readonly pools: InstancePoolStore;
  readonly policies: ClusterPolicyStore;
  readonly clusters: Pick<AllPurposeStore, 'allocateFreeNodes'>;
  readonly clock: Clock;
  /** Returns `length` random characters of a-z0-9. */
  readonly randomString: (length: number) => string;
}

/** Fields of a policy that its creator writes. */
export type PolicyDescription = Pick<
  StoredPolicy,
  'name' | 'definition' | 'description' | 'maxClustersPerUser'
>;

/** Operations on managed pools and policies. Every refusal is a ServiceError; configured ones are read-only. */
export interface InventoryControl {
  /** Lists the managed pools by name. */
  listPools(): Promise<InstancePool[]>;
  /** Returns the number of nodes that the clusters of a pool hold and wait for. */
  countPoolUse(): Promise<(poolId: string) => PoolUse>;
  createPool(pool: Pick<InstancePool, 'name' | 'spec'>): Promise<string>;
  /** Replaces a pool and allocates its free nodes. Its node type stays. */
  editPool(pool: Pick<InstancePool, 'instancePoolId' | 'name' | 'spec'>): Promise<void>;
  removePool(poolId: string): Promise<void>;
  /** Lists the managed policies by name. */
  listPolicies(): Promise<StoredPolicy[]>;
  createPolicy(policy: PolicyDescription, user: string): Promise<string>;
  editPolicy(policy: PolicyDescription & Pick<StoredPolicy, 'policyId'>): Promise<void>;
  removePolicy(policyId: string): Promise<void>;
  /** Reads the managed pools and policies again: another engine may have changed them. */
  refresh(): Promise<void>;
}

export function createInventoryControl(ports: InventoryControlPorts): InventoryControl {
  const { live, pools, policies, clock, randomString } = ports;
  // Reads run one after the other, so that the latest one stays.
  let reads: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => {
    const read = reads.then(async () => live.replace(await pools.list(), await policies.list()));
    reads = read.catch(() => undefined);
    return read;
  };
  const context: ControlContext = {
    ...ports,
    refresh,
    newId: (middle) => clusterIdAt(clock.now(), `${middle}${randomString(8)}`),
  };
  return { refresh, ...createPoolControl(context), ...createPolicyControl(context) };
}

interface ControlContext extends InventoryControlPorts {
  readonly refresh: () => Promise<void>;
  /** Returns a new id that contains a word for the kind of object. */
  readonly newId: (middle: string) => string;
}

type PoolControl = Pick<
  InventoryControl,
  'listPools' | 'countPoolUse' | 'createPool' | 'editPool' | 'removePool'
>;

function createPoolControl({
  configured,
  pools,
  clusters,
  clock,
  refresh,
  newId,
}: ControlContext): PoolControl {
  return {
    listPools: () => pools.list(),
    async countPoolUse() {
      const use = await pools.countUse();
      return (poolId) => use.get(poolId) ?? unusedPool;
    },
    async createPool({ name, spec }) {
      refuseConfiguredName('instance pool', configured.pools, name);
      const instancePoolId = newId('pool-');
      await pools.create({ instancePoolId, name, spec, createdTime: clock.now() });
      await refresh();
      return instancePoolId;
    },
    async editPool(pool) {
      const { instancePoolId, name, spec } = pool;
      refuseConfigured('instance pool', configured.pools, instancePoolId);
      refuseConfiguredName('instance pool', configured.pools, name);
      const current = (await pools.list()).find((one) => one.instancePoolId === instancePoolId);
      if (current === undefined) throw poolNotFound(instancePoolId);
      if (current.spec.node_type_id !== spec.node_type_id)
        throw invalid(
          `node_type_id is ${quote(spec.node_type_id)}; the node type of a pool cannot change from ${quote(current.spec.node_type_id)}.`,
        );
      if (!(await pools.edit(pool))) throw poolNotFound(instancePoolId);
      await refresh();
      await clusters.allocateFreeNodes(clock.now(), 'changed');
    },
    async removePool(poolId) {
      refuseConfigured('instance pool', configured.pools, poolId);
      if (!(await pools.remove(poolId))) throw poolNotFound(poolId);
      await refresh();
    },
  };
}

type PolicyControl = Pick<InventoryControl, 'listPolicies' | 'createPolicy' | 'editPolicy' | 'removePolicy'>;

function createPolicyControl({ configured, policies, clock, refresh, newId }: ControlContext): PolicyControl {
  return {
    listPolicies: () => policies.list(),
    async createPolicy(policy, user) {
      refuseConfiguredName('cluster policy', configured.policies, policy.name);
      const policyId = newId('policy-');
      await policies.create({ ...policy, policyId, creator: user, createdTime: clock.now() });
      await refresh();
      return policyId;
    },
    async editPolicy(policy) {
      refuseConfigured('cluster policy', configured.policies, policy.policyId);
      refuseConfiguredName('cluster policy', configured.policies, policy.name);
      if (!(await policies.edit(policy))) throw policyNotFound(policy.policyId);
      await refresh();
    },
    async removePolicy(policyId) {
      refuseConfigured('cluster policy', configured.policies, policyId);
      if (!(await policies.remove(policyId))) throw policyNotFound(policyId);
      await refresh();
    },
  };
}

/** Returns the error of an unknown instance pool. */
export function poolNotFound(poolId: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Instance pool ${poolId} does not exist.`);
}

/** Returns the error of an unknown cluster policy. */
export function policyNotFound(policyId: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Cluster policy ${policyId} does not exist.`);
}

function refuseConfigured(title: string, configured: object, id: string): void {
  if (Object.hasOwn(configured, id))
    throw invalid(
      `The ${title} ${quote(id)} is defined by RUNYARD_CLUSTERS and read-only; change the configuration.`,
    );
}

function refuseConfiguredName(title: string, configured: object, name: string): void {
  if (Object.hasOwn(configured, name))
    throw new ServiceError(
      'RESOURCE_ALREADY_EXISTS',
      `RUNYARD_CLUSTERS defines a ${title} with the name ${quote(name)} already; names must be unique.`,
    );
}
