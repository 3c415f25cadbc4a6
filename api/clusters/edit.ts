/** POST clusters/edit. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { allPurposeClusterFields } from './cluster-fields.ts';
import { describeCluster } from './describe-cluster.ts';
import { ClusterId } from '../views/cluster-view.ts';

/**
 * Replaces the description of an all-purpose cluster.
 * @throws ServiceError for an unknown cluster, the cluster of a run, and an invalid description; INVALID_STATE for
 * a cluster that starts; PERMISSION_DENIED without CAN_MANAGE
 */
export function editClusterOperation(
  ports: ClusterAccessPorts & Pick<ClusterPorts, 'control' | 'inventory' | 'limits'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/edit',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Edit a cluster',
    description:
      'Replaces the description of an all-purpose cluster; fields that are missing get their defaults. A running cluster restarts and its tasks end with INTERNAL_ERROR; a terminated one uses the description when it starts.',
    request: Type.Object({ cluster_id: ClusterId, ...allPurposeClusterFields }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId, cluster_name: name = '', ...spec }, context) {
      await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE');
      await ports.control.edit(
        clusterId,
        { name, spec: describeCluster(ports, spec) },
        context.caller.userName,
      );
      return {};
    },
  });
}
