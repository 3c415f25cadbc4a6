/** POST clusters/pin. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Pins an all-purpose cluster.
 * @throws ServiceError for an unknown cluster and for the cluster of a run; PERMISSION_DENIED for callers other than administrators
 */
export function pinClusterOperation(ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/pin',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    adminsOnly: true,
    summary: 'Pin a cluster',
    description: 'Pins an all-purpose cluster: it is kept however long it is terminated. For administrators.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE');
      await ports.control.setPinned(clusterId, true, context.caller.userName);
      return {};
    },
  });
}
