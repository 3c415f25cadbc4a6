/** What both operations that change a token share: their request, and the change itself. */
import { Type, type Static } from 'typebox';
import { TokenUpdateFields, parseTokenUpdate } from '../../engine/token/token-request.ts';
import { isTokenId } from '../../engine/token/token.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { tokenNotFound } from '../views/token-view.ts';

export const changeTokenRequest = Type.Object({
  token_id: Type.String({ description: 'The token: its id, or the sha-256 of its id in hex.' }),
  token: TokenUpdateFields,
  update_mask: Type.String({
    description: 'Names of the fields to change with commas between them, or * for all that token has.',
  }),
});

/**
 * Changes the fields of a token that the mask names, and tells the audit log.
 * @param of whose token it must be; undefined: anybody's
 * @param unknown the code for a token that does not exist, which clients know by the operation
 * @throws ServiceError for a change that breaks a rule, and for an unknown token
 */
export async function changeToken(
  { tokens, clock, limits }: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>,
  { token_id: tokenId, token, update_mask: mask }: Static<typeof changeTokenRequest>,
  {
    of,
    unknown,
    recordChange,
  }: { readonly of: number | undefined; readonly unknown: 'NOT_FOUND' | 'RESOURCE_DOES_NOT_EXIST' } & Pick<
    RequestContext,
    'recordChange'
  >,
): Promise<void> {
  const change = parseTokenUpdate(token, mask, limits);
  const before = isTokenId(tokenId) ? await tokens.change(of, tokenId, change, clock.now()) : undefined;
  if (before === undefined) throw tokenNotFound(unknown, tokenId);
  const { comment, scopes } = before;
  recordChange({ comment, scopes }, { comment, scopes, ...change });
}
