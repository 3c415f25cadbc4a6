/** Who may make and use tokens (spec 5.4): the list, and the levels on it. Administrators always may. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { groups, type Grantee } from '../../engine/job/permissions.ts';
import { checkMaxItems } from '../../engine/validation/messages.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

export const tokenPermissionsPath = '/permissions/authorization/tokens';

/** Level -> what it permits. */
export const tokenLevels = {
  CAN_USE: 'Makes tokens of their own, and uses them.',
  CAN_MANAGE: 'Also sees and revokes the tokens of everybody. Administrators have it, and nobody else can.',
} as const;

const Level = Type.Enum(Object.keys(tokenLevels), { description: 'The level.' });

const entryFields = {
  user_name: Type.Optional(Type.String({ description: 'A user,' })),
  group_name: Type.Optional(Type.Enum([...groups], { description: 'or a group: users is everybody,' })),
  service_principal_name: Type.Optional(
    Type.String({ description: 'or the application id of a service principal.' }),
  ),
};

export const tokenUserListRequest = Type.Object({
  access_control_list: Type.Array(
    Type.Object({ ...entryFields, permission_level: Level }, { description: 'Somebody who gets the level.' }),
    { description: 'Who gets which level.' },
  ),
});

export const TokenUserList = Type.Object(
  {
    object_id: Type.String({ description: '/authorization/tokens' }),
    object_type: Type.Literal('tokens', { description: 'What it is about.' }),
    access_control_list: Type.Array(
      Type.Object(
        {
          ...entryFields,
          all_permissions: Type.Array(
            Type.Object(
              {
                permission_level: Level,
                inherited: Type.Boolean({ description: 'True when it cannot be changed here.' }),
              },
              { description: 'One level that they hold.' },
            ),
            { description: 'What they hold.' },
          ),
        },
        { description: 'One who may use tokens.' },
      ),
      { description: 'Administrators last.' },
    ),
  },
  { description: 'Who may use tokens.' },
);

const nameField: Readonly<Record<Grantee['kind'], string>> = {
  user: 'user_name',
  group: 'group_name',
  service_principal: 'service_principal_name',
};

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
 * Who is named in a list. @throws ServiceError for an entry without exactly one name, or for a level that
 * cannot be given
 */
export function parseTokenUsers(list: readonly AccessControlEntry[]): Grantee[] {
  checkMaxItems('access_control_list', list, 1_000);
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
      const where = `access_control_list[${index}]`;
      const named: Grantee[] = [
        ...(user === undefined ? [] : [{ kind: 'user' as const, name: user }]),
        ...(group === undefined ? [] : [{ kind: 'group' as const, name: group }]),
        ...(servicePrincipal === undefined
          ? []
          : [{ kind: 'service_principal' as const, name: servicePrincipal }]),
      ];
      if (named.length !== 1)
        throw invalid(
          `${where} has ${named.length} of user_name, group_name, service_principal_name; exactly one is required.`,
        );
      // Administrators have it anyway: naming them again is what clients do with a list that they were shown.
      if (group === 'admins') return [];
      if (level !== 'CAN_USE')
        throw invalid(
          `${where}.permission_level is CAN_MANAGE, which administrators have and nobody else can; CAN_USE can be given.`,
        );
      return named;
    },
  );
}

/** Changes the list and shows it as it is then. */
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
