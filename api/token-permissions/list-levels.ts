/** GET permissions/authorization/tokens/permissionLevels. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { tokenPermissionsPath, tokenLevels } from './token-users.ts';

/** Lists the permission levels on tokens. */
export function listTokenPermissionLevelsOperation(): Operation {
  return defineOperation({
    method: 'GET',
    path: `${tokenPermissionsPath}/permissionLevels`,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    summary: 'List token permission levels',
    description:
      'Lists the permission levels on tokens: the one that can be granted and the one of administrators.',
    request: Type.Object({}),
    response: Type.Object({
      permission_levels: Type.Array(
        Type.Object(
          {
            permission_level: Type.Enum(Object.keys(tokenLevels), { description: 'Permission level.' }),
            description: Type.String({ description: 'Permitted actions.' }),
          },
          { description: 'Permission level.' },
        ),
        { description: 'Levels, weakest first.' },
      ),
    }),
    handle: async () => ({
      permission_levels: Object.entries(tokenLevels).map(([level, description]) => ({
        permission_level: level,
        description,
      })),
    }),
  });
}
