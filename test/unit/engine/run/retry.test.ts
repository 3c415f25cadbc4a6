/** Whether an unsuccessful attempt is followed by another one, and when (spec 2.2, 2.3). */
import { describe, expect, test } from 'vitest';
import { decideRetry, type RetryPolicy } from '../../../../engine/run/retry.ts';
import { progressByPhase, type TaskPhase } from './task-states.ts';

const begun = 1_770_000_000_000;
const decide = (policy: RetryPolicy, place: TaskPhase, retries = 0, now = begun + 1_000) =>
  decideRetry(policy, { progress: progressByPhase[place], startTime: begun, retries, runId: 7 }, now);

describe('spec 2.2 max_retries', () => {
  test.each<[string, RetryPolicy, TaskPhase, number, boolean]>([
    ['the default is never', {}, 'failed', 0, false],
    ['0 is never', { max_retries: 0 }, 'failed', 0, false],
    ['a failure', { max_retries: 1 }, 'failed', 0, true],
    ['an internal error', { max_retries: 1 }, 'error', 0, true],
    ['the last retry was made', { max_retries: 1 }, 'failed', 1, false],
    ['the second of two', { max_retries: 2 }, 'failed', 1, true],
    ['-1 never ends', { max_retries: -1 }, 'failed', 100_000, true],
    ['a success', { max_retries: -1 }, 'success', 0, false],
    ['a cancelled run', { max_retries: -1 }, 'canceled', 0, false],
    ['a skipped one', { max_retries: -1 }, 'skipped', 0, false],
    ['a timeout is not retried', { max_retries: -1 }, 'timedout', 0, false],
    ['unless retry_on_timeout says so', { max_retries: 1, retry_on_timeout: true }, 'timedout', 0, true],
    ['retry_on_timeout alone retries nothing', { retry_on_timeout: true }, 'timedout', 0, false],
    ['one that is being cleaned up is not over', { max_retries: 1 }, 'cleaning', 0, false],
  ])('%s', (_name, policy, place, retries, retried) => {
    expect(decide(policy, place, retries) !== undefined).toBe(retried);
  });
});

describe('spec 2.2 min_retry_interval_millis', () => {
  test.each([
    ['the default is at once', {}, begun + 1_000],
    ['it counts from the start of the failed attempt', { min_retry_interval_millis: 60_000 }, begun + 60_000],
    ['an attempt that took longer is retried at once', { min_retry_interval_millis: 500 }, begun + 1_000],
  ])('%s', (_name, policy, dueTime) => {
    expect(decide({ max_retries: 1, ...policy }, 'failed')?.dueTime).toBe(dueTime);
  });
});

test.each([
  [{ max_retries: 3 }, 0, /^Retry 1 of 3 of run 7, which ended as FAILED: .+\.$/],
  [{ max_retries: -1 }, 4, /^Retry 5 of run 7, which ended as FAILED: .+\.$/],
  [{ max_retries: 1, min_retry_interval_millis: 60_000 }, 0, / It starts at 2026-02-02T02:41:00\.000Z\.$/],
])('a retry says which one it is, why, and when it starts: %j', (policy, retries, message) => {
  expect(decide(policy, 'failed', retries)?.message).toMatch(message);
});
