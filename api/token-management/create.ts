/** POST token-management/on-behalf-of/tokens: a token for somebody else (spec 4.2). */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { parseTokenRequest, TokenRequest } from '../../engine/token/token-request.ts';
import { generateTokenValue } from '../../engine/token/generate-token.ts';
import { hashToken } from '../../engine/token/token.ts';
import { tokenLifetimeSecondsMax } from '../../engine/token/workspace-conf.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { OwnedTokenInfo, toOwnedTokenView } from '../views/owned-token-view.ts';

/** Makes a token of a service principal or a user; with it they can make further ones. */
export function createTokenOnBehalfOperation({
  tokens,
  tokenRules,
  people,
  clock,
  limits,
  workspaceInfo,
}: Pick<
  OperationPorts,
  'tokens' | 'tokenRules' | 'people' | 'clock' | 'limits' | 'workspaceInfo'
>): Operation {
  return defineOperation({
    method: 'POST',
    path: '/token-management/on-behalf-of/tokens',
    versions: ['2.0'],
    scope: 'authentication',
    adminsOnly: true,
    summary: 'Create a token for somebody else',
    description: 'Makes a token of a service principal, or of a user. Its value is shown this once.',
    request: Type.Object({
      application_id: Type.Optional(Type.String({ description: 'The service principal,' })),
      user_name: Type.Optional(Type.String({ description: 'or the user.' })),
      ...TokenRequest.properties,
    }),
    response: Type.Object({
      token_value: Type.String({ description: 'What calls carry. It cannot be shown again.' }),
      token_info: OwnedTokenInfo,
    }),
    async handle({ application_id: applicationId, user_name: userName, ...input }, { caller }) {
      const name = applicationId ?? userName;
      if (name === undefined || (applicationId !== undefined && userName !== undefined)) {
        throw invalid(
          `${name === undefined ? 'None' : 'Both'} of application_id, user_name is given; exactly one is required.`,
        );
      }
      const longest = tokenLifetimeSecondsMax(await tokenRules.conf(), limits.tokenLifetimeSeconds);
      const wanted = parseTokenRequest(input, clock.now(), limits, longest);
      const owner = await people.named(name);
      if (owner === undefined || (owner.kind === 'user') !== (userName !== undefined)) {
        throw invalid(
          `${userName === undefined ? `application_id is ${quote(name)}; this service principal` : `user_name is ${quote(name)}; this user`} does not exist.`,
        );
      }
      const value = generateTokenValue();
      const token = await tokens.create(
        { ...wanted, principalId: owner.id, createdBy: caller.principalId, hash: hashToken(value) },
        limits,
      );
      const createdBy = { id: caller.principalId, userName: caller.userName };
      return {
        token_value: value,
        token_info: toOwnedTokenView(
          { ...token, ownerId: owner.id, ownerName: owner.userName, createdBy },
          workspaceInfo.workspaceId,
        ),
      };
    },
  });
}
