/** Generation of token values and token ids. */
import { randomBytes } from 'node:crypto';

/** Generates a token value. Secret scanners recognize its prefix. */
export function generateTokenValue(): string {
  return `runyard_${randomBytes(20).toString('hex')}`;
}

/** Generates a token id: 64 random hex digits, not derived from the value. */
export function generateTokenId(): string {
  return randomBytes(32).toString('hex');
}
