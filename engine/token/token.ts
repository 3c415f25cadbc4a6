/** Personal access tokens as the service knows them: by hash, with an owner, scopes and an end (spec 2.11, 5). */
import { createHash } from 'node:crypto';

/** A stored token together with its owner. The value itself is stored nowhere. */
export interface KnownToken {
  readonly tokenId: string;
  /** Id of the owner. */
  readonly principalId: number;
  readonly userName: string;
  readonly admin: boolean;
  /** False once the owner was switched off: none of their tokens counts then. */
  readonly active: boolean;
  readonly scopes: readonly string[];
  /** Epoch ms; undefined without end. */
  readonly expiryTime: number | undefined;
  readonly revokedTime: number | undefined;
  /** Epoch ms; 0 when never used. */
  readonly lastAccessedTime: number;
}

/** A personal access token as its owner may see it. */
export interface Token {
  readonly tokenId: string;
  readonly comment: string;
  readonly scopes: readonly string[];
  /** Epoch ms, like all its times. */
  readonly createdTime: number;
  /** Undefined without end. */
  readonly expiryTime: number | undefined;
  /** 0 when never used. */
  readonly lastAccessedTime: number;
}

/** A token to be stored. */
export interface NewToken extends Omit<Token, 'tokenId' | 'lastAccessedTime'> {
  /** Id of the owner. */
  readonly principalId: number;
  /** The sha-256 of its value. */
  readonly hash: string;
}

/** What of a token is to be other than before. */
export type TokenChange = Partial<Pick<Token, 'comment' | 'scopes'>>;

/** The last access of a token is noted no more often than this (ms). */
export const accessGrain = 60_000;

/** The scope that permits every operation. */
export const allApis = 'all-apis';

/** The key under which a token is stored: the sha-256 of its value in hex. */
export function tokenHash(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Whether a text can be the id of a token, or the sha-256 of one, which stands for it in paths. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether a token authenticates a call at `now` (epoch ms): not revoked, not expired, and its owner active. */
export function isValid(token: KnownToken, now: number): boolean {
  return token.active && token.revokedTime === undefined && (token.expiryTime === undefined || now < token.expiryTime);
}

/** Whether a token's scopes permit an operation of this scope (spec 5 rule 6). */
export function permits(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(allApis) || scopes.includes(scope);
}
