/** GET token-management/tokens. */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { OwnedTokenInfo, toOwnedTokenView } from '../views/owned-token-view.ts';

/** Shows the tokens of everybody. */
export function listAllTokensOperation({
  tokens,
  clock,
  workspaceInfo,
}: Pick<OperationPorts, 'tokens' | 'clock' | 'workspaceInfo'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/token-management/tokens',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'List the tokens of everybody',
    description: 'The tokens of everybody that are neither revoked nor expired, newest first.',
    request: Type.Object({
      created_by_id: Type.Optional(
        Type.Integer({ ...Id, description: 'Only those that tokens of this person made.' }),
      ),
      created_by_username: Type.Optional(Type.String({ description: 'The same, by name.' })),
    }),
    response: Type.Object({
      token_infos: Type.Array(OwnedTokenInfo, { description: 'All of them; there are no pages.' }),
    }),
    async handle({ created_by_id: createdById, created_by_username: createdByName }) {
      const found = await tokens.ofEverybody({ createdById, createdByName }, clock.now());
      return { token_infos: found.map((token) => toOwnedTokenView(token, workspaceInfo.workspaceId)) };
    },
  });
}
