/** Retry policy of deliveries. */
import { fixedLimits } from '../limits.ts';

/** Outcome of a delivery attempt. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  /** Retry. `retryAfterMs`: minimum wait requested by the receiver. */
  | { readonly kind: 'again'; readonly retryAfterMs?: number | undefined }
  /** Permanent failure. */
  | { readonly kind: 'refused' };

export interface AttemptContext {
  /** Attempts of this round, including this one. */
  readonly attempts: number;
  /** Start of the first attempt of this round, epoch ms. */
  readonly roundStartTime: number;
  readonly now: number;
  /** Jitter, from 0 to below 1. */
  readonly random: number;
  /** Wait after the first failed attempt, ms; doubles with each attempt. */
  readonly baseMs: number;
}

export type AttemptDecision =
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly nextAttemptTime: number };

/**
 * Decides the next attempt: exponential backoff, half of it jitter. A Retry-After of the receiver is honoured
 * within the 24 hours.
 */
export function decideNextAttempt(
  outcome: AttemptOutcome,
  { attempts, roundStartTime, now, random, baseMs }: AttemptContext,
): AttemptDecision {
  if (outcome.kind === 'delivered') return { state: 'delivered' };
  const deadline = roundStartTime + fixedLimits.deliveryPeriodMs;
  if (outcome.kind === 'refused' || now >= deadline) return { state: 'failed' };
  const wait = Math.min(fixedLimits.deliveryBackoffMs, baseMs * 2 ** Math.min(attempts - 1, 30));
  const delay = Math.max(outcome.retryAfterMs ?? 0, wait / 2 + (wait / 2) * random);
  // The last attempt is made at the deadline.
  return { state: 'pending', nextAttemptTime: Math.round(Math.min(now + delay, deadline)) };
}
