/** PUT permissions/authorization/tokens (spec 5.4). */
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
 * Replaces the list of users that may create and use tokens.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; an invalid list
 */
export function replaceTokenPermissionsOperation(ports: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PUT',
    path: tokenPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Replace token permissions',
    description:
      'Replaces the list; without access_control_list, by an empty one. From the next request on, users not in the list can neither create nor use tokens; administrators always can.',
    request: tokenUserListRequest,
    response: TokenUserList,
    async handle({ access_control_list: list = [] }, context) {
      const users = parseTokenUsers(list);
      return changeTokenUsers(ports, context, () => users);
    },
  });
}
