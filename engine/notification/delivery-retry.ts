/**
 * What follows from one try to deliver: it is delivered, it failed for good, or it is tried again, and when.
 */
import { fixedLimits } from '../limits.ts';

/** What a try came to. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  /** `retryAfterMs`: how long the receiver asked to be left alone. */
  | { readonly kind: 'again'; readonly retryAfterMs?: number | undefined }
  /** Trying again would change nothing. */
  | { readonly kind: 'refused' };

export interface AttemptContext {
  /** Tries of this round, this one among them. */
  readonly attempts: number;
  /** When the first try of this round began, epoch ms. */
  readonly roundStartTime: number;
  readonly now: number;
  /** From 0 to below 1: spreads the tries of many deliveries. */
  readonly random: number;
  /** Wait after the first failed try, in ms; doubles with each. */
  readonly baseMs: number;
}

export type AttemptDecision =
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly nextAttemptTime: number };

/**
 * Half of a wait is fixed, half of it random. What the receiver asks for is honoured, as far as the 24 hours
 * reach.
 */
export function decideNextAttempt(
  outcome: AttemptOutcome,
  { attempts, roundStartTime, now, random, baseMs }: AttemptContext,
): AttemptDecision {
  if (outcome.kind === 'delivered') return { state: 'delivered' };
  const deadline = roundStartTime + fixedLimits.deliveryPeriodMs;
  if (outcome.kind === 'refused' || now >= deadline) return { state: 'failed' };
  const wait = Math.min(fixedLimits.deliveryBackoffMs, baseMs * 2 ** Math.min(attempts - 1, 30));
  const asked = Math.max(outcome.retryAfterMs ?? 0, wait / 2 + (wait / 2) * random);
  // The last try comes at the end of the time, whatever was asked for.
  return { state: 'pending', nextAttemptTime: Math.round(Math.min(now + asked, deadline)) };
}
