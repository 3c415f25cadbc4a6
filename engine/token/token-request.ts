/** Requests that create and update tokens (spec 4.2, 4.3). */
import { Type, type Static } from 'typebox';
import { invalid, ServiceError } from '../errors.ts';
import { checkMaxBytes, missingField, quote } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';
import { initialAutoscopeState } from './autoscope.ts';
import { allApisScope, checkScopes } from './scopes.ts';
import type { NewToken, TokenChange } from './token.ts';

type TokenLimits = Pick<Limits, 'tokenLifetimeSeconds' | 'scopesPerToken' | 'tokenCommentBytes'>;

const commentAndScopes = {
  comment: Type.Optional(Type.String({ description: 'Purpose of the token.' })),
  scopes: Type.Optional(
    Type.Array(Type.String(), { description: 'Scopes of the token; all-apis permits everything.' }),
  ),
};

/** Body of token/create. */
export const TokenRequest = Type.Object({
  ...commentAndScopes,
  lifetime_seconds: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Lifetime in seconds. Default and maximum: 730 days.' }),
  ),
  autoscope_enabled: Type.Optional(
    Type.Boolean({
      description:
        'Observes the token for 30 days, during which it permits everything; then it permits the scopes that it used.',
    }),
  ),
});
export type TokenRequest = Static<typeof TokenRequest>;

/** Fields of a token that can be updated. */
export const TokenUpdateFields = Type.Object(commentAndScopes, { description: 'Fields of the token.' });
export type TokenUpdateFields = Static<typeof TokenUpdateFields>;

const updatableFields = ['comment', 'scopes'] as const;

/**
 * Returns the token for a request at `now` (epoch ms). Defaults: all scopes, and the maximum lifetime.
 * @param maximumLifetime seconds; administrators may lower it below the limit
 * @throws ServiceError for a field that breaks a rule
 */
export function parseTokenRequest(
  {
    comment = '',
    scopes = [allApisScope],
    lifetime_seconds: requestedLifetime,
    autoscope_enabled: autoscope = false,
  }: TokenRequest,
  now: number,
  limits: TokenLimits,
  maximumLifetime: number = limits.tokenLifetimeSeconds,
): Omit<NewToken, 'principalId' | 'createdBy' | 'hash'> {
  const lifetime = requestedLifetime ?? maximumLifetime;
  if (lifetime > maximumLifetime) {
    throw invalid(
      `lifetime_seconds is ${lifetime}; at most ${maximumLifetime} (${maximumLifetime / 86_400} days) are allowed.`,
    );
  }
  checkMaxBytes('comment', comment, limits.tokenCommentBytes);
  checkScopes('scopes', scopes, limits.scopesPerToken);
  return {
    comment,
    scopes,
    autoscopeState: initialAutoscopeState(autoscope, scopes, lifetime),
    createdTime: now,
    expiryTime: now + lifetime * 1_000,
  };
}

/**
 * Returns the change of a token: the fields of `token` that the mask names.
 * @param mask comma-separated field names, or `*` for all fields of `token`
 * @throws ServiceError for an unknown or missing field, and for a value that breaks a rule
 */
export function parseTokenUpdate(token: TokenUpdateFields, mask: string, limits: TokenLimits): TokenChange {
  const names =
    mask.trim() === '*'
      ? updatableFields.filter((name) => token[name] !== undefined)
      : mask.split(',').map(parseMaskField);
  if (names.length === 0)
    throw invalid(
      `update_mask is "*" and token has none of ${updatableFields.join(', ')}; give the fields to update.`,
    );
  for (const name of names) if (token[name] === undefined) throw missingField(`token.${name}`);
  const { comment, scopes } = token;
  const change = {
    ...(comment !== undefined && names.includes('comment') && { comment }),
    ...(scopes !== undefined && names.includes('scopes') && { scopes }),
  };
  if (change.comment !== undefined) checkMaxBytes('token.comment', change.comment, limits.tokenCommentBytes);
  if (change.scopes !== undefined) checkScopes('token.scopes', change.scopes, limits.scopesPerToken);
  return change;
}

/** Refuses another token for a user with `valid` tokens. @throws ServiceError QUOTA_EXCEEDED */
export function checkTokenQuota(valid: number, { tokensPerUser }: Pick<Limits, 'tokensPerUser'>): void {
  if (valid >= tokensPerUser)
    throw new ServiceError(
      'QUOTA_EXCEEDED',
      `The quota for the number of tokens of a user has been reached. The current quota is ${tokensPerUser}.`,
    );
}

function parseMaskField(name: string): (typeof updatableFields)[number] {
  const known = updatableFields.find((field) => field === name.trim());
  if (known === undefined)
    throw invalid(
      `update_mask names ${quote(name.trim())}; it may name ${updatableFields.join(', ')}, or be "*" for all fields of token.`,
    );
  return known;
}
