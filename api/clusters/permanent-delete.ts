/** POST clusters/permanent-delete. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Terminates an all-purpose cluster and removes it with its events and its directory.
 * @throws ServiceError for an unknown cluster; PERMISSION_DENIED without CAN_MANAGE
 */
export function permanentlyDeleteClusterOperation(
  ports: ClusterAccessPorts & Pick<ClusterPorts, 'control'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/permanent-delete',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Delete a cluster permanently',
    description: 'Terminates an all-purpose cluster and removes it with its events and its directory.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE');
      await ports.control.remove(clusterId, context.caller.userName);
      return {};
    },
  });
}
