/** GET permissions/clusters/{cluster_id}/permissionLevels. */
import { Type } from 'typebox';
import {
  clusterPermissionDescriptions,
  clusterPermissionLevels,
} from '../../engine/cluster/cluster-permissions.ts';
import type { ClusterAccessPorts } from '../clusters/cluster-access.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import {
  checkClusterAccessList,
  clusterIdField,
  ClusterPermissionLevelName,
  clusterPermissionsPath,
} from './cluster-access-list.ts';

/**
 * Lists the permission levels of clusters.
 * @throws ServiceError for an unknown cluster and for the cluster of a run; PERMISSION_DENIED without CAN_ATTACH_TO
 */
export function listClusterPermissionLevelsOperation(ports: ClusterAccessPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: `${clusterPermissionsPath}/permissionLevels`,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    summary: 'List the permission levels of a cluster',
    description:
      'Lists the permission levels that can be granted on an all-purpose cluster, weakest first, with the actions each level permits.',
    request: Type.Object(clusterIdField),
    response: Type.Object({
      permission_levels: Type.Array(
        Type.Object(
          {
            permission_level: ClusterPermissionLevelName,
            description: Type.String({ description: 'Permitted actions.' }),
          },
          { description: 'Permission level.' },
        ),
        { description: 'Levels, weakest first.' },
      ),
    }),
    async handle({ cluster_id: clusterId }, context) {
      await checkClusterAccessList(ports, clusterId, context, 'CAN_ATTACH_TO');
      return {
        permission_levels: clusterPermissionLevels.map((level) => ({
          permission_level: level,
          description: clusterPermissionDescriptions[level],
        })),
      };
    },
  });
}
