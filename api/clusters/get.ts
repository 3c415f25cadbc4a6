/** GET clusters/get. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId, toClusterView, ClusterDocument } from '../views/cluster-view.ts';

/**
 * Returns a cluster with its specification and state.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export function getClusterOperation(ports: ClusterAccessPorts & Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/get',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Get a cluster',
    description: 'Returns the specification and the state of a cluster, including clusters of runs.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: ClusterDocument,
    handle: async ({ cluster_id: clusterId }, context) =>
      toClusterView(await getPermittedCluster(ports, clusterId, context, 'CAN_ATTACH_TO'), ports.inventory),
  });
}
