/**
 * Personal access tokens as the service knows them: by hash, with an owner, scopes and an end (spec 2.11, 5).
 */
import { createHash } from 'node:crypto';
import type { AutoscopeState } from './autoscope.ts';
import { fixedLimits } from '../limits.ts';

/** A stored token together with its owner. The value itself is stored nowhere. */
export interface StoredToken {
  readonly tokenId: string;
  /** Id of the owner. */
  readonly principalId: number;
  readonly userName: string;
  readonly admin: boolean;
  /** False once the owner was switched off: none of their tokens counts then. */
  readonly active: boolean;
  /**
   * False while tokens are disabled for the workspace, or the owner was not given the permission to use any;
   * always true for administrators.
   */
  readonly mayUseTokens: boolean;
  readonly scopes: readonly string[];
  readonly autoscopeState: AutoscopeState;
  /** Scopes of the operations that it called while it is observed. */
  readonly inferredScopes: readonly string[];
  /** Epoch ms, like all its times. */
  readonly createdTime: number;
  /** Undefined without end. */
  readonly expiryTime: number | undefined;
  readonly revokedTime: number | undefined;
  /** 0 when never used. */
  readonly lastAccessedTime: number;
}

/** A personal access token as its owner may see it. */
export interface Token {
  readonly tokenId: string;
  readonly comment: string;
  readonly scopes: readonly string[];
  readonly autoscopeState: AutoscopeState;
  readonly inferredScopes: readonly string[];
  /** Epoch ms, like all its times. */
  readonly createdTime: number;
  /** Undefined without end. */
  readonly expiryTime: number | undefined;
  /** 0 when never used. */
  readonly lastAccessedTime: number;
}

/** A token as administrators see it. */
export interface OwnedToken extends Token {
  readonly ownerId: number;
  readonly ownerName: string;
  /** Whose token made it; undefined when nobody's did or they are gone. */
  readonly createdBy: { readonly id: number; readonly userName: string } | undefined;
}

/** A token to be stored. */
export interface NewToken extends Omit<Token, 'tokenId' | 'lastAccessedTime' | 'inferredScopes'> {
  /** Id of the owner. */
  readonly principalId: number;
  /** Id of the one whose token made it. */
  readonly createdBy: number;
  /** The sha-256 of its value. */
  readonly hash: string;
}

/** What of a token is to be other than before. */
export type TokenChange = Partial<Pick<Token, 'comment' | 'scopes'>>;

/** The key under which a token is stored: the sha-256 of its value in hex. */
export function hashToken(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Whether a text can be the id of a token, or the sha-256 of one, which stands for it in paths. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Whether a token authenticates a call at `now` (epoch ms): its owner active, and itself neither revoked, nor
 * expired, nor unused for so long that it is to be revoked.
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
