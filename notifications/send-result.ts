/** Result of sending a message, for the delivery log and the retry decision. */
import type { AttemptOutcome } from '../engine/notification/delivery-retry.ts';
import { fixedLimits } from '../engine/limits.ts';

export interface SendResult {
  readonly outcome: AttemptOutcome;
  readonly status?: number | undefined;
  readonly response?: string | undefined;
  readonly error?: string | undefined;
}

/** Returns the beginning of a response as text that PostgreSQL can store. */
export function toExcerpt(response: string): string {
  return response.slice(0, fixedLimits.responseExcerptCharacters).toWellFormed().replaceAll('\0', '\uFFFD');
}
