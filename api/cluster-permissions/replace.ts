/** PUT permissions/clusters/{cluster_id}. */
import { parseClusterGrants } from '../../engine/cluster/cluster-permissions.ts';
import type { ClusterAccessPorts } from '../clusters/cluster-access.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  changeClusterAccessList,
  ClusterAccessList,
  clusterAccessListRequest,
  clusterPermissionsPath,
} from './cluster-access-list.ts';

/**
 * Replaces the access control list of a cluster.
 * @throws ServiceError for an unknown cluster, the cluster of a run, and an invalid list; PERMISSION_DENIED without
 * CAN_MANAGE
 */
export function replaceClusterPermissionsOperation(ports: ClusterAccessPorts): Operation {
  return defineOperation({
    method: 'PUT',
    path: clusterPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    summary: 'Replace the permissions on a cluster',
    description:
      'Replaces the access control list of an all-purpose cluster; without access_control_list, only administrators may use it.',
    request: clusterAccessListRequest,
    response: ClusterAccessList,
    async handle({ cluster_id: clusterId, access_control_list: list = [] }, context) {
      const wanted = parseClusterGrants(list);
      return changeClusterAccessList(ports, clusterId, context, () => wanted);
    },
  });
}
