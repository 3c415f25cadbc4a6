/** POST clusters/delete. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Terminates a cluster; an all-purpose cluster can be started again.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_RESTART
 */
export function deleteClusterOperation(ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/delete',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Terminate a cluster',
    description:
      'Terminates an all-purpose cluster or a cluster of a run. Its running tasks end with INTERNAL_ERROR. An all-purpose cluster can be started again.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_RESTART');
      await ports.control.terminate(clusterId, context.caller.userName);
      return {};
    },
  });
}
