/** GET permissions/authorization/tokens. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenPermissionsPath, toTokenUserList, TokenUserList } from './token-users.ts';

/** Shows who may make and use tokens. */
export function getTokenPermissionsOperation({ tokenRules }: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: tokenPermissionsPath,
    versions: ['2.0'],
    scope: 'access-management',
    access: 'everyone',
    adminsOnly: true,
    summary: 'Get who may use tokens',
    description: 'Who may make and use tokens, beside administrators. At first everybody may.',
    request: Type.Object({}),
    response: TokenUserList,
    handle: async () => toTokenUserList(await tokenRules.users()),
  });
}
