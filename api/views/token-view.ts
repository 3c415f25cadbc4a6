/** A token as it is shown (spec 2.11), and the refusal of one that does not exist. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { autoscopeStates } from '../../engine/token/autoscope.ts';
import type { Token } from '../../engine/token/token.ts';

export const TokenInfo = Type.Object(
  {
    token_id: Type.String({ description: '64 hex digits of its own, not derived from the value.' }),
    creation_time: Type.Integer({ description: 'Epoch milliseconds.' }),
    expiry_time: Type.Integer({ description: 'Epoch milliseconds; -1 without end.' }),
    comment: Type.String({ description: 'What it is for.' }),
    scopes: Type.Array(Type.String(), { description: 'The scopes that it permits.' }),
    last_accessed_time: Type.Integer({
      description: 'Epoch milliseconds, to the minute; 0 when it was never used.',
    }),
    autoscope_state: Type.Enum(
      autoscopeStates.map((state) => `AUTOSCOPE_STATE_${state}`),
      {
        description:
          'RUNNING while it is observed with all-apis in force, COMPLETED or BACKFILLED (a token that was there before) when it has the scopes that were found out, USER_SELECTED when they were chosen, DISABLED otherwise.',
      },
    ),
    inferred_scopes: Type.Array(Type.String(), {
      description: 'The scopes of what it was used for while it was observed.',
    }),
    backfill_scopes: Type.Array(Type.String(), {
      description: 'The same, once they apply to a token that was there before it was observed.',
    }),
  },
  { description: 'A token without its value.' },
);

export function toTokenView({
  tokenId,
  createdTime,
  expiryTime = -1,
  comment,
  scopes,
  lastAccessedTime,
  autoscopeState,
  inferredScopes,
}: Token): object {
  return {
    token_id: tokenId,
    creation_time: createdTime,
    expiry_time: expiryTime,
    comment,
    scopes,
    last_accessed_time: lastAccessedTime,
    autoscope_state: `AUTOSCOPE_STATE_${autoscopeState}`,
    inferred_scopes: inferredScopes,
    backfill_scopes: autoscopeState === 'BACKFILLED' ? inferredScopes : [],
  };
}

/** Clients know the two operations that name a token by different codes. */
export function tokenNotFound(code: 'RESOURCE_DOES_NOT_EXIST' | 'NOT_FOUND', tokenId: string): ServiceError {
  return new ServiceError(code, `Token ${truncateText(tokenId)} does not exist.`);
}
