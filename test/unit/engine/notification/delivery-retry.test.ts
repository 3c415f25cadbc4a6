/**
 * When a delivery is tried again: doubling waits with jitter, for 24 hours, and what the receiver asks for.
 */
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
  ['delivered', { kind: 'delivered' }, {}, { state: 'delivered' }],
  [
    'delivered at the very end',
    { kind: 'delivered' },
    { now: fixedLimits.deliveryPeriodMs + 5 },
    { state: 'delivered' },
  ],
  ['refused', { kind: 'refused' }, {}, { state: 'failed' }],
  ['the first wait is at least half of the base', again, {}, { state: 'pending', nextAttemptTime: 2_000 }],
  ['and at most all of it', again, { random: 0.9999 }, { state: 'pending', nextAttemptTime: 3_000 }],
  ['the fourth is eight times as long', again, { attempts: 4 }, { state: 'pending', nextAttemptTime: 9_000 }],
  [
    'none is longer than an hour',
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
    'a short Retry-After does not hurry',
    { kind: 'again', retryAfterMs: 0 },
    {},
    { state: 'pending', nextAttemptTime: 2_000 },
  ],
  [
    'a Retry-After beyond the 24 hours leaves one last try',
    { kind: 'again', retryAfterMs: 100 * hour },
    {},
    { state: 'pending', nextAttemptTime: fixedLimits.deliveryPeriodMs },
  ],
  ['after the 24 hours it has failed', again, { now: fixedLimits.deliveryPeriodMs }, { state: 'failed' }],
])('%s', (_name, outcome, changes, expected) => {
  expect(decideNextAttempt(outcome, { ...facts, ...changes })).toEqual(expected);
});

describe('whatever happens', () => {
  test('the next try lies ahead and within the 24 hours, and the tries come to an end', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            random: fc.double({ min: 0, max: 0.999, noNaN: true }),
            asked: fc.integer({ min: 0, max: 10 * hour }),
            took: fc.integer({ min: 0, max: 10_000 }),
          }),
          { minLength: 1 },
        ),
        (steps) => {
          let now = 0;
          for (let tries = 1; ; tries += 1) {
            const { random, asked, took } = steps[tries % steps.length] ?? { random: 0, asked: 0, took: 0 };
            now += took;
            const after = decideNextAttempt(
              { kind: 'again', retryAfterMs: asked },
              { attempts: tries, roundStartTime: 0, now, random, baseMs: 2_000 },
            );
            if (after.state !== 'pending')
              return after.state === 'failed' && now >= fixedLimits.deliveryPeriodMs && tries < 100;
            if (after.nextAttemptTime <= now || after.nextAttemptTime > fixedLimits.deliveryPeriodMs)
              return false;
            now = after.nextAttemptTime;
          }
        },
      ),
    );
  });
});
