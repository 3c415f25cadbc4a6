/** GET permissions/clusters/{cluster_id}. */
import { Type } from 'typebox';
import { clusterNotFound } from '../../engine/cluster/cluster-not-found.ts';
import type { ClusterAccessPorts } from '../clusters/cluster-access.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  checkClusterAccessList,
  ClusterAccessList,
  clusterIdField,
  clusterPermissionsPath,
  toClusterAccessList,
} from './cluster-access-list.ts';

/**
 * Returns the permissions on a cluster.
 * @throws ServiceError for an unknown cluster and for the cluster of a run; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export function getClusterPermissionsOperation(ports: ClusterAccessPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: clusterPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    summary: 'Get the permissions on a cluster',
    description:
      'Returns the permissions on an all-purpose cluster. Until they are changed, all users manage the cluster. They are enforced while job access control is enabled (`RUNYARD_JOB_ACCESS_CONTROL`).',
    request: Type.Object(clusterIdField),
    response: ClusterAccessList,
    async handle({ cluster_id: clusterId }, context) {
      await checkClusterAccessList(ports, clusterId, context, 'CAN_ATTACH_TO');
      const grants = await ports.clusterPermissions.listGrants(clusterId);
      if (grants === undefined) throw clusterNotFound(clusterId);
      return toClusterAccessList(clusterId, grants);
    },
  });
}
