/** PATCH token/{token_id} (spec 4.3). */
import { Type } from 'typebox';
import { ChangedFields, requestedChange } from '../../engine/token/request.ts';
import { isTokenId } from '../../engine/token/token.ts';
import { defineOperation, type Operation } from '../operation.ts';
import type { OperationPorts } from '../ports.ts';
import { unknownToken } from './token-view.ts';

/** Changes scopes and comment of a token of the caller; the next call with it sees the change. */
export function updateTokenOperation({ tokens, clock, limits }: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/token/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'Change a token',
    description: 'Changes the fields of a token that update_mask names; the next call with it sees the change.',
    request: Type.Object({
      token_id: Type.String({ description: 'The token: its id, or the sha-256 of its id in hex.' }),
      token: ChangedFields,
      update_mask: Type.String({ description: 'Names of the fields to change with commas between them, or * for all that token has.' }),
    }),
    response: Type.Object({}),
    async handle({ token_id: tokenId, token, update_mask: mask }, { caller, changed }) {
      const change = requestedChange(token, mask, limits);
      const before = isTokenId(tokenId) ? await tokens.change(caller.principalId, tokenId, change, clock.now()) : undefined;
      if (before === undefined) throw unknownToken('NOT_FOUND', tokenId);
      changed({ comment: before.comment, scopes: before.scopes }, { comment: before.comment, scopes: before.scopes, ...change });
      return {};
    },
  });
}
