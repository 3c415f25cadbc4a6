/**
 * Who calls: from the Authorization header to a caller, and whether the caller's token permits the operation
 * (spec 5).
 */
import type { Clock } from '../../engine/clock.ts';
import { messageOf, ServiceError } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/engine.ts';
import type { Limits } from '../../engine/limits.ts';
import { isNewScope } from '../../engine/token/autoscope.ts';
import { createFixedWindowCounter } from '../../engine/token/fixed-window-counter.ts';
import { permitsScope, type Scope } from '../../engine/token/scopes.ts';
import { lastAccessIntervalMs, isTokenValid, hashToken, type StoredToken } from '../../engine/token/token.ts';

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
    find(hash: string): Promise<StoredToken | undefined>;
    /** Notes the use of a token; does nothing when a use was noted within the last minute. */
    noteAccess(tokenId: string, now: number): Promise<void>;
    /** Notes for what an observed token was used. */
    noteScope(tokenId: string, scope: Scope): Promise<void>;
    /**
     * Hears of every call on this engine that may have changed tokens, their owners, or what is allowed to
     * them.
     */
    changed?(): void;
  };
  readonly clock: Clock;
  readonly log: Log;
}

/** What a route asks of the token of a call. */
export interface ScopeRequirement {
  /** Undefined: any valid token will do. */
  readonly scope: Scope | undefined;
  /** True: any valid token will do, and the call says nothing about what its token is for. */
  readonly anyScope: boolean;
}

/** What of a request says who calls. */
export interface Credential {
  readonly header: string | undefined;
  /** Address that it came from. */
  readonly ip: string;
}

/** Who calls, and whether their token is good for what is called. */
export interface Authenticator {
  /**
   * @throws ServiceError UNAUTHENTICATED without a usable header, PERMISSION_DENIED for a token that does not
   * count, REQUEST_LIMIT_EXCEEDED
   */
  authenticate(credential: Credential): Promise<StoredToken>;
  /**
   * @throws ServiceError PERMISSION_DENIED for an owner who may use no tokens, and for a missing scope, which
   * it names
   */
  authorize(token: StoredToken, demand: ScopeRequirement): void;
}

/**
 * Makes the check of callers: `Bearer <token>`, or `Basic` with the token as the password. Tokens are looked
 * up by their hash, so no comparison can be timed. Calls of a token, and failures of an address, are counted
 * by this engine alone.
 */
export function createAuthenticator(
  ports: AuthPorts,
  limits: Pick<Limits, 'requestsPerSecondPerToken' | 'failedCredentialsPerMinute'>,
): Authenticator {
  const [calls, failures] = [createFixedWindowCounter(1_000), createFixedWindowCounter(60_000)];
  const { tokens, clock, log } = ports;
  return {
    async authenticate({ header, ip }) {
      const value = parseAuthorizationHeader(header);
      if (value === undefined)
        throw new ServiceError(
          'UNAUTHENTICATED',
          'Credential was not sent or was of an unsupported type for this API.',
        );
      const now = clock.now();
      const token = await tokens.find(hashToken(value));
      if (token === undefined || !isTokenValid(token, now)) {
        const { count, secondsLeft } = failures.increment(ip, now);
        const maximum = limits.failedCredentialsPerMinute;
        // What comes after is left out: whoever guesses must not fill the log either.
        if (count <= maximum + 1)
          log.warn({ ip, tokenId: token?.tokenId, failuresWithinMinute: count }, 'A credential was refused.');
        // A token that was good once is no guess: its owner is told what it is, however often they ask.
        if (token === undefined && count > maximum)
          throw new ServiceError(
            'REQUEST_LIMIT_EXCEEDED',
            `More than ${maximum} credentials from ${ip} were refused within a minute.`,
            secondsLeft,
          );
        throw new ServiceError('PERMISSION_DENIED', 'Invalid access token.');
      }
      const { count, secondsLeft } = calls.increment(token.tokenId, now);
      const maximum = limits.requestsPerSecondPerToken;
      if (count > maximum)
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `The token was used for more than ${maximum} requests within a second.`,
          secondsLeft,
        );
      return token;
    },
    authorize(token, { scope, anyScope }) {
      if (!token.mayUseTokens)
        throw new ServiceError(
          'PERMISSION_DENIED',
          `User ${token.userName} may not use access tokens: an administrator has disabled them, or withheld the permission.`,
        );
      if (scope !== undefined && !anyScope) checkScope(token.scopes, scope);
      recordTokenUse(ports, token, anyScope ? undefined : scope, clock.now());
    },
  };
}

/** Not awaited: no caller waits for bookkeeping. */
function recordTokenUse(
  { tokens, log }: AuthPorts,
  token: StoredToken,
  scope: Scope | undefined,
  now: number,
): void {
  const failed = (error: unknown): void => {
    log.warn({ error: messageOf(error), tokenId: token.tokenId }, 'The use of a token could not be noted.');
  };
  if (now - token.lastAccessedTime >= lastAccessIntervalMs)
    tokens.noteAccess(token.tokenId, now).catch(failed);
  if (scope !== undefined && isNewScope(token, scope)) tokens.noteScope(token.tokenId, scope).catch(failed);
}

/** @throws ServiceError PERMISSION_DENIED that names the scope which the token lacks */
function checkScope(held: readonly string[], scope: Scope): void {
  if (permitsScope(held, scope)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    `Provided access token does not have required scopes: ${scope}`,
  );
}

/** The token in an Authorization header; undefined when there is none or the scheme is another. */
function parseAuthorizationHeader(header = ''): string | undefined {
  const [, scheme = '', credential = ''] = /^(\S+)\s+(\S+)\s*$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return credential;
    case 'basic':
      return parseBasicPassword(Buffer.from(credential, 'base64').toString('utf8'));
    default:
      return undefined;
  }
}

/** What follows the first colon; the user name before it says nothing here. */
function parseBasicPassword(pair: string): string | undefined {
  const colon = pair.indexOf(':');
  return colon < 0 || colon === pair.length - 1 ? undefined : pair.slice(colon + 1);
}
