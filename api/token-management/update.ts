/** PATCH token-management/tokens/{token_id}. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { changeTokenRequest, changeToken } from '../tokens/change-token.ts';

/** Changes scopes and comment of a token of anybody. */
export function updateAnyTokenOperation(
  ports: Pick<OperationPorts, 'tokens' | 'clock' | 'limits'>,
): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/token-management/tokens/:token_id',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'Change a token of anybody',
    description:
      'Changes the fields of a token that update_mask names, whoever has it. Chosen scopes end automatic ones for good.',
    request: changeTokenRequest,
    response: Type.Object({}),
    async handle(input, { recordChange }) {
      await changeToken(ports, input, { of: undefined, unknown: 'RESOURCE_DOES_NOT_EXIST', recordChange });
      return {};
    },
  });
}
