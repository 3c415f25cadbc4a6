/** PATCH permissions/authorization/tokens (spec 5.4). */
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  tokenUserListRequest,
  changeTokenUsers,
  tokenPermissionsPath,
  TokenUserList,
  parseTokenUsers,
} from './token-users.ts';

/**
 * Adds users to the list of users that may create and use tokens.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; an invalid list
 */
export function updateTokenPermissionsOperation(ports: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: tokenPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Add token permissions',
    description: 'Grants the permission to the named users; all others keep theirs.',
    request: tokenUserListRequest,
    response: TokenUserList,
    async handle({ access_control_list: list = [] }, context) {
      const users = parseTokenUsers(list);
      return changeTokenUsers(ports, context, (current) => [...current, ...users]);
    },
  });
}
