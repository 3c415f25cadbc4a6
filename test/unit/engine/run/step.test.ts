/** One step of a run: the change to be written and the progress that follows. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepOf, type StepEvent, type StepFacts, type StepSubject } from '../../../../engine/run/step.ts';
import type { Progress } from '../../../../engine/run/run.ts';
import { isTerminal, resultStates, type LifeCycleState } from '../../../../engine/run/states.ts';
import { allowedStepsFrom } from './allowed-steps.ts';

const none = { startTime: undefined, runningTime: undefined, terminatingTime: undefined, message: '' };
const pending: Progress = { ...none, state: 'PENDING' };
const running: Progress = { ...none, state: 'RUNNING', startTime: 100, runningTime: 200 };
const terminating: Progress = {
  ...none,
  state: 'TERMINATING',
  startTime: 100,
  runningTime: 200,
  terminatingTime: 300,
  result: 'FAILED',
};

function subject(progress: Progress): StepSubject {
  return { kind: 'task', runId: 7, fence: 3, progress };
}

test.each<[string, Progress, StepEvent, number, StepFacts, Progress]>([
  [
    'preparing sets the start time',
    pending,
    'prepare',
    100,
    { message: 'Waiting' },
    { ...pending, startTime: 100, message: 'Waiting' },
  ],
  [
    'beginning without preparing sets the start time',
    pending,
    'begin',
    100,
    {},
    { ...none, state: 'RUNNING', startTime: 100, runningTime: 100 },
  ],
  [
    'beginning keeps an earlier start time',
    { ...pending, startTime: 50 },
    'begin',
    100,
    {},
    { ...none, state: 'RUNNING', startTime: 50, runningTime: 100 },
  ],
  [
    'finishing sets the result and the message',
    running,
    'finish',
    300,
    { result: 'FAILED', message: 'no' },
    { ...terminating, message: 'no' },
  ],
  [
    'cleanup keeps result and message',
    { ...terminating, message: 'no' },
    'clean',
    400,
    {},
    { ...terminating, state: 'TERMINATED', result: 'FAILED', message: 'no', endTime: 400 },
  ],
  [
    'a skipped task has no start',
    pending,
    'skip',
    100,
    { message: 'Upstream' },
    { ...none, state: 'SKIPPED', message: 'Upstream', endTime: 100 },
  ],
  [
    'a service failure before the start has no result',
    pending,
    'break',
    100,
    {},
    { ...none, state: 'INTERNAL_ERROR', startTime: 100, result: undefined, endTime: 100 },
  ],
  [
    'a service failure in the cleanup keeps the result',
    terminating,
    'break',
    400,
    {},
    { ...terminating, state: 'INTERNAL_ERROR', endTime: 400 },
  ],
  [
    'a clock that stepped back does not shorten the preparation',
    { ...pending, startTime: 500 },
    'begin',
    100,
    {},
    { ...none, state: 'RUNNING', startTime: 500, runningTime: 500 },
  ],
  [
    'a clock that stepped back does not set the end before the running time',
    running,
    'break',
    50,
    { result: 'FAILED' },
    { ...running, state: 'INTERNAL_ERROR', result: 'FAILED', endTime: 200 },
  ],
])('%s', (_name, progress, event, now, facts, expected) => {
  expect(stepOf(subject(progress), event, now, facts).progress).toEqual(expected);
});

test('the change contains the row, the fence, and the expected state', () => {
  expect(stepOf(subject(running), 'finish', 300, { result: 'SUCCESS', message: 'done' }).change).toEqual({
    kind: 'task',
    runId: 7,
    fence: 3,
    from: 'RUNNING',
    to: 'TERMINATING',
    at: 300,
    result: 'SUCCESS',
    message: 'done',
    terminatingTime: 300,
  });
});

describe('invalid calls throw', () => {
  test('an event that the state does not allow', () => {
    expect(() => stepOf(subject(running), 'skip', 300)).toThrow(
      'A task in the state RUNNING cannot skip (task 7).',
    );
  });

  test.each([
    [pending, 'finish'],
    [running, 'finish'],
    [{ ...none, state: 'QUEUED' }, 'withdraw'],
  ] as const)('an end without a result: %o, %s', (progress, event) => {
    expect(() => stepOf(subject(progress), event, 300)).toThrow('needs a result');
  });
});

/** Returns the facts that an event requires: an end has a result. */
function factsOf(event: StepEvent, result: StepFacts['result']): StepFacts {
  return event === 'finish' || event === 'withdraw' ? { result: result ?? 'SUCCESS' } : {};
}

const availability: Readonly<Record<LifeCycleState, 'never' | 'always' | 'perhaps'>> = {
  QUEUED: 'never',
  PENDING: 'never',
  RUNNING: 'never',
  SKIPPED: 'never',
  TERMINATING: 'always',
  TERMINATED: 'always',
  INTERNAL_ERROR: 'perhaps',
};

test('the progress is consistent after any allowed sequence of events at any times', () => {
  const choice = fc.record({
    pick: fc.nat(),
    now: fc.integer({ min: 0, max: 1_000 }),
    result: fc.constantFrom(...resultStates),
  });
  fc.assert(
    fc.property(
      fc.constantFrom('QUEUED' as const, 'PENDING' as const),
      fc.array(choice, { maxLength: 12 }),
      (first, choices) => {
        let progress: Progress = { ...none, state: first };
        for (const { pick, now, result } of choices) {
          const before: Progress = progress;
          const possible = allowedStepsFrom(before.state);
          const row = possible[pick % possible.length];
          if (row === undefined) break;
          progress = stepOf(subject(before), row.on, now, factsOf(row.on, result)).progress;
          expect(progress.state).toBe(row.to);
          expectConsistent(progress);
          expectKeptFacts(before, progress);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

function expectConsistent(progress: Progress): void {
  const { state, result, startTime, runningTime, terminatingTime, endTime } = progress;
  expect(endTime !== undefined).toBe(isTerminal(state));
  if (availability[state] !== 'perhaps') expect(result !== undefined).toBe(availability[state] === 'always');
  const times = [startTime, runningTime, terminatingTime, endTime].filter((time) => time !== undefined);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  if (runningTime !== undefined || terminatingTime !== undefined) expect(startTime).toBeDefined();
  if (state === 'RUNNING') expect(runningTime).toBeDefined();
  if (state === 'TERMINATING') expect(terminatingTime).toBeDefined();
}

function expectKeptFacts(before: Progress, after: Progress): void {
  for (const time of ['startTime', 'runningTime', 'terminatingTime'] as const) {
    if (before[time] !== undefined) expect(after[time]).toBe(before[time]);
  }
  if (before.result !== undefined) expect(after.result).toBe(before.result);
}
