/** PATCH token-management/tokens/{token_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { changeTokenRequest, changeToken } from '../tokens/change-token.ts';

/**
 * Updates scopes and comment of a token of any owner.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; RESOURCE_DOES_NOT_EXIST; an
 * invalid update_mask
 */
export function updateAnyTokenOperation(
  ports: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>,
): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/token-management/tokens/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'Update a token of any user',
    description:
      'Updates the fields named in update_mask of a token of any owner. Setting scopes ends auto-scoping of the token permanently.',
    request: changeTokenRequest,
    response: Type.Object({}),
    async handle(input, { recordChange }) {
      await changeToken(ports, input, {
        ownerId: undefined,
        notFoundCode: 'RESOURCE_DOES_NOT_EXIST',
        recordChange,
      });
      return {};
    },
  });
}
