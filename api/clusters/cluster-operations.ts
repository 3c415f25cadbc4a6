/** All operations on clusters, and on what they are made of. */
import { listInstancePoolsOperation } from '../instance-pools/list.ts';
import type { Operation } from '../http/operation.ts';
import { listPoliciesOperation } from '../policies/list.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { createClusterOperation } from './create.ts';
import { deleteClusterOperation } from './delete.ts';
import { getListClusterEventsOperation, postListClusterEventsOperation } from './list-events.ts';
import { getClusterOperation } from './get.ts';
import { listClustersOperation } from './list.ts';
import { listNodeTypesOperation } from './list-node-types.ts';
import { permanentlyDeleteClusterOperation } from './permanent-delete.ts';
import { resizeClusterOperation } from './resize.ts';
import { listSparkVersionsOperation } from './list-spark-versions.ts';
import { startClusterOperation } from './start.ts';

const operationFactories: readonly ((ports: ClusterPorts) => Operation)[] = [
  createClusterOperation,
  getClusterOperation,
  listClustersOperation,
  startClusterOperation,
  resizeClusterOperation,
  deleteClusterOperation,
  permanentlyDeleteClusterOperation,
  postListClusterEventsOperation,
  getListClusterEventsOperation,
  listNodeTypesOperation,
  listSparkVersionsOperation,
  listInstancePoolsOperation,
  listPoliciesOperation,
];

export function createClusterOperations(ports: ClusterPorts): Operation[] {
  return operationFactories.map((make) => make(ports));
}
