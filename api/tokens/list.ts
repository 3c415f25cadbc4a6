/** GET token/list (spec 2.11). */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { TokenInfo, toTokenView } from '../views/token-view.ts';

/** Lists the valid tokens of the caller, newest first. */
export function listTokensOperation({ tokens, clock }: Pick<OperationPorts, 'tokens' | 'clock'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/token/list',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'List tokens',
    description: 'Lists the tokens of the caller that are neither revoked nor expired, newest first.',
    request: Type.Object({}),
    response: Type.Object({
      token_infos: Type.Array(TokenInfo, { description: 'All tokens; the list has no pages.' }),
    }),
    async handle(_input, { caller }) {
      return { token_infos: (await tokens.listOf(caller.principalId, clock.now())).map(toTokenView) };
    },
  });
}
