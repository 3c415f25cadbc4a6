/** DELETE token-management/tokens/{token_id}. */
import { Type } from 'typebox';
import { isTokenId } from '../../engine/token/token.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';

/**
 * Revokes a token of any owner.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST for
 * an unknown token
 */
export function deleteAnyTokenOperation({
  tokens,
  clock,
}: Pick<OperationPorts, 'tokens' | 'clock'>): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/token-management/tokens/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'Revoke a token of any user',
    description: 'Revokes a token of any owner; the next request with it is refused.',
    request: Type.Object({ token_id: Type.String({ description: 'Id of the token.' }) }),
    response: Type.Object({}),
    async handle({ token_id: tokenId }) {
      const revoked = isTokenId(tokenId) && (await tokens.revoke(undefined, tokenId, clock.now()));
      if (!revoked) throw tokenNotFound('RESOURCE_DOES_NOT_EXIST', tokenId);
      return {};
    },
  });
}
