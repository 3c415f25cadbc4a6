/** POST clusters/update. */
import { Type } from 'typebox';
import { applyUpdateMask, parseClusterMask } from '../../engine/cluster/update-mask.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { getPermittedCluster, type ClusterAccessPorts } from './cluster-access.ts';
import { allPurposeClusterFields } from './cluster-fields.ts';
import { describeCluster } from './describe-cluster.ts';
import { ClusterId } from '../views/cluster-view.ts';

const ClusterChanges = Type.Object(allPurposeClusterFields, {
  description: 'Values of the fields that update_mask names; a named field without a value is removed.',
});

/**
 * Changes named fields of an all-purpose cluster.
 * @throws ServiceError for an unknown cluster, the cluster of a run, an unknown field, and an invalid description;
 * INVALID_STATE for a cluster that starts; PERMISSION_DENIED without CAN_MANAGE
 */
export function updateClusterOperation(
  ports: ClusterAccessPorts & Pick<ClusterPorts, 'control' | 'inventory' | 'limits'>,
): Operation {
  return defineOperation({
    method: 'POST',
    path: '/clusters/update',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'Update a cluster',
    description:
      'Changes the fields of an all-purpose cluster that update_mask names. A running cluster restarts and its tasks end with INTERNAL_ERROR; a terminated one uses the changes when it starts.',
    request: Type.Object({
      cluster_id: ClusterId,
      cluster: Type.Optional(ClusterChanges),
      update_mask: Type.String({
        description:
          'Names of fields, separated by commas; a dot leads into a field, as in autoscale.max_workers. *: the whole description is replaced.',
      }),
    }),
    response: Type.Object({}),
    async handle({ cluster_id: clusterId, cluster: changes = {}, update_mask: mask }, context) {
      const current = await getPermittedCluster(ports, clusterId, context, 'CAN_MANAGE');
      const fields = parseClusterMask(mask, Object.keys({ ...allPurposeClusterFields, ...changes }));
      const described = { ...current.spec, cluster_name: current.name };
      const { cluster_name: name = '', ...spec } = applyUpdateMask(described, changes, fields);
      await ports.control.edit(
        clusterId,
        { name, spec: describeCluster(ports, spec) },
        context.caller.userName,
      );
      return {};
    },
  });
}
