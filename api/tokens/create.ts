/** POST token/create (spec 4.2). */
import { Type } from 'typebox';
import { parseTokenRequest, TokenRequest } from '../../engine/token/token-request.ts';
import { generateTokenValue } from '../../engine/token/generate-token.ts';
import { hashToken } from '../../engine/token/token.ts';
import { tokenLifetimeSecondsMax } from '../../engine/token/workspace-conf.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { TokenInfo, toTokenView } from '../views/token-view.ts';

/**
 * Creates a token of the caller. Only the response contains its value; a hash of it is stored.
 * @throws ServiceError for an invalid lifetime or unknown scopes; QUOTA_EXCEEDED at the maximum of tokens
 */
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
    description: 'Creates a token of the caller. Its value is returned once; the service stores only a hash.',
    request: TokenRequest,
    response: Type.Object({
      token_value: Type.String({ description: 'Value for the Authorization header. It is not shown again.' }),
      token_info: TokenInfo,
    }),
    async handle(input, { caller }) {
      const maximumLifetime = tokenLifetimeSecondsMax(await tokenRules.conf(), limits.tokenLifetimeSeconds);
      const newToken = parseTokenRequest(input, clock.now(), limits, maximumLifetime);
      const value = generateTokenValue();
      const token = await tokens.create(
        {
          ...newToken,
          principalId: caller.principalId,
          createdBy: caller.principalId,
          hash: hashToken(value),
        },
        limits,
      );
      return { token_value: value, token_info: toTokenView(token) };
    },
  });
}
