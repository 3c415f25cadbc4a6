/** GET clusters/get: one cluster, whoever made it. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster } from './cluster-access.ts';
import { ClusterId, toClusterView, ClusterDocument } from '../views/cluster-view.ts';

export function getClusterOperation(
  ports: Pick<ClusterPorts, 'clusters' | 'permissions' | 'inventory'>,
): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/get',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Get a cluster',
    description: 'A cluster with its description and where it stands, job clusters among them.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: ClusterDocument,
    handle: async ({ cluster_id: clusterId }, context) =>
      toClusterView(await getPermittedCluster(ports, clusterId, context, 'CAN_VIEW'), ports.inventory),
  });
}
