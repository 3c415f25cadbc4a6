/** POST token/delete. */
import { Type } from 'typebox';
import { isTokenId } from '../../engine/token/token.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';

/**
 * Revokes a token of the caller.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown token
 */
export function deleteTokenOperation({ tokens, clock }: Pick<OperationPorts, 'tokens' | 'clock'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/token/delete',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'Delete a token',
    description: 'Revokes a token of the caller; the next request with it is refused.',
    request: Type.Object({ token_id: Type.String({ description: 'Id of the token.' }) }),
    response: Type.Object({}),
    async handle({ token_id: tokenId }, { caller }) {
      const revoked = isTokenId(tokenId) && (await tokens.revoke(caller.principalId, tokenId, clock.now()));
      if (!revoked) throw tokenNotFound('RESOURCE_DOES_NOT_EXIST', tokenId);
      return {};
    },
  });
}
