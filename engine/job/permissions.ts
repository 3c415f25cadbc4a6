/** Permissions on jobs: levels, access control lists and grants. */
import { Type, type Static } from 'typebox';
import { invalid, ServiceError } from '../errors.ts';
import { checkMaxItems, quote } from '../validation/messages.ts';
import { fixedLimits } from '../limits.ts';

/** Permission levels, weakest first; each includes the weaker ones. */
export const permissionLevels = ['CAN_VIEW', 'CAN_MANAGE_RUN', 'CAN_MANAGE', 'IS_OWNER'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

/** Descriptions of the levels. */
export const permissionDescriptions: Readonly<Record<PermissionLevel, string>> = {
  CAN_VIEW: 'Can view the job, its runs and their output.',
  CAN_MANAGE_RUN: 'Can view the job, and start and cancel runs.',
  CAN_MANAGE: 'Can manage the job, its runs and its permissions, but not change the owner.',
  IS_OWNER: 'Can do everything with the job. A job has exactly one owner and runs as that user.',
};

/** Groups: all users, and the administrators, who have all permissions. */
export const groups = ['users', 'admins'] as const;
export type Group = (typeof groups)[number];

/** Entry of an access_control_list in a request: one name and a level. */
export const AccessControlRequest = Type.Object(
  {
    user_name: Type.Optional(
      Type.String({ description: 'User. Alternatives: group_name, service_principal_name.' }),
    ),
    group_name: Type.Optional(Type.Enum([...groups], { description: 'Group; users includes all users.' })),
    service_principal_name: Type.Optional(
      Type.String({ description: 'Application id of a service principal.' }),
    ),
    permission_level: Type.Enum([...permissionLevels], {
      description: 'Permission level; each includes the levels before it.',
    }),
  },
  { description: 'Grants a level to a user, group or service principal.' },
);
export type AccessControlRequest = Static<typeof AccessControlRequest>;

/** Holder of a level. */
export type Grantee =
  | { readonly kind: 'user' | 'service_principal'; readonly name: string }
  | { readonly kind: 'group'; readonly name: Group };

export interface Grant {
  readonly grantee: Grantee;
  readonly level: PermissionLevel;
}

/** Tells whether one of the held levels includes the needed one. */
export function hasPermission(held: readonly PermissionLevel[], needed: PermissionLevel): boolean {
  return held.some((level) => permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed));
}

/** Sufficient levels in error messages. Clients match these words in this order. */
const sufficientLevelsText: Readonly<Record<PermissionLevel, string>> = {
  CAN_VIEW: 'View or Admin or Manage Run or Owner',
  CAN_MANAGE_RUN: 'Admin or Manage Run or Owner',
  CAN_MANAGE: 'Admin or Owner',
  IS_OWNER: 'Owner',
};

/** Creates the error for a user without the needed level on a job. */
export function permissionDenied(userName: string, needed: PermissionLevel, jobId: number): ServiceError {
  return new ServiceError(
    'PERMISSION_DENIED',
    `User ${userName} does not have ${sufficientLevelsText[needed]} permissions on job ${jobId}`,
  );
}

/**
 * Parses an access_control_list.
 * @throws ServiceError for too many entries, an entry without exactly one name, a repeated name, a second
 *   owner, or a group as owner
 */
export function parseGrants(list: readonly AccessControlRequest[]): Grant[] {
  checkMaxItems('access_control_list', list, fixedLimits.grantsPerList);
  const grants = list.map((entry, index) => ({
    grantee: parseGrantee(entry, `access_control_list[${index}]`),
    level: entry.permission_level,
  }));
  for (const [index, { grantee, level }] of grants.entries()) {
    const where = `access_control_list[${index}]`;
    if (grants.slice(0, index).some((earlier) => isSameGrantee(earlier.grantee, grantee)))
      throw invalid(
        `${where} repeats ${quote(grantee.name)}; each user, group or service principal can have only one level.`,
      );
    if (level !== 'IS_OWNER') continue;
    if (grantee.kind === 'group')
      throw invalid(
        `${where} makes the group ${quote(grantee.name)} the owner; only a user or a service principal can own a job.`,
      );
    if (grants.slice(0, index).some((earlier) => earlier.level === 'IS_OWNER'))
      throw invalid(`${where} is a second IS_OWNER; a job has exactly one owner.`);
  }
  return grants;
}

/**
 * Returns the grantee that an entry names.
 * @param where path of the entry, for the error message
 * @throws ServiceError for an entry without exactly one name
 */
export function parseGrantee(
  {
    user_name: user,
    group_name: group,
    service_principal_name: servicePrincipal,
  }: Omit<AccessControlRequest, 'permission_level'>,
  where: string,
): Grantee {
  const [one, ...others] = [
    ...(user === undefined ? [] : [{ kind: 'user', name: user } as const]),
    ...(group === undefined ? [] : [{ kind: 'group', name: group } as const]),
    ...(servicePrincipal === undefined
      ? []
      : [{ kind: 'service_principal', name: servicePrincipal } as const]),
  ];
  if (one === undefined || others.length > 0) {
    throw invalid(
      `${where} has ${others.length === 0 ? 'none' : 'more than one'} of user_name, group_name, service_principal_name; exactly one is required.`,
    );
  }
  return one;
}

/** Tells whether a list holds every wanted grant. */
export function includesGrants(held: readonly Grant[], wanted: readonly Grant[]): boolean {
  return wanted.every(({ grantee, level }) =>
    held.some((grant) => grant.level === level && isSameGrantee(grant.grantee, grantee)),
  );
}

/**
 * Returns the grants after a replacement. Without a new owner the current one keeps the ownership, so that a
 * job never loses its owner.
 */
export function grantsAfterReplace(current: readonly Grant[], wanted: readonly Grant[]): Grant[] {
  return withOwner(wanted, findOwner(wanted) ?? findOwner(current));
}

/** Returns the grants after an update. A replaced owner keeps CAN_MANAGE. */
export function grantsAfterUpdate(current: readonly Grant[], wanted: readonly Grant[]): Grant[] {
  const [owner, newOwner] = [findOwner(current), findOwner(wanted)];
  const untouched = current
    .filter(({ grantee }) => !wanted.some((other) => isSameGrantee(other.grantee, grantee)))
    .map((grant): Grant =>
      grant === owner && newOwner !== undefined ? { ...grant, level: 'CAN_MANAGE' } : grant,
    );
  return withOwner([...untouched, ...wanted], newOwner ?? owner);
}

/** Finds the grant of the owner; undefined when that user was removed. */
export function findOwner(grants: readonly Grant[]): Grant | undefined {
  return grants.find(({ level }) => level === 'IS_OWNER');
}

/** Tells whether two lists have the same owner. */
export function hasSameOwner(before: readonly Grant[], after: readonly Grant[]): boolean {
  const [one, other] = [findOwner(before), findOwner(after)];
  return (
    one === other || (one !== undefined && other !== undefined && isSameGrantee(one.grantee, other.grantee))
  );
}

function withOwner(grants: readonly Grant[], owner: Grant | undefined): Grant[] {
  if (owner === undefined) return [...grants];
  return [owner, ...grants.filter(({ grantee }) => !isSameGrantee(grantee, owner.grantee))];
}

/** Tells whether two grantees are the same. */
export function isSameGrantee(one: Grantee, other: Grantee): boolean {
  return one.kind === other.kind && one.name === other.name;
}
