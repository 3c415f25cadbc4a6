/** What of a token is drawn at random: its value, and the id that says nothing of the value. */
import { randomBytes } from 'node:crypto';

/** The value of a new token; whoever searches files for secrets knows it by its beginning. */
export function generateTokenValue(): string {
  return `runyard_${randomBytes(20).toString('hex')}`;
}

/** 64 hex digits of its own, not derived from the value. */
export function generateTokenId(): string {
  return randomBytes(32).toString('hex');
}
