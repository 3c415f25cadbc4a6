/** Authentication by the Authorization header, and authorization by token scopes (spec 5). */
import { toIsoTime, type Clock } from '../../engine/clock.ts';
import { messageOf, ServiceError } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import { fixedLimits, type Limits } from '../../engine/limits.ts';
import { isNewScope } from '../../engine/token/autoscope.ts';
import { createFixedWindowCounter } from '../../engine/token/fixed-window-counter.ts';
import { permitsScope, type Scope } from '../../engine/token/scopes.ts';
import { isTokenValid, hashToken, type StoredToken } from '../../engine/token/token.ts';

/** Owner of the token of a request. */
export interface Caller {
  readonly principalId: number;
  readonly userName: string;
  readonly admin: boolean;
  readonly tokenId: string;
  readonly scopes: readonly string[];
  /** What the request came through: `the console`, `the token "ci"`. */
  readonly through?: string;
}

export interface AuthPorts {
  readonly tokens: {
    find(hash: string): Promise<StoredToken | undefined>;
    /** Records the use of a token, at most once a minute. */
    noteAccess(tokenId: string, now: number): Promise<void>;
    /** Records a used scope of a token under auto-scoping. */
    noteScope(tokenId: string, scope: Scope): Promise<void>;
    /** Invalidates caches after a call on this engine that may have changed tokens or permissions. */
    changed?(): void;
  };
  readonly clock: Clock;
  readonly log: Log;
}

/** Scope requirement of a route. */
export interface ScopeRequirement {
  /** Undefined: any valid token is accepted. */
  readonly scope: Scope | undefined;
  /** True: any valid token is accepted, and auto-scoping ignores the call. */
  readonly anyScope: boolean;
}

/** Credential of a request. */
export interface Credential {
  readonly header: string | undefined;
  /** Address of the client. */
  readonly ip: string;
}

/** Authenticates callers and authorizes their tokens. */
export interface Authenticator {
  /**
   * @throws ServiceError UNAUTHENTICATED without a usable header, PERMISSION_DENIED for an invalid token,
   * REQUEST_LIMIT_EXCEEDED
   */
  authenticate(credential: Credential): Promise<StoredToken>;
  /**
   * @throws ServiceError PERMISSION_DENIED for an owner who may not use tokens, and for a missing scope; the
   * message names the scope
   */
  authorize(token: StoredToken, requirement: ScopeRequirement): void;
}

/**
 * Creates the authenticator for `Bearer <token>` and `Basic` with the token as the password. Tokens are
 * looked up by hash, which rules out timing attacks on comparisons. Rate limits per token and per address are
 * local to this engine.
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
        // Further failures are not logged: guessing must not flood the log.
        if (count <= maximum + 1)
          log.warn({ ip, tokenId: token?.tokenId, failuresWithinMinute: count }, 'Credential refused.');
        // A revoked or expired token is not a guess; its owner always gets the PERMISSION_DENIED message.
        if (token === undefined && count > maximum)
          throw new ServiceError(
            'REQUEST_LIMIT_EXCEEDED',
            `More than ${maximum} credentials from ${ip} were refused within a minute. Retry in ${secondsLeft} s.`,
            secondsLeft,
          );
        throw new ServiceError('PERMISSION_DENIED', invalidTokenText(token, now));
      }
      const { count, secondsLeft } = calls.increment(token.tokenId, now);
      const maximum = limits.requestsPerSecondPerToken;
      if (count > maximum)
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `The token was used for more than ${maximum} requests within a second. Retry in ${secondsLeft} s.`,
          secondsLeft,
        );
      return token;
    },
    authorize(token, { scope, anyScope }) {
      if (!token.mayUseTokens)
        throw new ServiceError(
          'PERMISSION_DENIED',
          `User ${token.userName} may not use access tokens: an administrator disabled tokens or withheld the permission.`,
        );
      if (scope !== undefined && !anyScope) checkScope(token.scopes, scope);
      recordTokenUse(ports, token, anyScope ? undefined : scope, clock.now());
    },
  };
}

/** Explains an expired or revoked token to the one who has it; says nothing about others. */
function invalidTokenText(token: StoredToken | undefined, now: number): string {
  const dateOf = (time: number): string => toIsoTime(time).slice(0, 10);
  const text = 'Invalid access token.';
  if (token === undefined || !token.active) return text;
  const { revokedTime, expiryTime } = token;
  if (revokedTime !== undefined) return `${text} It was revoked on ${dateOf(revokedTime)}. Create a new one.`;
  if (expiryTime !== undefined && now >= expiryTime)
    return `${text} It expired on ${dateOf(expiryTime)}. Create a new one.`;
  return `${text} It was not used for too long. Create a new one.`;
}

/** Records the use of a token in the background, so that requests do not wait for it. */
function recordTokenUse(
  { tokens, log }: AuthPorts,
  token: StoredToken,
  scope: Scope | undefined,
  now: number,
): void {
  const logFailure = (error: unknown): void => {
    log.warn({ error: messageOf(error), tokenId: token.tokenId }, 'Recording the use of a token failed.');
  };
  if (now - token.lastAccessedTime >= fixedLimits.tokenAccessIntervalMs)
    tokens.noteAccess(token.tokenId, now).catch(logFailure);
  if (scope !== undefined && isNewScope(token, scope))
    tokens.noteScope(token.tokenId, scope).catch(logFailure);
}

/** @throws ServiceError PERMISSION_DENIED with the name of the missing scope */
function checkScope(held: readonly string[], scope: Scope): void {
  if (permitsScope(held, scope)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    `Provided access token does not have required scopes: ${scope}`,
  );
}

/** Returns the token of an Authorization header; undefined without one, and for other schemes. */
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

/** Returns the part after the first colon. The user name before it is ignored. */
function parseBasicPassword(pair: string): string | undefined {
  const colon = pair.indexOf(':');
  return colon < 0 || colon === pair.length - 1 ? undefined : pair.slice(colon + 1);
}
