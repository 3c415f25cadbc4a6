/** What may be asked of a token: the rules of making and of changing one (spec 4.2, 4.3). */
import { Type, type Static } from 'typebox';
import { invalid, ServiceError } from '../errors.ts';
import { checkMaxBytes, missingField, quote } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';
import { initialAutoscopeState } from './autoscope.ts';
import { allApisScope, checkScopes } from './scopes.ts';
import type { NewToken, TokenChange } from './token.ts';

type TokenLimits = Pick<Limits, 'tokenLifetimeSeconds' | 'scopesPerToken' | 'tokenCommentBytes'>;

const commentAndScopes = {
  comment: Type.Optional(Type.String({ description: 'What it is for, in your words.' })),
  scopes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Names of the scopes that it permits; all-apis permits everything.',
    }),
  ),
};

/** The body of token/create. */
export const TokenRequest = Type.Object({
  ...commentAndScopes,
  lifetime_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Seconds after which it ends. Default, and the longest: 730 days.',
    }),
  ),
  autoscope_enabled: Type.Optional(
    Type.Boolean({
      description:
        'Lets the scopes be found out: for 30 days the token permits everything and is observed, then it permits what it was used for.',
    }),
  ),
});
export type TokenRequest = Static<typeof TokenRequest>;

/** The fields of a token that can be changed. */
export const TokenUpdateFields = Type.Object(commentAndScopes, { description: 'Fields of the token.' });
export type TokenUpdateFields = Static<typeof TokenUpdateFields>;

const updatableFields = ['comment', 'scopes'] as const;

/**
 * What a token is to be that is asked for at `now` (epoch ms): without scopes one for everything, without a
 * lifetime one of the longest there is.
 * @param longest the longest life, seconds: that of the limits, or a shorter one that administrators have set
 * @throws ServiceError for a field that breaks a rule
 */
export function parseTokenRequest(
  {
    comment = '',
    scopes = [allApisScope],
    lifetime_seconds: asked,
    autoscope_enabled: autoscope = false,
  }: TokenRequest,
  now: number,
  limits: TokenLimits,
  longest: number = limits.tokenLifetimeSeconds,
): Omit<NewToken, 'principalId' | 'createdBy' | 'hash'> {
  if (asked !== undefined && asked > longest) {
    throw invalid(`lifetime_seconds is ${asked}; at most ${longest} (${longest / 86_400} days) are allowed.`);
  }
  const lifetime = asked ?? longest;
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
 * What `token` changes: the fields that the mask names.
 * @param mask names with commas between them, or `*` for all that `token` has
 * @throws ServiceError for a mask that names something else or a field that is not there, and for a value
 *   that breaks a rule
 */
export function parseTokenUpdate(token: TokenUpdateFields, mask: string, limits: TokenLimits): TokenChange {
  const names =
    mask.trim() === '*'
      ? updatableFields.filter((name) => token[name] !== undefined)
      : mask.split(',').map(parseMaskField);
  if (names.length === 0)
    throw invalid(
      `update_mask is "*" and token has none of ${updatableFields.join(', ')}; give what is to be changed.`,
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

/** Refuses one more token where a user has `valid` ones already. @throws ServiceError QUOTA_EXCEEDED */
export function checkTokenQuota(valid: number, { tokensPerUser: most }: Pick<Limits, 'tokensPerUser'>): void {
  if (valid >= most)
    throw new ServiceError(
      'QUOTA_EXCEEDED',
      `The quota for the number of tokens of a user has been reached. The current quota is ${most}.`,
    );
}

function parseMaskField(name: string): (typeof updatableFields)[number] {
  const known = updatableFields.find((field) => field === name.trim());
  if (known === undefined)
    throw invalid(
      `update_mask names ${quote(name.trim())}; it may name ${updatableFields.join(', ')}, or be "*" for all that token has.`,
    );
  return known;
}
