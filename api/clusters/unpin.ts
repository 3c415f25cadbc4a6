/** POST clusters/unpin. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Unpins an all-purpose cluster.
 * @throws ServiceError for an unknown cluster and for the cluster of a run; PERMISSION_DENIED for callers other than administrators
 */
export function unpinClusterOperation(ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/unpin',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Unpin a cluster',
    description:
      'Unpins an all-purpose cluster: it is removed when it is terminated for as long as runs are kept. For administrators.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE');
      await ports.control.setPinned(clusterId, false, context.caller.userName);
      return {};
    },
  });
}
