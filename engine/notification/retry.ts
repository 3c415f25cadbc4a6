/**
 * What follows from one try to deliver: it is delivered, it failed for good, or it is tried again, and when.
 */

/** What a try came to. */
export type TryOutcome =
  | { readonly kind: 'delivered' }
  /** `retryAfterMs`: how long the receiver asked to be left alone. */
  | { readonly kind: 'again'; readonly retryAfterMs?: number | undefined }
  /** Trying again would change nothing. */
  | { readonly kind: 'refused' };

export interface TryFacts {
  /** Tries of this round, this one among them. */
  readonly tries: number;
  /** When the first try of this round began, epoch ms. */
  readonly roundStartTime: number;
  readonly now: number;
  /** From 0 to below 1: spreads the tries of many deliveries. */
  readonly random: number;
  /** Wait after the first failed try, in ms; doubles with each. */
  readonly baseMs: number;
}

export type AfterTry =
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly nextAttemptTime: number };

const hour = 60 * 60 * 1_000;

/** How long a delivery is tried. */
export const tryForMs = 24 * hour;

/** The wait between two tries never grows beyond this. */
const longestWaitMs = hour;

/**
 * Half of a wait is fixed, half of it random. What the receiver asks for is honoured, as far as the 24 hours
 * reach.
 */
export function decideAfterTry(
  outcome: TryOutcome,
  { tries, roundStartTime, now, random, baseMs }: TryFacts,
): AfterTry {
  if (outcome.kind === 'delivered') return { state: 'delivered' };
  const deadline = roundStartTime + tryForMs;
  if (outcome.kind === 'refused' || now >= deadline) return { state: 'failed' };
  const wait = Math.min(longestWaitMs, baseMs * 2 ** Math.min(tries - 1, 30));
  const asked = Math.max(outcome.retryAfterMs ?? 0, wait / 2 + (wait / 2) * random);
  // The last try comes at the end of the time, whatever was asked for.
  return { state: 'pending', nextAttemptTime: Math.round(Math.min(now + asked, deadline)) };
}
