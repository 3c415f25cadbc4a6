/** POST token-management/on-behalf-of/tokens (spec 4.2). */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { parseTokenRequest, TokenRequest } from '../../engine/token/token-request.ts';
import { generateTokenValue } from '../../engine/token/generate-token.ts';
import { hashToken } from '../../engine/token/token.ts';
import { tokenLifetimeSecondsMax } from '../../engine/token/workspace-conf.ts';
import type { Person } from '../../engine/token/person.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { OwnedTokenInfo, toOwnedTokenView } from '../views/owned-token-view.ts';

/**
 * Creates a token for a service principal or a user. Only the response contains its value.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; an unknown owner; an invalid
 * request; QUOTA_EXCEEDED
 */
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
    summary: 'Create a token on behalf of another user',
    description:
      'Creates a token for a service principal or a user. The value of the token is returned once.',
    request: Type.Object({
      application_id: Type.Optional(
        Type.String({ description: 'Application id of the service principal. Alternative: user_name.' }),
      ),
      user_name: Type.Optional(
        Type.String({ description: 'Name of the user. Alternative: application_id.' }),
      ),
      ...TokenRequest.properties,
    }),
    response: Type.Object({
      token_value: Type.String({ description: 'Value for the Authorization header. It is not shown again.' }),
      token_info: OwnedTokenInfo,
    }),
    async handle({ application_id: applicationId, user_name: userName, ...input }, { caller }) {
      const owner = await findOwner(people, applicationId, userName);
      const maximumLifetime = tokenLifetimeSecondsMax(await tokenRules.conf(), limits.tokenLifetimeSeconds);
      const token = parseTokenRequest(input, clock.now(), limits, maximumLifetime);
      const value = generateTokenValue();
      const created = await tokens.create(
        { ...token, principalId: owner.id, createdBy: caller.principalId, hash: hashToken(value) },
        limits,
      );
      const createdBy = { id: caller.principalId, userName: caller.userName };
      return {
        token_value: value,
        token_info: toOwnedTokenView(
          { ...created, ownerId: owner.id, ownerName: owner.userName, createdBy },
          workspaceInfo.workspaceId,
        ),
      };
    },
  });
}

async function findOwner(
  people: OperationPorts['people'],
  applicationId: string | undefined,
  userName: string | undefined,
): Promise<Person> {
  const name = applicationId ?? userName;
  if (name === undefined || (applicationId !== undefined && userName !== undefined)) {
    throw invalid(
      `${name === undefined ? 'None' : 'Both'} of application_id, user_name is given; exactly one is required.`,
    );
  }
  const owner = await people.named(name);
  if (owner !== undefined && (owner.kind === 'user') === (userName !== undefined)) return owner;
  throw invalid(
    userName === undefined
      ? `application_id is ${quote(name)}; this service principal does not exist.`
      : `user_name is ${quote(name)}; this user does not exist.`,
  );
}
