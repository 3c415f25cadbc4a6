/** PATCH token/{token_id} (spec 4.3). */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { changeTokenRequest, changeToken } from './change-token.ts';

/**
 * Updates scopes and comment of a token of the caller; administrators may name a token of any owner (spec 4.3,
 * 5.6).
 * @throws ServiceError NOT_FOUND for an unknown token; an invalid update_mask or unknown scopes
 */
export function updateTokenOperation(ports: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/token/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'Update a token',
    description:
      'Updates the fields named in update_mask of a token of the caller; administrators may name a token of any owner. The change applies from the next request on.',
    request: changeTokenRequest,
    response: Type.Object({}),
    async handle(input, { caller, recordChange }) {
      await changeToken(ports, input, {
        ownerId: caller.admin ? undefined : caller.principalId,
        notFoundCode: 'NOT_FOUND',
        recordChange,
      });
      return {};
    },
  });
}
