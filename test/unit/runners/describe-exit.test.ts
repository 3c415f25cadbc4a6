/** How the end of a process is said and what it means for its task. */
import { describe, expect, test } from 'vitest';
import type { Exit, TaskOutcome } from '../../../runners/contract.ts';
import { describeExit, outcomeOf } from '../../../runners/process/describe-exit.ts';

describe('an exit code in words', () => {
  test.each<[number, string]>([
    [1, 'exit code 1'],
    [128, 'exit code 128'],
    [137, 'exit code 137 (killed by signal 9, SIGKILL)'],
    [143, 'exit code 143 (killed by signal 15, SIGTERM)'],
    [255, 'exit code 255'],
  ])('%i is "%s"', (code, words) => {
    expect(describeExit(code)).toBe(words);
  });
});

describe('the outcome of a task', () => {
  test.each<[string, Exit, TaskOutcome]>([
    ['exit code 0 is a success', { kind: 'exited', code: 0 }, { kind: 'succeeded' }],
    [
      'any other code is a failure of the task',
      { kind: 'exited', code: 3 },
      { kind: 'failed', message: 'it failed' },
    ],
    ['a stopped process is a stopped task', { kind: 'stopped' }, { kind: 'stopped' }],
    [
      'a flooded log fails the task',
      { kind: 'flooded', message: 'too much' },
      { kind: 'failed', message: 'too much' },
    ],
    [
      'a lost process is no fault of the task',
      { kind: 'lost', message: 'gone' },
      { kind: 'lost', message: 'gone' },
    ],
  ])('%s', (_fact, exit, outcome) => {
    expect(outcomeOf(exit, 'it failed')).toEqual(outcome);
  });
});
