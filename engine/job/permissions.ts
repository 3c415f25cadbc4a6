/**
 * Who may do what with a job: the levels, what each is enough for, and lists of grants (WIRE, permissions on
 * jobs).
 */
import { Type, type Static } from 'typebox';
import { invalid, ServiceError } from '../errors.ts';
import { checkMaxItems, quote } from '../validation/messages.ts';
import { fixedLimits } from '../limits.ts';

/** The levels, weakest first; each holds what the weaker ones hold. */
export const permissionLevels = ['CAN_VIEW', 'CAN_MANAGE_RUN', 'CAN_MANAGE', 'IS_OWNER'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

/** What a level permits, in words. */
export const permissionDescriptions: Readonly<Record<PermissionLevel, string>> = {
  CAN_VIEW: 'Sees the job, its runs and their output.',
  CAN_MANAGE_RUN: 'Sees the job, starts runs and cancels them.',
  CAN_MANAGE: 'Does everything with the job, its runs and its permissions but give it to another owner.',
  IS_OWNER: 'Does everything with the job. A job has exactly one owner and runs as that user.',
};

/** The groups that there are: everybody, and the administrators, who may do everything anyway. */
export const groups = ['users', 'admins'] as const;
export type Group = (typeof groups)[number];

/** One entry of an access_control_list as it is given: one name, and a level. */
export const AccessControlRequest = Type.Object(
  {
    user_name: Type.Optional(
      Type.String({ description: 'A user. Or group_name, or service_principal_name.' }),
    ),
    group_name: Type.Optional(Type.Enum([...groups], { description: 'A group: users is everybody.' })),
    service_principal_name: Type.Optional(
      Type.String({ description: 'Application id of a service principal.' }),
    ),
    permission_level: Type.Enum([...permissionLevels], {
      description: 'What they may do; each level holds the ones before it.',
    }),
  },
  { description: 'Gives one user, group or service principal a level.' },
);
export type AccessControlRequest = Static<typeof AccessControlRequest>;

/** Somebody who holds a level. */
export type Grantee =
  | { readonly kind: 'user' | 'service_principal'; readonly name: string }
  | { readonly kind: 'group'; readonly name: Group };

export interface Grant {
  readonly grantee: Grantee;
  readonly level: PermissionLevel;
}

/** Whether one of the levels held is enough. */
export function hasPermission(held: readonly PermissionLevel[], needed: PermissionLevel): boolean {
  return held.some((level) => permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed));
}

/** How refusals call the levels that are enough, in the words and the order that clients know. */
const sufficientLevelsText: Readonly<Record<PermissionLevel, string>> = {
  CAN_VIEW: 'View or Admin or Manage Run or Owner',
  CAN_MANAGE_RUN: 'Admin or Manage Run or Owner',
  CAN_MANAGE: 'Admin or Owner',
  IS_OWNER: 'Owner',
};

/** The refusal of a user who lacks a level on a job. */
export function permissionDenied(userName: string, needed: PermissionLevel, jobId: number): ServiceError {
  return new ServiceError(
    'PERMISSION_DENIED',
    `User ${userName} does not have ${sufficientLevelsText[needed]} permissions on job ${jobId}`,
  );
}

/**
 * The grants that an access_control_list asks for.
 * @throws ServiceError for a list of more than 1,000 entries, an entry without exactly one name, for somebody
 *   named twice, for a second owner or a group that owns
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
        `${where} names ${quote(grantee.name)}, as an entry before it does; give one level to each.`,
      );
    if (level !== 'IS_OWNER') continue;
    if (grantee.kind === 'group')
      throw invalid(
        `${where} makes the group ${quote(grantee.name)} the owner; only a user or a service principal may be.`,
      );
    if (grants.slice(0, index).some((earlier) => earlier.level === 'IS_OWNER'))
      throw invalid(`${where} is a second IS_OWNER; a job has exactly one owner.`);
  }
  return grants;
}

function parseGrantee(
  { user_name: user, group_name: group, service_principal_name: servicePrincipal }: AccessControlRequest,
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

/**
 * The list that replaces another. The owner stays the owner until somebody else is made it: nobody can lock
 * everybody out, and a lower level for the owner changes nothing.
 */
export function grantsAfterReplace(current: readonly Grant[], wanted: readonly Grant[]): Grant[] {
  return withOwner(wanted, findOwner(wanted) ?? findOwner(current));
}

/** A list in which some entries are changed or added. An owner who gives the job away can still manage it. */
export function grantsAfterUpdate(current: readonly Grant[], wanted: readonly Grant[]): Grant[] {
  const [owner, newOwner] = [findOwner(current), findOwner(wanted)];
  const untouched = current
    .filter(({ grantee }) => !wanted.some((other) => isSameGrantee(other.grantee, grantee)))
    .map((grant): Grant =>
      grant === owner && newOwner !== undefined ? { ...grant, level: 'CAN_MANAGE' } : grant,
    );
  return withOwner([...untouched, ...wanted], newOwner ?? owner);
}

/** The entry of the one who owns a job; undefined when that user is gone. */
export function findOwner(grants: readonly Grant[]): Grant | undefined {
  return grants.find(({ level }) => level === 'IS_OWNER');
}

/** Whether two lists name the same owner. */
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

function isSameGrantee(one: Grantee, other: Grantee): boolean {
  return one.kind === other.kind && one.name === other.name;
}
