/** GET permissions/authorization/tokens/permissionLevels. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { tokenPermissionsPath, tokenLevels } from './token-users.ts';

/** Shows the levels that there are. */
export function listTokenPermissionLevelsOperation(): Operation {
  return defineOperation({
    method: 'GET',
    path: `${tokenPermissionsPath}/permissionLevels`,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    summary: 'List the levels on tokens',
    description: 'What can be given to people about tokens, and what administrators have.',
    request: Type.Object({}),
    response: Type.Object({
      permission_levels: Type.Array(
        Type.Object(
          {
            permission_level: Type.Enum(Object.keys(tokenLevels), { description: 'The level.' }),
            description: Type.String({ description: 'What it permits.' }),
          },
          { description: 'One level.' },
        ),
        { description: 'Weakest first.' },
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
