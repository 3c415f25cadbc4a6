/** POST clusters/start. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Starts a terminated all-purpose cluster.
 * @throws ServiceError for an unknown cluster; INVALID_STATE for a cluster that cannot be started
 */
export function startClusterOperation(ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/start',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Start a cluster',
    description: 'Starts a terminated all-purpose cluster and runs its init scripts again.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_RESTART');
      await ports.control.start(clusterId, context.caller.userName);
      return {};
    },
  });
}
