/** Access control list of a cluster in requests and responses. */
import { Type } from 'typebox';
import { clusterNotFound } from '../../engine/cluster/cluster-not-found.ts';
import {
  ClusterAccessControlRequest,
  clusterPermissionLevels,
  type ClusterGrant,
} from '../../engine/cluster/cluster-permissions.ts';
import { invalid } from '../../engine/errors.ts';
import { getPermittedCluster, type ClusterAccessPorts } from '../clusters/cluster-access.ts';
import type { RequestContext } from '../http/operation.ts';
import { granteeField } from '../views/grantee-field.ts';

export const clusterPermissionsPath = '/permissions/clusters/:cluster_id';

export const clusterIdField = {
  cluster_id: Type.String({ minLength: 1, description: 'Id of an all-purpose cluster.' }),
};

/** Request of PUT and PATCH. */
export const clusterAccessListRequest = Type.Object({
  ...clusterIdField,
  access_control_list: Type.Optional(
    Type.Array(ClusterAccessControlRequest, { description: 'Grants of permission levels. Default: none.' }),
  ),
});

export const ClusterPermissionLevelName = Type.Enum([...clusterPermissionLevels], {
  description: 'Permission level.',
});

export const ClusterAccessList = Type.Object(
  {
    object_id: Type.String({ description: '/clusters/<cluster_id>.' }),
    object_type: Type.Literal('cluster', { description: 'Type of the object.' }),
    access_control_list: Type.Array(
      Type.Object(
        {
          user_name: Type.Optional(Type.String({ description: 'User name; one of three alternatives.' })),
          group_name: Type.Optional(Type.String({ description: 'Group name.' })),
          service_principal_name: Type.Optional(
            Type.String({ description: 'Application id of a service principal.' }),
          ),
          display_name: Type.Optional(Type.String({ description: 'Display name.' })),
          all_permissions: Type.Array(
            Type.Object(
              {
                permission_level: ClusterPermissionLevelName,
                inherited: Type.Boolean({ description: 'True for a level that this list cannot change.' }),
                inherited_from_object: Type.Optional(
                  Type.Array(Type.String(), { description: 'Objects that the level is inherited from.' }),
                ),
              },
              { description: 'Permission level that the grantee holds.' },
            ),
            { description: 'Permission levels of the grantee.' },
          ),
        },
        { description: 'Entry of a grantee.' },
      ),
      { description: 'Entries, administrators last.' },
    ),
  },
  { description: 'Access control list of a cluster.' },
);

/** Inherited entry of administrators on every list. */
const inheritedByAdmins = {
  permission_level: 'CAN_MANAGE',
  inherited: true,
  inherited_from_object: ['/clusters/'],
};

/** Returns the document of the grants on a cluster. */
export function toClusterAccessList(clusterId: string, grants: readonly ClusterGrant[]): object {
  const isAdmins = ({ grantee }: ClusterGrant): boolean =>
    grantee.kind === 'group' && grantee.name === 'admins';
  const direct = ({ level }: ClusterGrant) => ({ permission_level: level, inherited: false });
  return {
    object_id: `/clusters/${clusterId}`,
    object_type: 'cluster',
    access_control_list: [
      ...grants
        .filter((grant) => !isAdmins(grant))
        .map((grant) => ({ ...granteeField(grant.grantee), all_permissions: [direct(grant)] })),
      { group_name: 'admins', all_permissions: [...grants.filter(isAdmins).map(direct), inheritedByAdmins] },
    ],
  };
}

/**
 * Checks that a list can be read or changed by the caller.
 * @throws ServiceError for an unknown cluster and for the cluster of a run, which has no list; PERMISSION_DENIED
 */
export async function checkClusterAccessList(
  ports: ClusterAccessPorts,
  clusterId: string,
  context: Pick<RequestContext, 'visibleTo'>,
  level: 'CAN_ATTACH_TO' | 'CAN_MANAGE',
): Promise<void> {
  const { kind } = await getPermittedCluster(ports, clusterId, context, level);
  if (kind === 'JOB')
    throw invalid(`Cluster ${clusterId} was made for a run; the permissions on its job apply to it.`);
}

/** Changes the list of a cluster and returns the result. @throws ServiceError for an unknown user */
export async function changeClusterAccessList(
  ports: ClusterAccessPorts,
  clusterId: string,
  context: Pick<RequestContext, 'visibleTo' | 'recordChange'>,
  change: (current: readonly ClusterGrant[]) => readonly ClusterGrant[],
): Promise<object> {
  await checkClusterAccessList(ports, clusterId, context, 'CAN_MANAGE');
  const grants = await ports.clusterPermissions.update(clusterId, (current) => {
    const changed = change(current);
    context.recordChange({ access_control_list: current }, { access_control_list: changed });
    return changed;
  });
  if (grants === undefined) throw clusterNotFound(clusterId);
  return toClusterAccessList(clusterId, grants);
}
