/**
 * What the limits make of a new run: started, queued, skipped or refused (spec 2.2 max_concurrent_runs, 3.1,
 * 7, 8).
 */
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../engine/errors.ts';
import {
  assertCapacity,
  decideAdmission,
  decideCapacity,
  type CapacityUsage,
} from '../../../../engine/run/admission.ts';
import { statusOf } from '../../../../engine/run/run-status.ts';

test.each([
  ['the first run', 0, 0, 1, false, 'start'],
  ['one below the limit', 2, 0, 3, false, 'start'],
  ['the limit is reached', 1, 0, 1, false, 'skip'],
  ['the limit was lowered below the number of active runs', 5, 0, 2, false, 'skip'],
  ['0 makes every new run skipped', 0, 0, 0, false, 'skip'],
  ['the highest limit', 999, 0, 1000, false, 'start'],
  ['the highest limit is reached', 1000, 0, 1000, false, 'skip'],
  ['with a queue, the first run', 0, 0, 1, true, 'start'],
  ['with a queue, the limit is reached', 1, 0, 1, true, 'queue'],
  ['with a queue, the limit was lowered', 5, 0, 2, true, 'queue'],
  ['limit 0 with a queue skips every new run, because no run could leave the queue', 0, 0, 0, true, 'skip'],
  ['a new run does not overtake a queued run', 0, 1, 3, true, 'queue'],
  ['who may not wait does not overtake when those that wait fill the limit', 1, 1, 2, false, 'skip'],
  ['who may not wait starts where the limit leaves room for those that wait too', 1, 1, 3, false, 'start'],
] as const)(
  '%s: %i active, %i queued, limit %i, may queue %s -> %s',
  (_name, activeRuns, queuedRuns, maxConcurrentRuns, mayQueue, kind) => {
    expect(decideAdmission({ activeRuns, queuedRuns, maxConcurrentRuns, mayQueue }).kind).toBe(kind);
  },
);

test('spec 2.2 max_concurrent_runs: the message of a skipped run has the text that clients expect', () => {
  expect(decideAdmission({ activeRuns: 1, queuedRuns: 0, maxConcurrentRuns: 1, mayQueue: false })).toEqual({
    kind: 'skip',
    message: 'Skipping this run because the limit of 1 maximum concurrent runs has been reached.',
  });
});

const room = (changes: Partial<CapacityUsage>): CapacityUsage => ({
  taskRuns: 0,
  runJobTasks: 0,
  addedTaskRuns: 1,
  addedRunJobTasks: 0,
  hasWaitingRuns: false,
  ...changes,
});
const limits = { concurrentTaskRuns: 10, concurrentRunJobTasks: 2 };

describe('spec 3.1 QUEUED: capacity of the workspace', () => {
  test.each([
    ['an empty workspace', {}, 'start', undefined],
    ['the last place', { taskRuns: 9 }, 'start', undefined],
    ['no place left', { taskRuns: 10 }, 'queue', 'ACTIVE_RUNS_LIMIT_REACHED'],
    ['more tasks than places', { taskRuns: 8, addedTaskRuns: 3 }, 'queue', 'ACTIVE_RUNS_LIMIT_REACHED'],
    ['room, but another run waits for it', { hasWaitingRuns: true }, 'queue', 'ACTIVE_RUNS_LIMIT_REACHED'],
    ['the last run_job_task', { runJobTasks: 1, addedRunJobTasks: 1 }, 'start', undefined],
    [
      'too many run_job_tasks',
      { runJobTasks: 2, addedRunJobTasks: 1 },
      'queue',
      'ACTIVE_RUN_JOB_TASKS_LIMIT_REACHED',
    ],
    ['too many run_job_tasks are nothing to a run without one', { runJobTasks: 5 }, 'start', undefined],
  ] as const)('%s', (_name, facts, kind, code) => {
    const decision = decideCapacity(room(facts), limits);
    expect(decision).toMatchObject(code === undefined ? { kind } : { kind, code });
    if (decision.kind === 'start') return;
    // The newer status reads the reason from the message.
    const progress = {
      state: 'QUEUED' as const,
      startTime: 1,
      runningTime: undefined,
      terminatingTime: undefined,
      message: decision.message,
    };
    expect(statusOf(progress).queue_details?.code).toBe(code);
  });

  test('the reason of a job at its limit is also derived from the message', () => {
    const queued = decideAdmission({ activeRuns: 3, queuedRuns: 0, maxConcurrentRuns: 3, mayQueue: true });
    expect(queued).toMatchObject({ kind: 'queue', code: 'MAX_CONCURRENT_RUNS_REACHED' });
    const message = queued.kind === 'start' ? '' : queued.message;
    expect(
      statusOf({ state: 'QUEUED', startTime: 1, runningTime: undefined, terminatingTime: undefined, message })
        .queue_details?.code,
    ).toBe('MAX_CONCURRENT_RUNS_REACHED');
  });

  test.each([
    [
      'a run without a queue is refused',
      room({ taskRuns: 10 }),
      false,
      'There are already 10 active runs (limit: 10).',
    ],
    [
      'a refusal names the number of added task runs',
      room({ taskRuns: 8, addedTaskRuns: 3 }),
      false,
      'There are already 8 active runs (limit: 10). This run would add 3.',
    ],
    [
      'a run larger than the limit is refused although it may queue',
      room({ addedTaskRuns: 11 }),
      true,
      'This run has 11 tasks that can be active at the same time; the workspace allows 10.',
    ],
    [
      'more run_job_tasks than the limit are refused likewise',
      room({ addedTaskRuns: 3, addedRunJobTasks: 3 }),
      true,
      'This run has 3 tasks of the kind run_job_task that can be active at the same time; the workspace allows 2.',
    ],
    [
      'run_job_tasks have the same rule',
      room({ runJobTasks: 2, addedRunJobTasks: 1 }),
      false,
      'There are already 2 active tasks of the kind run_job_task (limit: 2).',
    ],
    ['who may wait is not refused', room({ taskRuns: 10 }), true, undefined],
    ['nor is who passes by those that wait', room({ taskRuns: 9, hasWaitingRuns: true }), false, undefined],
  ] as const)('%s', (_name, facts, mayQueue, message) => {
    let refused: unknown;
    try {
      assertCapacity(facts, limits, mayQueue);
    } catch (error) {
      refused = error;
    }
    const text = refused instanceof ServiceError ? refused.message : '';
    // The advice to wait or queue follows.
    expect(text.startsWith(message ?? '') && (text === '') === (message === undefined)).toBe(true);
  });

  test('the refusal says what counts and when to retry', () => {
    expect(() => assertCapacity(room({ taskRuns: 10 }), limits, false)).toThrow(
      /The active task runs of all jobs count\. Retry in \d+ s, or set queue\.enabled\.$/,
    );
  });

  test.each([
    ['a run that never fits is over a quota', room({ addedTaskRuns: 11 }), 'QUOTA_EXCEEDED', undefined],
    ['a run that fits later', room({ taskRuns: 10 }), 'REQUEST_LIMIT_EXCEEDED', expect.any(Number)],
  ] as const)('%s is refused with %s', (_name, facts, code, retryAfterSeconds) => {
    expect(() => assertCapacity(facts, limits, false)).toThrow(
      expect.objectContaining({ code, retryAfterSeconds }),
    );
  });
});
