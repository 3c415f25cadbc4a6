/** PATCH token-management/tokens/{token_id}. */
import { Type } from 'typebox';
import { ChangedFields, requestedChange } from '../../engine/token/request.ts';
import { isTokenId } from '../../engine/token/token.ts';
import { defineOperation, type Operation } from '../operation.ts';
import type { OperationPorts } from '../ports.ts';
import { unknownToken } from '../tokens/token-view.ts';

/** Changes scopes and comment of a token of anybody. */
export function updateAnyTokenOperation({ tokens, clock, limits }: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/token-management/tokens/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'Change a token of anybody',
    description: 'Changes the fields of a token that update_mask names, whoever has it. Chosen scopes end automatic ones for good.',
    request: Type.Object({
      token_id: Type.String({ description: 'The token: its id, or the sha-256 of its id in hex.' }),
      token: ChangedFields,
      update_mask: Type.String({ description: 'Names of the fields to change with commas between them, or * for all that token has.' }),
    }),
    response: Type.Object({}),
    async handle({ token_id: tokenId, token, update_mask: mask }, { changed }) {
      const change = requestedChange(token, mask, limits);
      const before = isTokenId(tokenId) ? await tokens.change(undefined, tokenId, change, clock.now()) : undefined;
      if (before === undefined) throw unknownToken('RESOURCE_DOES_NOT_EXIST', tokenId);
      changed({ comment: before.comment, scopes: before.scopes }, { comment: before.comment, scopes: before.scopes, ...change });
      return {};
    },
  });
}
