/** POST token/create (spec 4.2). */
import { Type } from 'typebox';
import { parseTokenRequest, TokenRequest } from '../../engine/token/token-request.ts';
import { generateTokenValue } from '../../engine/token/generate-token.ts';
import { hashToken } from '../../engine/token/token.ts';
import { tokenLifetimeSecondsMax } from '../../engine/token/workspace-conf.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { TokenInfo, toTokenView } from '../views/token-view.ts';

/** Makes a token of the caller's own and shows its value, which is stored nowhere. */
export function createTokenOperation({
  tokens,
  tokenRules,
  clock,
  limits,
}: Pick<OperationPorts, 'tokens' | 'tokenRules' | 'clock' | 'limits'>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/token/create',
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'Create a token',
    description:
      'Makes another token of the caller. Its value is shown this once; what is stored is a hash of it.',
    request: TokenRequest,
    response: Type.Object({
      token_value: Type.String({ description: 'What calls carry. It cannot be shown again.' }),
      token_info: TokenInfo,
    }),
    async handle(input, { caller }) {
      const longest = tokenLifetimeSecondsMax(await tokenRules.conf(), limits.tokenLifetimeSeconds);
      const wanted = parseTokenRequest(input, clock.now(), limits, longest);
      const value = generateTokenValue();
      const token = await tokens.create(
        { ...wanted, principalId: caller.principalId, createdBy: caller.principalId, hash: hashToken(value) },
        limits,
      );
      return { token_value: value, token_info: toTokenView(token) };
    },
  });
}
