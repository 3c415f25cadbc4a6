/** Users that may create and use tokens (spec 5.4), besides administrators. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { groups, type Grantee } from '../../engine/job/permissions.ts';
import { checkMaxItems } from '../../engine/validation/messages.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { fixedLimits } from '../../engine/limits.ts';

export const tokenPermissionsPath = '/permissions/authorization/tokens';

/** Permission level -> permitted actions. */
export const tokenLevels = {
  CAN_USE: 'Creates and uses own tokens.',
  CAN_MANAGE: 'Also lists and revokes the tokens of all users. Only administrators have this level.',
} as const;

const Level = Type.Enum(Object.keys(tokenLevels), { description: 'Permission level.' });

const entryFields = {
  user_name: Type.Optional(Type.String({ description: 'User name; one of three alternatives.' })),
  group_name: Type.Optional(Type.Enum([...groups], { description: 'Group; users contains all users.' })),
  service_principal_name: Type.Optional(
    Type.String({ description: 'Application id of a service principal.' }),
  ),
};

export const tokenUserListRequest = Type.Object({
  access_control_list: Type.Optional(
    Type.Array(
      Type.Object({ ...entryFields, permission_level: Level }, { description: 'Grant of the level.' }),
      { description: 'Grants of permission levels. Default: none.' },
    ),
  ),
});

export const TokenUserList = Type.Object(
  {
    object_id: Type.String({ description: '/authorization/tokens' }),
    object_type: Type.Literal('tokens', { description: 'Type of the object.' }),
    access_control_list: Type.Array(
      Type.Object(
        {
          ...entryFields,
          all_permissions: Type.Array(
            Type.Object(
              {
                permission_level: Level,
                inherited: Type.Boolean({ description: 'True for a level that this list cannot change.' }),
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
  { description: 'Access control list of tokens.' },
);

const nameField: Readonly<Record<Grantee['kind'], string>> = {
  user: 'user_name',
  group: 'group_name',
  service_principal: 'service_principal_name',
};

/** Returns the document of the list. */
export function toTokenUserList(users: readonly Grantee[]): object {
  return {
    object_id: '/authorization/tokens',
    object_type: 'tokens',
    access_control_list: [
      ...users.map(({ kind, name }) => ({
        [nameField[kind]]: name,
        all_permissions: [{ permission_level: 'CAN_USE', inherited: false }],
      })),
      { group_name: 'admins', all_permissions: [{ permission_level: 'CAN_MANAGE', inherited: true }] },
    ],
  };
}

interface AccessControlEntry {
  readonly user_name?: string | undefined;
  readonly group_name?: (typeof groups)[number] | undefined;
  readonly service_principal_name?: string | undefined;
  readonly permission_level: string;
}

/**
 * Returns the grantees of a list.
 * @throws ServiceError for an entry without exactly one name, and for a level that cannot be granted
 */
export function parseTokenUsers(list: readonly AccessControlEntry[]): Grantee[] {
  checkMaxItems('access_control_list', list, fixedLimits.grantsPerList);
  return list.flatMap(
    (
      {
        user_name: user,
        group_name: group,
        service_principal_name: servicePrincipal,
        permission_level: level,
      },
      index,
    ): Grantee[] => {
      const path = `access_control_list[${index}]`;
      const named: Grantee[] = [
        ...(user === undefined ? [] : [{ kind: 'user' as const, name: user }]),
        ...(group === undefined ? [] : [{ kind: 'group' as const, name: group }]),
        ...(servicePrincipal === undefined
          ? []
          : [{ kind: 'service_principal' as const, name: servicePrincipal }]),
      ];
      if (named.length !== 1)
        throw invalid(
          `${path} has ${named.length} of user_name, group_name, service_principal_name; exactly one is required.`,
        );
      // Clients send the list back that they read, which contains the administrators.
      if (group === 'admins') return [];
      if (level !== 'CAN_USE')
        throw invalid(
          `${path}.permission_level is CAN_MANAGE, which only administrators have; it must be CAN_USE.`,
        );
      return named;
    },
  );
}

/** Changes the list and returns the result. */
export async function changeTokenUsers(
  { tokenRules }: Pick<OperationPorts, 'tokenRules'>,
  { recordChange }: Pick<RequestContext, 'recordChange'>,
  change: (current: readonly Grantee[]) => readonly Grantee[],
): Promise<object> {
  const { before, after } = await tokenRules.changeUsers((current) => deduplicateUsers(change(current)));
  recordChange({ users: before }, { users: after });
  return toTokenUserList(after);
}

function deduplicateUsers(users: readonly Grantee[]): Grantee[] {
  return [...new Map(users.map((user) => [`${user.kind} ${user.name}`, user])).values()];
}
