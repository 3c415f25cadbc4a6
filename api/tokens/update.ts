/** PATCH token/{token_id} (spec 4.3). */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { changeTokenRequest, changeToken } from './change-token.ts';

/** Changes scopes and comment of a token of the caller; the next call with it sees the change. */
export function updateTokenOperation(ports: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/token/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'Change a token',
    description:
      'Changes the fields of a token that update_mask names; the next call with it sees the change.',
    request: changeTokenRequest,
    response: Type.Object({}),
    async handle(input, { caller, recordChange }) {
      await changeToken(ports, input, { of: caller.principalId, unknown: 'NOT_FOUND', recordChange });
      return {};
    },
  });
}
