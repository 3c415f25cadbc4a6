/** All operations on clusters, and on what they are made of. */
import { listPoolsOperation } from '../instance-pools/list.ts';
import type { Operation } from '../http/operation.ts';
import { listPoliciesOperation } from '../policies/list.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { createClusterOperation } from './create.ts';
import { deleteClusterOperation } from './delete.ts';
import { getClusterEventsOperation, postClusterEventsOperation } from './events.ts';
import { getClusterOperation } from './get.ts';
import { listClustersOperation } from './list.ts';
import { listNodeTypesOperation } from './list-node-types.ts';
import { permanentlyDeleteClusterOperation } from './permanent-delete.ts';
import { resizeClusterOperation } from './resize.ts';
import { sparkVersionsOperation } from './spark-versions.ts';
import { startClusterOperation } from './start.ts';

const makers: readonly ((ports: ClusterPorts) => Operation)[] = [
  createClusterOperation,
  getClusterOperation,
  listClustersOperation,
  startClusterOperation,
  resizeClusterOperation,
  deleteClusterOperation,
  permanentlyDeleteClusterOperation,
  postClusterEventsOperation,
  getClusterEventsOperation,
  listNodeTypesOperation,
  sparkVersionsOperation,
  listPoolsOperation,
  listPoliciesOperation,
];

export function clusterOperations(ports: ClusterPorts): Operation[] {
  return makers.map((make) => make(ports));
}
