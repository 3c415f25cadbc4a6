/** PUT permissions/authorization/tokens. */
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  tokenUserListRequest,
  changeTokenUsers,
  tokenPermissionsPath,
  TokenUserList,
  parseTokenUsers,
} from './token-users.ts';

/** Replaces the whole list. */
export function replaceTokenPermissionsOperation(ports: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PUT',
    path: tokenPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Replace who may use tokens',
    description:
      'Who is not named can neither make nor use tokens from the next call on; administrators always can.',
    request: tokenUserListRequest,
    response: TokenUserList,
    async handle({ access_control_list: list }, context) {
      const users = parseTokenUsers(list);
      return changeTokenUsers(ports, context, () => users);
    },
  });
}
