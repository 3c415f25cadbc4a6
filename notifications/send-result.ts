/** What a try to send came to, for the log and for what follows. */
import type { AttemptOutcome } from '../engine/notification/delivery-retry.ts';

export interface SendResult {
  readonly outcome: AttemptOutcome;
  readonly status?: number | undefined;
  readonly answer?: string | undefined;
  readonly error?: string | undefined;
}

/** What the log keeps of an answer, in characters. */
const excerptCharsMax = 1_000;

/** The beginning of an answer as text that can be stored. */
export function toExcerpt(answer: string): string {
  return answer.slice(0, excerptCharsMax).toWellFormed().replaceAll('\0', '\uFFFD');
}
