/** GET token-management/tokens. */
import { Type } from 'typebox';
import { Id } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { OwnedTokenInfo, toOwnedTokenView } from '../views/owned-token-view.ts';

/**
 * Lists the valid tokens of all users, newest first.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators
 */
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
    summary: 'List the tokens of all users',
    description: 'Lists the tokens of all users that are neither revoked nor expired, newest first.',
    request: Type.Object({
      created_by_id: Type.Optional(
        Type.Integer({ ...Id, description: 'Only tokens that this user or service principal created.' }),
      ),
      created_by_username: Type.Optional(
        Type.String({
          description: 'Only tokens that the user or service principal with this name created.',
        }),
      ),
    }),
    response: Type.Object({
      token_infos: Type.Array(OwnedTokenInfo, { description: 'All tokens; the list has no pages.' }),
    }),
    async handle({ created_by_id: createdById, created_by_username: createdByName }) {
      const found = await tokens.listAll({ createdById, createdByName }, clock.now());
      return { token_infos: found.map((token) => toOwnedTokenView(token, workspaceInfo.workspaceId)) };
    },
  });
}
