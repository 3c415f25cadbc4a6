/** Timeout updates of active runs (spec 4.1 rules 2 and 3). */
import { describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { applyTimeoutUpdate } from '../../../../engine/job/timeouts.ts';
import { taskBodies, sampleTask } from './sample-settings.ts';

describe('spec 4.1.2, 4.1.3: timeout update of an active run', () => {
  const job = (timeout_seconds?: number, ...tasks: [string, number?][]): JobSettings => ({
    ...(timeout_seconds !== undefined && { timeout_seconds }),
    tasks: tasks.map(([key, seconds]) => ({
      ...sampleTask(key),
      ...(seconds !== undefined && { timeout_seconds: seconds }),
    })),
  });
  const one = (timeout_seconds?: number): JobSettings => ({
    pipeline_task: taskBodies.pipeline_task,
    ...(timeout_seconds !== undefined && { timeout_seconds }),
  });

  test.each<[string, JobSettings, JobSettings, JobSettings | undefined]>([
    ['the timeout of the run changes', job(5, ['a']), job(9, ['a']), job(9, ['a'])],
    ['the timeout of the run is removed', job(5, ['a']), job(undefined, ['a']), job(undefined, ['a'])],
    [
      'the timeout of a task changes by key',
      job(undefined, ['a', 5], ['b']),
      job(undefined, ['b', 7], ['a', 6]),
      job(undefined, ['a', 6], ['b', 7]),
    ],
    [
      'the timeout of a task is removed',
      job(undefined, ['a', 5]),
      job(undefined, ['a']),
      job(undefined, ['a']),
    ],
    [
      'a task removed from the job keeps its timeout',
      job(undefined, ['a', 5], ['b', 5]),
      job(undefined, ['b', 6], ['c', 1]),
      job(undefined, ['a', 5], ['b', 6]),
    ],
    ['equal timeouts are no change', job(5, ['a', 5]), { ...job(5, ['a', 5]), name: 'other' }, undefined],
    ['0 and no timeout are no change', job(0, ['a', 0]), job(undefined, ['a']), undefined],
    ['the timeout of a single-task run changes', one(5), one(6), one(6)],
    ['the timeout of a single-task run is removed', one(5), one(), one()],
    ['the timeout of a single-task run is set to 0', one(5), one(0), one(0)],
    [
      'a single-task run takes the timeout of task main of a job that became multi-task',
      one(5),
      job(undefined, ['main', 7]),
      one(7),
    ],
    ['a single-task run takes the shorter of job and task timeout', one(5), job(6, ['main', 7]), one(6)],
    ['an equal timeout in another field is no change', one(5), job(0, ['main', 5]), undefined],
    [
      'a multi-task run takes the timeout of a job that became single-task',
      job(undefined, ['a', 5]),
      one(6),
      job(6, ['a', 5]),
    ],
  ])('%s', (_name, running, changed, expected) => {
    expect(applyTimeoutUpdate(running, changed)).toEqual(expected);
  });

  test('other settings stay unchanged', () => {
    expect(
      applyTimeoutUpdate(job(5, ['a']), { ...job(6, ['a']), name: 'other', max_concurrent_runs: 7 }),
    ).toEqual(job(6, ['a']));
  });
});
