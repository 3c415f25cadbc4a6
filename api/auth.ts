/** Who calls: from the Authorization header to a caller, and whether the caller's token permits the operation (spec 5). */
import type { Clock } from '../engine/clock.ts';
import { messageOf, ServiceError } from '../engine/errors.ts';
import type { Log } from '../engine/ports.ts';
import { accessGrain, isValid, permits, tokenHash, type KnownToken } from '../engine/token/token.ts';

/** The owner of the token that a call carries. */
export interface Caller {
  readonly principalId: number;
  readonly userName: string;
  readonly admin: boolean;
  readonly tokenId: string;
  readonly scopes: readonly string[];
}

export interface AuthPorts {
  readonly tokens: {
    find(hash: string): Promise<KnownToken | undefined>;
    /** Notes the use of a token; does nothing when a use was noted within the last minute. */
    noteAccess(tokenId: string, now: number): Promise<void>;
  };
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The caller behind an Authorization header: `Bearer <token>`, or `Basic` with the token as the password.
 * @throws ServiceError UNAUTHENTICATED without a usable header, PERMISSION_DENIED for a token that does not count
 */
export async function authenticate(header: string | undefined, { tokens, clock, log }: AuthPorts): Promise<Caller> {
  const value = tokenIn(header);
  if (value === undefined) {
    throw new ServiceError('UNAUTHENTICATED', 'Credential was not sent or was of an unsupported type for this API.');
  }
  const now = clock.now();
  const token = await tokens.find(tokenHash(value));
  if (token === undefined || !isValid(token, now)) throw new ServiceError('PERMISSION_DENIED', 'Invalid access token.');
  if (now - token.lastAccessedTime >= accessGrain) {
    // Not awaited: no caller waits for bookkeeping.
    tokens.noteAccess(token.tokenId, now).catch((error: unknown) => {
      log.warn({ error: messageOf(error), tokenId: token.tokenId }, 'The last access of a token could not be noted.');
    });
  }
  return { principalId: token.principalId, userName: token.userName, admin: token.admin, tokenId: token.tokenId, scopes: token.scopes };
}

/** @throws ServiceError PERMISSION_DENIED that names the scope which the caller's token lacks */
export function checkScope(caller: Caller, scope: string): void {
  if (permits(caller.scopes, scope)) return;
  throw new ServiceError('PERMISSION_DENIED', `Provided access token does not have required scopes: ${scope}`);
}

/** The token in an Authorization header; undefined when there is none or the scheme is another. */
function tokenIn(header = ''): string | undefined {
  const [, scheme = '', credential = ''] = /^(\S+)\s+(\S+)\s*$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return credential;
    case 'basic':
      return passwordIn(Buffer.from(credential, 'base64').toString('utf8'));
    default:
      return undefined;
  }
}

/** What follows the first colon; the user name before it says nothing here. */
function passwordIn(pair: string): string | undefined {
  const colon = pair.indexOf(':');
  return colon < 0 || colon === pair.length - 1 ? undefined : pair.slice(colon + 1);
}
