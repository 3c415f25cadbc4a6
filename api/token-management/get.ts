/** GET token-management/tokens/{token_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';
import { OwnedTokenInfo, toOwnedTokenView } from '../views/owned-token-view.ts';

/**
 * Returns a token of any owner without its value.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST for
 * an unknown token
 */
export function getAnyTokenOperation({
  tokens,
  clock,
  workspaceInfo,
}: Pick<OperationPorts, 'tokens' | 'clock' | 'workspaceInfo'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/token-management/tokens/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'Get a token of any user',
    description: 'Returns a token of any owner, without its value.',
    request: Type.Object({ token_id: Type.String({ description: 'Id of the token.' }) }),
    response: Type.Object({ token_info: OwnedTokenInfo }),
    async handle({ token_id: tokenId }) {
      const [token] = await tokens.listAll({ tokenId: tokenId.replaceAll('\0', '') }, clock.now());
      if (token === undefined) throw tokenNotFound('RESOURCE_DOES_NOT_EXIST', tokenId);
      return { token_info: toOwnedTokenView(token, workspaceInfo.workspaceId) };
    },
  });
}
