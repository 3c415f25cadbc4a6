/** GET token-management/tokens/{token_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';
import { OwnedTokenInfo, toOwnedTokenView } from '../views/owned-token-view.ts';

/** Shows a token of anybody. */
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
    summary: 'Get a token of anybody',
    description: 'One token, whoever has it.',
    request: Type.Object({ token_id: Type.String({ description: 'The token.' }) }),
    response: Type.Object({ token_info: OwnedTokenInfo }),
    async handle({ token_id: tokenId }) {
      const [token] = await tokens.ofEverybody({ tokenId: tokenId.replaceAll('\0', '') }, clock.now());
      if (token === undefined) throw tokenNotFound('RESOURCE_DOES_NOT_EXIST', tokenId);
      return { token_info: toOwnedTokenView(token, workspaceInfo.workspaceId) };
    },
  });
}
