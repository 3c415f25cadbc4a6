/** Personal access tokens, stored by hash (spec 2.11, 5). */
import { createHash } from 'node:crypto';
import type { AutoscopeState } from './autoscope.ts';
import { fixedLimits } from '../limits.ts';

/** A stored token and its owner. The value of a token is not stored. */
export interface StoredToken {
  readonly tokenId: string;
  /** Id of the owner. */
  readonly principalId: number;
  readonly userName: string;
  readonly admin: boolean;
  /** False when the owner was deactivated, which invalidates all tokens of the owner. */
  readonly active: boolean;
  /**
   * False while tokens are disabled for the workspace or the owner lacks the permission to use tokens; always
   * true for administrators.
   */
  readonly mayUseTokens: boolean;
  readonly scopes: readonly string[];
  /** Name that its owner gave it; '' for none. */
  readonly comment?: string;
  readonly autoscopeState: AutoscopeState;
  /** Scopes of the operations called under observation. */
  readonly inferredScopes: readonly string[];
  /** Epoch ms, like all times of a token. */
  readonly createdTime: number;
  /** Undefined: the token does not expire. */
  readonly expiryTime: number | undefined;
  readonly revokedTime: number | undefined;
  /** 0: never used. */
  readonly lastAccessedTime: number;
}

/** A token as its owner sees it. */
export interface Token {
  readonly tokenId: string;
  readonly comment: string;
  readonly scopes: readonly string[];
  readonly autoscopeState: AutoscopeState;
  readonly inferredScopes: readonly string[];
  /** Epoch ms, like all times of a token. */
  readonly createdTime: number;
  /** Undefined: the token does not expire. */
  readonly expiryTime: number | undefined;
  /** 0: never used. */
  readonly lastAccessedTime: number;
}

/** A token as administrators see it. */
export interface OwnedToken extends Token {
  readonly ownerId: number;
  readonly ownerName: string;
  /** Owner of the token that created it; undefined when there is none or that person was removed. */
  readonly createdBy: { readonly id: number; readonly userName: string } | undefined;
}

/** Input for a stored token. */
export interface NewToken extends Omit<Token, 'tokenId' | 'lastAccessedTime' | 'inferredScopes'> {
  /** Id of the owner. */
  readonly principalId: number;
  /** Id of the person whose token created it. */
  readonly createdBy: number;
  /** SHA-256 of the value. */
  readonly hash: string;
}

/** Changed fields of a token. */
export type TokenChange = Partial<Pick<Token, 'comment' | 'scopes'>>;

/** Returns the key of a stored token: the SHA-256 of its value in hex. */
export function hashToken(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Tells whether a text has the form of a token id, or of the SHA-256 that replaces it in paths. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Tells whether a token authenticates a request at `now` (epoch ms): the owner is active, and the token is
 * not revoked, expired or unused for too long.
 */
export function isTokenValid(token: StoredToken, now: number): boolean {
  const { active, revokedTime, expiryTime, createdTime, lastAccessedTime } = token;
  return (
    active &&
    revokedTime === undefined &&
    (expiryTime === undefined || now < expiryTime) &&
    now < Math.max(createdTime, lastAccessedTime) + fixedLimits.unusedTokenLifetimeMs
  );
}
