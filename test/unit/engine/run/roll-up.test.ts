/** Which tasks of a run start, which are skipped, and how it ends: tables of cases. */
import { describe, expect, test } from 'vitest';
import { rollUp, type RunCondition, type TaskState } from '../../../../engine/run/roll-up.ts';
import type { StopReason } from '../../../../engine/run/states.ts';
import { stopFor } from '../../../harness/run-stops.ts';
import { createTaskState as task, type TaskPhase } from './task-states.ts';

/** What becomes of a waiting task after dependencies with these ends. */
function verdict(runIf: RunCondition, ends: readonly TaskPhase[]): 'start' | 'skip' | 'wait' {
  const dependencies = ends.map((end, index) => task(`d${index}`, end));
  const { start, skip } = rollUp(
    [...dependencies, task('x', 'waiting', dependencies.map(({ key }) => key).join(' '), runIf)],
    undefined,
  );
  if (start.includes('x')) return 'start';
  return skip.some(({ key }) => key === 'x') ? 'skip' : 'wait';
}

describe('run_if', () => {
  test.each<[RunCondition, readonly TaskPhase[], 'start' | 'skip']>([
    ['ALL_SUCCESS', ['success', 'success'], 'start'],
    ['ALL_SUCCESS', ['success', 'failed'], 'skip'],
    ['ALL_SUCCESS', ['success', 'timedout'], 'skip'],
    ['ALL_SUCCESS', ['success', 'canceled'], 'skip'],
    ['ALL_SUCCESS', ['success', 'error'], 'skip'],
    ['ALL_SUCCESS', ['success', 'skipped'], 'skip'],
    ['AT_LEAST_ONE_SUCCESS', ['failed', 'success'], 'start'],
    ['AT_LEAST_ONE_SUCCESS', ['failed', 'error'], 'skip'],
    ['NONE_FAILED', ['success', 'success'], 'start'],
    ['NONE_FAILED', ['success', 'failed'], 'skip'],
    ['NONE_FAILED', ['failed', 'failed'], 'skip'],
    ['ALL_DONE', ['failed', 'timedout'], 'start'],
    ['ALL_DONE', ['skipped', 'success'], 'start'],
    ['AT_LEAST_ONE_FAILED', ['success', 'failed'], 'start'],
    ['AT_LEAST_ONE_FAILED', ['success', 'timedout'], 'start'],
    ['AT_LEAST_ONE_FAILED', ['success', 'error'], 'start'],
    ['AT_LEAST_ONE_FAILED', ['success', 'success'], 'skip'],
    ['ALL_FAILED', ['failed', 'canceled'], 'start'],
    ['ALL_FAILED', ['failed', 'success'], 'skip'],
  ])('%s after %j: %s', (runIf, ends, expected) => {
    expect(verdict(runIf, ends)).toBe(expected);
  });

  test.each<[RunCondition, TaskPhase]>([
    ['ALL_SUCCESS', 'running'],
    ['AT_LEAST_ONE_SUCCESS', 'running'],
    ['AT_LEAST_ONE_FAILED', 'running'],
    ['ALL_SUCCESS', 'cleaning'],
    ['ALL_DONE', 'started'],
    ['NONE_FAILED', 'waiting'],
    ['ALL_FAILED', 'running'],
  ])('%s waits for all dependencies, also when the first has decided: the second is %s', (runIf, place) => {
    expect(verdict(runIf, ['failed', place])).toBe('wait');
    expect(verdict(runIf, ['success', place])).toBe('wait');
  });

  test.each<RunCondition>([
    'ALL_SUCCESS',
    'AT_LEAST_ONE_SUCCESS',
    'NONE_FAILED',
    'ALL_DONE',
    'AT_LEAST_ONE_FAILED',
    'ALL_FAILED',
  ])('a task without dependencies starts, whatever its condition: %s', (runIf) =>
    expect(rollUp([task('x', 'waiting', '', runIf)], undefined)).toEqual({ start: ['x'], skip: [] }),
  );
});

describe('an excluded branch', () => {
  const excluded = [task('a', 'success'), task('on_failure', 'skipped', 'a', 'AT_LEAST_ONE_FAILED')];

  test.each<[RunCondition, 'start' | 'skip']>([
    ['ALL_SUCCESS', 'skip'],
    ['NONE_FAILED', 'skip'],
    ['AT_LEAST_ONE_FAILED', 'skip'],
    ['ALL_FAILED', 'skip'],
    ['ALL_DONE', 'start'],
  ])('counts neither as success nor as failure: %s behind it: %s', (runIf, expected) => {
    const { start, skip } = rollUp([...excluded, task('x', 'waiting', 'on_failure', runIf)], undefined);
    expect([start, skip.map(({ key }) => key)]).toEqual(expected === 'start' ? [['x'], []] : [[], ['x']]);
  });

  test('NONE_FAILED starts the task if another branch succeeded', () => {
    expect(
      rollUp([...excluded, task('x', 'waiting', 'a on_failure', 'NONE_FAILED')], undefined).start,
    ).toEqual(['x']);
  });

  test('fails neither the run nor its downstream tasks', () => {
    const tasks = [...excluded, task('x', 'skipped', 'on_failure'), task('y', 'skipped', 'x')];
    expect(rollUp(tasks, undefined).end).toEqual({ result: 'SUCCESS', message: '' });
  });
});

describe('the message of a skipped task', () => {
  test.each<[string, readonly TaskState[], string, event?: 'skip' | 'exclude']>([
    [
      'the dependency that failed',
      [task('a', 'success'), task('b', 'failed'), task('x', 'waiting', 'a b')],
      'Upstream task b failed. Correct task b and repair the run; this task runs with it.',
    ],
    [
      'the dependency that was skipped because of a failure',
      [task('a', 'failed'), task('b', 'skipped', 'a'), task('x', 'waiting', 'b')],
      'Upstream task b was skipped because task a failed. Correct task a and repair the run; this task runs with it.',
    ],
    [
      'the condition that waits for a failure',
      [task('a', 'success'), task('b', 'success'), task('x', 'waiting', 'a b', 'ALL_FAILED')],
      'Not run, as configured: run_if is ALL_FAILED and a succeeded and b succeeded. No action needed.',
      'exclude',
    ],
    [
      'the condition, when nothing failed',
      [task('a', 'skipped', 'r', 'ALL_FAILED'), task('r', 'success'), task('x', 'waiting', 'a')],
      'Not run, as configured: run_if is ALL_SUCCESS and a was not run. No action needed.',
      'exclude',
    ],
  ])('%s', (_name, tasks, message, event = 'skip') => {
    expect(rollUp(tasks, undefined).skip).toMatchObject([{ key: 'x', event, message }]);
  });
});

test('the tasks of a chain after a failure are skipped one by one, each after its own dependency', () => {
  const chain = (...places: TaskPhase[]): TaskState[] =>
    places.map((place, index) => task(`t${index}`, place, index === 0 ? '' : `t${index - 1}`));
  expect(rollUp(chain('failed', 'waiting', 'waiting'), undefined).skip.map(({ key }) => key)).toEqual(['t1']);
  expect(rollUp(chain('failed', 'skipped', 'waiting'), undefined).skip.map(({ key }) => key)).toEqual(['t2']);
  expect(rollUp(chain('failed', 'skipped', 'skipped'), undefined).end?.result).toBe('FAILED');
});

test('independent tasks start together', () => {
  expect(
    rollUp(
      [task('a', 'waiting'), task('b', 'waiting'), task('c', 'waiting', 'a'), task('d', 'waiting')],
      undefined,
    ).start,
  ).toEqual(['a', 'b', 'd']);
});

test('a started task is not started again, and a task that waits for its retry has not ended', () => {
  expect(rollUp([task('a', 'started')], undefined)).toEqual({ start: [], skip: [] });
  expect(rollUp([task('a', 'waiting'), task('b', 'waiting', 'a')], undefined)).toEqual({
    start: ['a'],
    skip: [],
  });
});

describe('the end of a run', () => {
  test.each<[string, readonly TaskState[], StopReason | undefined, string, string]>([
    ['every leaf succeeded', [task('a', 'success'), task('b', 'success', 'a')], undefined, 'SUCCESS', ''],
    [
      'a leaf failed',
      [task('a', 'success'), task('b', 'failed', 'a')],
      undefined,
      'FAILED',
      'Task b failed with message: Workload failed, see run output for details.',
    ],
    [
      'a leaf over its timeout counts as failed',
      [task('a', 'timedout')],
      undefined,
      'FAILED',
      'Task a failed with message: Run timed out.',
    ],
    [
      'a leaf met an internal error',
      [task('a', 'error')],
      undefined,
      'FAILED',
      'Task a failed with message: Its process vanished.',
    ],
    [
      'the failed task is named, not the one skipped because of it',
      [task('b', 'skipped', 'a'), task('a', 'failed')],
      undefined,
      'FAILED',
      'Task a failed with message: Workload failed, see run output for details. 1 task was skipped.',
    ],
    [
      'a failure that a later task dealt with',
      [task('a', 'failed'), task('b', 'success', 'a', 'ALL_DONE')],
      undefined,
      'SUCCESS',
      '',
    ],
    [
      'one leaf of two failed',
      [task('a', 'success'), task('b', 'failed')],
      undefined,
      'FAILED',
      'Task b failed with message: Workload failed, see run output for details.',
    ],
    [
      'cancelled while it ran',
      [task('a', 'canceled'), task('b', 'skipped', 'a')],
      'cancel',
      'CANCELED',
      'Run cancelled by user ada@example.org. 1 task was not started. Repair the run or start it again when it is wanted.',
    ],
    [
      'over its time',
      [task('a', 'timedout'), task('b', 'skipped', 'a')],
      'timeout',
      'TIMEDOUT',
      'Run timed out: job nightly reached its timeout_seconds of 3. 1 task was not started. Raise the timeout, or find what was slow in the logs of the tasks.',
    ],
    [
      'cancelled after a failure',
      [task('a', 'failed'), task('b', 'canceled')],
      'cancel',
      'CANCELED',
      'Run cancelled by user ada@example.org. Repair the run or start it again when it is wanted.',
    ],
    [
      'cancelled when all the work was done',
      [task('a', 'success'), task('b', 'success', 'a')],
      'cancel',
      'SUCCESS',
      '',
    ],
    [
      'cancelled between the success of one task and the start of the next',
      [task('a', 'success'), task('b', 'skipped', 'a')],
      'cancel',
      'CANCELED',
      'Run cancelled by user ada@example.org. 1 task was not started. Repair the run or start it again when it is wanted.',
    ],
    [
      'over its time between two tasks',
      [task('a', 'success'), task('b', 'skipped', 'a'), task('c', 'skipped', 'b')],
      'timeout',
      'TIMEDOUT',
      'Run timed out: job nightly reached its timeout_seconds of 3. 2 tasks were not started. Raise the timeout, or find what was slow in the logs of the tasks.',
    ],
    [
      'cancelled before any task started',
      [task('a', 'skipped', '', 'ALL_FAILED'), task('b', 'skipped', 'a', 'ALL_DONE')],
      'cancel',
      'CANCELED',
      'Run cancelled by user ada@example.org. 2 tasks were not started. Repair the run or start it again when it is wanted.',
    ],
    [
      'cancelled, and the only task left was excluded anyway',
      [task('a', 'success'), task('b', 'skipped', 'a', 'ALL_FAILED')],
      'cancel',
      'SUCCESS',
      '',
    ],
    [
      'a task that was skipped, and whose cause was repaired without it',
      [task('a', 'success'), task('b', 'skipped', 'a')],
      undefined,
      'FAILED',
      'Task b was skipped: skipped.',
    ],
    ['no task at all', [], undefined, 'SUCCESS', ''],
  ])('%s', (_name, tasks, stopReason, result, message) => {
    expect(rollUp(tasks, stopFor(stopReason))).toMatchObject({
      start: [],
      skip: [],
      end: { result, message },
    });
  });

  test.each<TaskPhase>(['started', 'running', 'cleaning'])('waits for a task that is %s', (place) => {
    expect(rollUp([task('a', 'failed'), task('b', place)], undefined).end).toBeUndefined();
    expect(rollUp([task('a', 'canceled'), task('b', place)], stopFor('cancel')).end).toBeUndefined();
  });
});
