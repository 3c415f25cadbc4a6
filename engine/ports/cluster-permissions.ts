/** Access control lists of all-purpose clusters. Types only; storage/ implements them. */
import type { ClusterGrant, ClusterPermissionLevel } from '../cluster/cluster-permissions.ts';

export interface ClusterPermissionStore {
  /**
   * Returns the levels that lists grant to a user directly or through the group of all users, by cluster id;
   * clusters without a level are missing.
   */
  findLevels(
    clusterIds: readonly string[],
    userName: string,
  ): Promise<ReadonlyMap<string, readonly ClusterPermissionLevel[]>>;
  /** Lists the grants of an all-purpose cluster by name; undefined when it does not exist. */
  listGrants(clusterId: string): Promise<ClusterGrant[] | undefined>;
  /**
   * Replaces the grants of an all-purpose cluster by the result of `change` and returns them; undefined when it
   * does not exist.
   * @throws ServiceError for an unknown user
   */
  update(
    clusterId: string,
    change: (current: readonly ClusterGrant[]) => readonly ClusterGrant[],
  ): Promise<ClusterGrant[] | undefined>;
}
