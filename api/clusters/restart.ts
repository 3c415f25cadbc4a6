/** POST clusters/restart. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Restarts a running all-purpose cluster.
 * @throws ServiceError for an unknown cluster and for the cluster of a run; PERMISSION_DENIED without CAN_RESTART
 */
export function restartClusterOperation(
  ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/restart',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Restart a cluster',
    description:
      'Restarts a running all-purpose cluster: its tasks end with INTERNAL_ERROR, and its init scripts run again. A cluster that is not running stays as it is.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_RESTART');
      await ports.control.restart(clusterId, context.caller.userName);
      return {};
    },
  });
}
