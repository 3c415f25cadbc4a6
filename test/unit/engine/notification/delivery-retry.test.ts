/** Retry policy of deliveries: exponential backoff with jitter for 24 hours, and Retry-After. */
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  decideNextAttempt,
  type AttemptContext,
  type AttemptOutcome,
} from '../../../../engine/notification/delivery-retry.ts';
import { fixedLimits } from '../../../../engine/limits.ts';

const hour = 3_600_000;
const facts: AttemptContext = { attempts: 1, roundStartTime: 0, now: 1_000, random: 0, baseMs: 2_000 };
const again: AttemptOutcome = { kind: 'again' };

test.each<[string, AttemptOutcome, Partial<AttemptContext>, unknown]>([
  ['a delivered message is delivered', { kind: 'delivered' }, {}, { state: 'delivered' }],
  [
    'a message delivered after the deadline is delivered',
    { kind: 'delivered' },
    { now: fixedLimits.deliveryPeriodMs + 5 },
    { state: 'delivered' },
  ],
  ['a permanent failure fails the delivery', { kind: 'refused' }, {}, { state: 'failed' }],
  [
    'the first wait is at least half of the base wait',
    again,
    {},
    { state: 'pending', nextAttemptTime: 2_000 },
  ],
  [
    'the first wait is at most the base wait',
    again,
    { random: 0.9999 },
    { state: 'pending', nextAttemptTime: 3_000 },
  ],
  [
    'the fourth wait is eight times as long',
    again,
    { attempts: 4 },
    { state: 'pending', nextAttemptTime: 9_000 },
  ],
  [
    'no wait is longer than an hour',
    again,
    { attempts: 40, random: 0.9999999999 },
    { state: 'pending', nextAttemptTime: 1_000 + hour },
  ],
  [
    'Retry-After is honoured',
    { kind: 'again', retryAfterMs: 10_000 },
    {},
    { state: 'pending', nextAttemptTime: 11_000 },
  ],
  [
    'a short Retry-After does not shorten the wait',
    { kind: 'again', retryAfterMs: 0 },
    {},
    { state: 'pending', nextAttemptTime: 2_000 },
  ],
  [
    'a Retry-After beyond the 24 hours leads to one last attempt at the deadline',
    { kind: 'again', retryAfterMs: 100 * hour },
    {},
    { state: 'pending', nextAttemptTime: fixedLimits.deliveryPeriodMs },
  ],
  [
    'a failed attempt after 24 hours fails the delivery',
    again,
    { now: fixedLimits.deliveryPeriodMs },
    { state: 'failed' },
  ],
])('%s', (_name, outcome, changes, expected) => {
  expect(decideNextAttempt(outcome, { ...facts, ...changes })).toEqual(expected);
});

describe('for any sequence of failures', () => {
  test('the next attempt lies in the future and within 24 hours, and the attempts end', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            random: fc.double({ min: 0, max: 0.999, noNaN: true }),
            retryAfterMs: fc.integer({ min: 0, max: 10 * hour }),
            durationMs: fc.integer({ min: 0, max: 10_000 }),
          }),
          { minLength: 1 },
        ),
        (steps) => {
          let now = 0;
          for (let attempts = 1; ; attempts += 1) {
            const { random, retryAfterMs, durationMs } = steps[attempts % steps.length] ?? {
              random: 0,
              retryAfterMs: 0,
              durationMs: 0,
            };
            now += durationMs;
            const after = decideNextAttempt(
              { kind: 'again', retryAfterMs },
              { attempts, roundStartTime: 0, now, random, baseMs: 2_000 },
            );
            if (after.state !== 'pending')
              return after.state === 'failed' && now >= fixedLimits.deliveryPeriodMs && attempts < 100;
            if (after.nextAttemptTime <= now || after.nextAttemptTime > fixedLimits.deliveryPeriodMs)
              return false;
            now = after.nextAttemptTime;
          }
        },
      ),
    );
  });
});
