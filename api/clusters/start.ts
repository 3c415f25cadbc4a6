/** POST clusters/start: a terminated all-purpose cluster runs again. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster } from './cluster-access.ts';
import { ClusterId } from '../views/cluster-view.ts';

export function startClusterOperation(
  ports: Pick<ClusterPorts, 'control' | 'clusters' | 'permissions'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/start',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Start a cluster',
    description: 'Starts a terminated all-purpose cluster again, with its init scripts.',
    request: Type.Object({ cluster_id: ClusterId }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE_RUN');
      await ports.control.start(clusterId, context.caller.userName);
      return {};
    },
  });
}
