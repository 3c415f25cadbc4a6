/** Permissions on all-purpose clusters: levels and access control lists. */
import { Type, type Static } from 'typebox';
import { invalid, ServiceError } from '../errors.ts';
import { fixedLimits } from '../limits.ts';
import { groups, isSameGrantee, parseGrantee, type Grantee } from '../job/permissions.ts';
import { checkMaxItems, quote } from '../validation/messages.ts';

/** Permission levels, weakest first; each includes the weaker ones. */
export const clusterPermissionLevels = ['CAN_ATTACH_TO', 'CAN_RESTART', 'CAN_MANAGE'] as const;
export type ClusterPermissionLevel = (typeof clusterPermissionLevels)[number];

/** Descriptions of the levels. */
export const clusterPermissionDescriptions: Readonly<Record<ClusterPermissionLevel, string>> = {
  CAN_ATTACH_TO: 'Can view the cluster and its events, and run tasks on it.',
  CAN_RESTART: 'Can also start, restart and terminate the cluster.',
  CAN_MANAGE: 'Can also edit, resize and delete the cluster, and manage its permissions.',
};

/** Entry of an access_control_list in a request: one name and a level. */
export const ClusterAccessControlRequest = Type.Object(
  {
    user_name: Type.Optional(
      Type.String({ description: 'User. Alternatives: group_name, service_principal_name.' }),
    ),
    group_name: Type.Optional(Type.Enum([...groups], { description: 'Group; users includes all users.' })),
    service_principal_name: Type.Optional(
      Type.String({ description: 'Application id of a service principal.' }),
    ),
    permission_level: Type.Enum([...clusterPermissionLevels], {
      description: 'Permission level; each includes the levels before it.',
    }),
  },
  { description: 'Grants a level to a user, group or service principal.' },
);

export interface ClusterGrant {
  readonly grantee: Grantee;
  readonly level: ClusterPermissionLevel;
}

/** Tells whether one of the held levels includes the needed one. */
export function hasClusterPermission(
  held: readonly ClusterPermissionLevel[],
  needed: ClusterPermissionLevel,
): boolean {
  const neededRank = clusterPermissionLevels.indexOf(needed);
  return held.some((level) => clusterPermissionLevels.indexOf(level) >= neededRank);
}

const sufficientLevelsText: Readonly<Record<ClusterPermissionLevel, string>> = {
  CAN_ATTACH_TO: 'Attach or Restart or Manage',
  CAN_RESTART: 'Restart or Manage',
  CAN_MANAGE: 'Manage',
};

/** Creates the error for a user without the needed level on a cluster. */
export function clusterPermissionDenied(
  userName: string,
  needed: ClusterPermissionLevel,
  clusterId: string,
): ServiceError {
  return new ServiceError(
    'PERMISSION_DENIED',
    `User ${userName} does not have ${sufficientLevelsText[needed]} permissions on cluster ${clusterId}`,
  );
}

/**
 * Parses an access_control_list of a cluster.
 * @throws ServiceError for too many entries, an entry without exactly one name, and a repeated name
 */
export function parseClusterGrants(
  list: readonly Static<typeof ClusterAccessControlRequest>[],
): ClusterGrant[] {
  checkMaxItems('access_control_list', list, fixedLimits.grantsPerList);
  const grants = list.map((entry, index) => ({
    grantee: parseGrantee(entry, `access_control_list[${index}]`),
    level: entry.permission_level,
  }));
  for (const [index, { grantee }] of grants.entries()) {
    if (grants.slice(0, index).some((earlier) => isSameGrantee(earlier.grantee, grantee)))
      throw invalid(
        `access_control_list[${index}] repeats ${quote(grantee.name)}; each user, group or service principal can have only one level.`,
      );
  }
  return grants;
}

/** Returns the grants of a cluster whose list was never changed: its creator and all users manage it. */
export function defaultClusterGrants(creator: Grantee | undefined): ClusterGrant[] {
  const grantees: Grantee[] = [...(creator === undefined ? [] : [creator]), { kind: 'group', name: 'users' }];
  return grantees.map((grantee) => ({ grantee, level: 'CAN_MANAGE' }));
}

/** Returns the grants after an update: the named grantees get their new level, all others keep theirs. */
export function clusterGrantsAfterUpdate(
  current: readonly ClusterGrant[],
  wanted: readonly ClusterGrant[],
): ClusterGrant[] {
  const untouched = current.filter(
    ({ grantee }) => !wanted.some((other) => isSameGrantee(other.grantee, grantee)),
  );
  return [...untouched, ...wanted];
}
