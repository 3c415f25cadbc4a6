/** PATCH permissions/clusters/{cluster_id}. */
import { clusterGrantsAfterUpdate, parseClusterGrants } from '../../engine/cluster/cluster-permissions.ts';
import type { ClusterAccessPorts } from '../clusters/cluster-access.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  changeClusterAccessList,
  ClusterAccessList,
  clusterAccessListRequest,
  clusterPermissionsPath,
} from './cluster-access-list.ts';

/**
 * Adds or changes entries of the access control list of a cluster.
 * @throws ServiceError for an unknown cluster, the cluster of a run, and an invalid list; PERMISSION_DENIED without
 * CAN_MANAGE
 */
export function updateClusterPermissionsOperation(ports: ClusterAccessPorts): Operation {
  return defineOperation({
    method: 'PATCH',
    path: clusterPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    summary: 'Update the permissions on a cluster',
    description: 'Grants permission levels on an all-purpose cluster; other entries stay unchanged.',
    request: clusterAccessListRequest,
    response: ClusterAccessList,
    async handle({ cluster_id: clusterId, access_control_list: list = [] }, context) {
      const wanted = parseClusterGrants(list);
      return changeClusterAccessList(ports, clusterId, context, (current) =>
        clusterGrantsAfterUpdate(current, wanted),
      );
    },
  });
}
