/** What a stop of the run does to its tasks. */
import { describe, expect, test } from 'vitest';
import { rollUp } from '../../../../engine/run/roll-up.ts';
import type { Stop } from '../../../../engine/run/explain/failure.ts';
import { createTaskState as task } from './task-states.ts';

describe('a stop', () => {
  const ofParent = 'Run cancelled by its parent: task load of run 7 timed out';

  test.each<[Stop, 'skip' | 'exclude', string]>([
    [
      { reason: 'cancel', by: { user: 'ada@example.org' } },
      'exclude',
      'Run cancelled by user ada@example.org',
    ],
    [{ reason: 'cancel', by: { text: ofParent } }, 'exclude', ofParent],
    [
      { reason: 'timeout', limit: { owner: 'job nightly', seconds: 3 } },
      'skip',
      'Run timed out: job nightly reached its timeout_seconds of 3',
    ],
  ])('%j: %s of the waiting tasks; started tasks continue: %s', (stop, event, message) => {
    const tasks = [
      task('a', 'running'),
      task('b', 'started'),
      task('c', 'waiting'),
      task('d', 'waiting', 'a'),
    ];
    expect(rollUp(tasks, stop)).toMatchObject({
      start: [],
      skip: [
        { key: 'c', event, message: expect.stringContaining(`${message}. Task c had not started. `) },
        { key: 'd', event, message: expect.stringContaining(`${message}. Task d had not started. `) },
      ],
    });
  });
});
