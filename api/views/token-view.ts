/** Token in responses (spec 2.11). */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { autoscopeStates } from '../../engine/token/autoscope.ts';
import type { Token } from '../../engine/token/token.ts';

export const TokenInfo = Type.Object(
  {
    token_id: Type.String({ description: 'Id, 64 hexadecimal digits; independent of the value.' }),
    creation_time: Type.Integer({ description: 'Time of creation, epoch milliseconds.' }),
    expiry_time: Type.Integer({
      description: 'Time of expiry, epoch milliseconds; -1 for a token without expiry.',
    }),
    comment: Type.String({ description: 'Purpose of the token.' }),
    scopes: Type.Array(Type.String(), { description: 'Scopes of the token.' }),
    last_accessed_time: Type.Integer({
      description: 'Time of the last use to the minute, epoch milliseconds; 0 for an unused token.',
    }),
    autoscope_state: Type.Enum(
      autoscopeStates.map((state) => `AUTOSCOPE_STATE_${state}`),
      {
        description:
          'RUNNING: usage is observed and all-apis applies. COMPLETED: the inferred scopes apply. BACKFILLED: the same for a token created before auto-scoping. USER_SELECTED: the user chose the scopes. DISABLED: no auto-scoping.',
      },
    ),
    inferred_scopes: Type.Array(Type.String(), { description: 'Scopes used during the observation.' }),
    backfill_scopes: Type.Array(Type.String(), {
      description: 'Inferred scopes that apply to a token created before auto-scoping.',
    }),
  },
  { description: 'Token without its value.' },
);

/** Returns the document of a token. */
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

/** Returns the error of an unknown token; clients expect a different code per operation. */
export function tokenNotFound(code: 'RESOURCE_DOES_NOT_EXIST' | 'NOT_FOUND', tokenId: string): ServiceError {
  return new ServiceError(code, `Token ${truncateText(tokenId)} does not exist.`);
}
