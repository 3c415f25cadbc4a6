/** Instance pools and cluster policies that the API manages. Types only; storage/ implements them. */
import type { StoredPolicy } from '../cluster/cluster-policy.ts';
import type { InstancePool, PoolUse } from '../cluster/instance-pool.ts';

/** Every change notifies all engines. */
export interface InstancePoolStore {
  /** Lists the pools by name. */
  list(): Promise<InstancePool[]>;
  /** @throws ServiceError RESOURCE_ALREADY_EXISTS for a name that another pool has */
  create(pool: InstancePool): Promise<void>;
  /**
   * Replaces name and settings; false when the pool does not exist.
   * @throws ServiceError RESOURCE_ALREADY_EXISTS for a name that another pool has
   */
  edit(pool: Pick<InstancePool, 'instancePoolId' | 'name' | 'spec'>): Promise<boolean>;
  /**
   * Removes a pool; false when it does not exist.
   * @throws ServiceError INVALID_STATE while clusters use it
   */
  remove(instancePoolId: string): Promise<boolean>;
  /** Counts the nodes of the clusters of each pool, by its id; unused pools are missing. */
  countUse(): Promise<ReadonlyMap<string, PoolUse>>;
}

/** Every change notifies all engines. */
export interface ClusterPolicyStore {
  /** Lists the policies by name. */
  list(): Promise<StoredPolicy[]>;
  /** @throws ServiceError RESOURCE_ALREADY_EXISTS for a name that another policy has */
  create(policy: StoredPolicy): Promise<void>;
  /**
   * Replaces a policy except its creator and time; false when it does not exist.
   * @throws ServiceError RESOURCE_ALREADY_EXISTS for a name that another policy has
   */
  edit(policy: Omit<StoredPolicy, 'creator' | 'createdTime'>): Promise<boolean>;
  /** Removes a policy; false when it does not exist. */
  remove(policyId: string): Promise<boolean>;
}
