/** Operations on clusters, instance pools and policies, in the order of the documentation. */
import { listInstancePoolsOperation } from '../instance-pools/list.ts';
import type { Operation } from '../http/operation.ts';
import { listPoliciesOperation } from '../policies/list.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { createClusterOperation } from './create.ts';
import { deleteClusterOperation } from './delete.ts';
import { listClusterEventsOperation } from './list-events.ts';
import { queryClusterEventsOperation } from './query-events.ts';
import { getClusterOperation } from './get.ts';
import { listClustersOperation } from './list.ts';
import { listNodeTypesOperation } from './list-node-types.ts';
import { permanentlyDeleteClusterOperation } from './permanent-delete.ts';
import { resizeClusterOperation } from './resize.ts';
import { listSparkVersionsOperation } from './list-spark-versions.ts';
import { startClusterOperation } from './start.ts';

/** Creates the operations on clusters, instance pools and cluster policies. */
export function createClusterOperations(ports: ClusterPorts): Operation[] {
  return [
    createClusterOperation,
    getClusterOperation,
    listClustersOperation,
    startClusterOperation,
    resizeClusterOperation,
    deleteClusterOperation,
    permanentlyDeleteClusterOperation,
    queryClusterEventsOperation,
    listClusterEventsOperation,
    listNodeTypesOperation,
    listSparkVersionsOperation,
    listInstancePoolsOperation,
    listPoliciesOperation,
  ].map((create) => create(ports));
}
