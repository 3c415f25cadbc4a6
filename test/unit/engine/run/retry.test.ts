/** Retry policy: whether and when another attempt follows (spec 2.2, 2.3). */
import { describe, expect, test } from 'vitest';
import { decideRetry, type RetryPolicy } from '../../../../engine/run/retry.ts';
import { progressByPhase, type TaskPhase } from './task-states.ts';

const startTime = 1_770_000_000_000;
const decide = (policy: RetryPolicy, phase: TaskPhase, retries = 0, now = startTime + 1_000) =>
  decideRetry(policy, { progress: progressByPhase[phase], startTime, retries, runId: 7 }, now);

describe('spec 2.2 max_retries', () => {
  test.each<[string, RetryPolicy, TaskPhase, number, boolean]>([
    ['the default never retries', {}, 'failed', 0, false],
    ['0 never retries', { max_retries: 0 }, 'failed', 0, false],
    ['a failure is retried', { max_retries: 1 }, 'failed', 0, true],
    ['an internal error is retried', { max_retries: 1 }, 'error', 0, true],
    ['a failure after the last retry is not retried', { max_retries: 1 }, 'failed', 1, false],
    ['the second of two retries follows', { max_retries: 2 }, 'failed', 1, true],
    ['-1 retries without limit', { max_retries: -1 }, 'failed', 100_000, true],
    ['a success is not retried', { max_retries: -1 }, 'success', 0, false],
    ['a cancelled run is not retried', { max_retries: -1 }, 'canceled', 0, false],
    ['a skipped run is not retried', { max_retries: -1 }, 'skipped', 0, false],
    ['a timeout is not retried', { max_retries: -1 }, 'timedout', 0, false],
    [
      'a timeout with retry_on_timeout is retried',
      { max_retries: 1, retry_on_timeout: true },
      'timedout',
      0,
      true,
    ],
    ['retry_on_timeout alone retries nothing', { retry_on_timeout: true }, 'timedout', 0, false],
    ['an attempt in its cleanup is not retried', { max_retries: 1 }, 'cleaning', 0, false],
  ])('%s', (_name, policy, phase, retries, retried) => {
    expect(decide(policy, phase, retries) !== undefined).toBe(retried);
  });
});

describe('spec 2.2 min_retry_interval_millis', () => {
  test.each([
    ['the default retries at once', {}, startTime + 1_000],
    [
      'the interval counts from the start of the failed attempt',
      { min_retry_interval_millis: 60_000 },
      startTime + 60_000,
    ],
    [
      'an attempt that took longer than the interval is retried at once',
      { min_retry_interval_millis: 500 },
      startTime + 1_000,
    ],
  ])('%s', (_name, policy, dueTime) => {
    expect(decide({ max_retries: 1, ...policy }, 'failed')?.dueTime).toBe(dueTime);
  });
});

test.each([
  [{ max_retries: 3 }, 0, /^Retry 1 of 3 of run 7, which ended as FAILED: .+\.$/],
  [{ max_retries: -1 }, 4, /^Retry 5 of run 7, which ended as FAILED: .+\.$/],
  [{ max_retries: 1, min_retry_interval_millis: 60_000 }, 0, / It starts at 2026-02-02T02:41:00\.000Z\.$/],
])('the message of a retry contains its number, its reason and its start: %j', (policy, retries, message) => {
  expect(decide(policy, 'failed', retries)?.message).toMatch(message);
});
