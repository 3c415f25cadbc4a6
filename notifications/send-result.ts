/** What a try to send came to, for the log and for what follows. */
import type { AttemptOutcome } from '../engine/notification/delivery-retry.ts';
import { fixedLimits } from '../engine/limits.ts';

export interface SendResult {
  readonly outcome: AttemptOutcome;
  readonly status?: number | undefined;
  readonly answer?: string | undefined;
  readonly error?: string | undefined;
}

/** The beginning of an answer as text that can be stored. */
export function toExcerpt(answer: string): string {
  return answer.slice(0, fixedLimits.responseExcerptCharacters).toWellFormed().replaceAll('\0', '\uFFFD');
}
