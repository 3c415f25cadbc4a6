/** PATCH permissions/authorization/tokens. */
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { changeRequest, changeTokenUsers, path, TokenUserList, usersIn } from './token-users.ts';

/** Adds to the list. */
export function amendTokenPermissionsOperation(ports: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Let more people use tokens',
    description: 'Gives the permission to those who are named; all others keep what they have.',
    request: changeRequest,
    response: TokenUserList,
    async handle({ access_control_list: list }, call) {
      const users = usersIn(list);
      return changeTokenUsers(ports, call, (current) => [...current, ...users]);
    },
  });
}
