/** GET permissions/authorization/tokens (spec 5.4). */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenPermissionsPath, toTokenUserList, TokenUserList } from './token-users.ts';

/**
 * Returns the users that may create and use tokens.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators
 */
export function getTokenPermissionsOperation({ tokenRules }: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: tokenPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Get token permissions',
    description:
      'Lists the users that may create and use tokens, besides administrators. Initially, all users may.',
    request: Type.Object({}),
    response: TokenUserList,
    handle: async () => toTokenUserList(await tokenRules.users()),
  });
}
