/** A token as it is shown (spec 2.11), and the refusal of one that does not exist. */
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { cut } from '../../engine/job/wording.ts';
import type { Token } from '../../engine/token/token.ts';

export const TokenInfo = Type.Object(
  {
    token_id: Type.String({ description: '64 hex digits of its own, not derived from the value.' }),
    creation_time: Type.Integer({ description: 'Epoch milliseconds.' }),
    expiry_time: Type.Integer({ description: 'Epoch milliseconds; -1 without end.' }),
    comment: Type.String({ description: 'What it is for.' }),
    scopes: Type.Array(Type.String(), { description: 'The scopes that it permits.' }),
    last_accessed_time: Type.Integer({ description: 'Epoch milliseconds, to the minute; 0 when it was never used.' }),
  },
  { description: 'A token without its value.' },
);

export function tokenInfo({ tokenId, createdTime, expiryTime = -1, comment, scopes, lastAccessedTime }: Token): object {
  return {
    token_id: tokenId, creation_time: createdTime, expiry_time: expiryTime, comment, scopes, last_accessed_time: lastAccessedTime,
  };
}

/** Clients know the two operations that name a token by different codes. */
export function unknownToken(code: 'RESOURCE_DOES_NOT_EXIST' | 'NOT_FOUND', tokenId: string): ServiceError {
  return new ServiceError(code, `Token ${cut(tokenId)} does not exist.`);
}
