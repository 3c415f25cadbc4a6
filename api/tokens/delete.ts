/** POST token/delete. */
import { Type } from 'typebox';
import { isTokenId } from '../../engine/token/token.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';

/** Revokes a token of the caller. */
export function deleteTokenOperation({ tokens, clock }: Pick<OperationPorts, 'tokens' | 'clock'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/token/delete',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'Delete a token',
    description: 'Revokes a token of the caller; the next call with it is refused.',
    request: Type.Object({ token_id: Type.String({ description: 'The token.' }) }),
    response: Type.Object({}),
    async handle({ token_id: tokenId }, { caller }) {
      const revoked = isTokenId(tokenId) && (await tokens.revoke(caller.principalId, tokenId, clock.now()));
      if (!revoked) throw tokenNotFound('RESOURCE_DOES_NOT_EXIST', tokenId);
      return {};
    },
  });
}
