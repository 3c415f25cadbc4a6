/** Change of a token, shared by the operations of owners and of administrators. */
import { Type, type Static } from 'typebox';
import { TokenUpdateFields, parseTokenUpdate } from '../../engine/token/token-request.ts';
import { isTokenId } from '../../engine/token/token.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';

export const changeTokenRequest = Type.Object({
  token_id: Type.String({ description: 'Id of the token, or the SHA-256 of its id in hex.' }),
  token: TokenUpdateFields,
  update_mask: Type.String({
    description: 'Comma-separated names of the fields to update, or * for all fields of token.',
  }),
});

/**
 * Updates the fields of a token that the mask names and records the change for the audit log (spec 4.3).
 * @param ownerId required owner of the token; undefined: any owner
 * @param notFoundCode error code of an unknown token; clients expect a different one per operation
 * @throws ServiceError for an invalid change and for an unknown token
 */
export async function changeToken(
  { tokens, clock, limits }: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>,
  { token_id: tokenId, token, update_mask: mask }: Static<typeof changeTokenRequest>,
  {
    ownerId,
    notFoundCode,
    recordChange,
  }: {
    readonly ownerId: number | undefined;
    readonly notFoundCode: 'NOT_FOUND' | 'RESOURCE_DOES_NOT_EXIST';
  } & Pick<RequestContext, 'recordChange'>,
): Promise<void> {
  const change = parseTokenUpdate(token, mask, limits);
  const before = isTokenId(tokenId) ? await tokens.change(ownerId, tokenId, change, clock.now()) : undefined;
  if (before === undefined) throw tokenNotFound(notFoundCode, tokenId);
  const { comment, scopes } = before;
  recordChange({ comment, scopes }, { comment, scopes, ...change });
}
