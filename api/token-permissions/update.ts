/** PATCH permissions/authorization/tokens. */
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import {
  tokenUserListRequest,
  changeTokenUsers,
  tokenPermissionsPath,
  TokenUserList,
  parseTokenUsers,
} from './token-users.ts';

/** Adds to the list. */
export function updateTokenPermissionsOperation(ports: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: tokenPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Let more people use tokens',
    description: 'Gives the permission to those who are named; all others keep what they have.',
    request: tokenUserListRequest,
    response: TokenUserList,
    async handle({ access_control_list: list }, context) {
      const users = parseTokenUsers(list);
      return changeTokenUsers(ports, context, (current) => [...current, ...users]);
    },
  });
}
