/** Message of a run whose task failed. */
import { expect, test } from 'vitest';
import { rollUp, type TaskState } from '../../../../engine/run/roll-up.ts';
import { progressByPhase, createTaskState as task } from './task-states.ts';

test.each([
  ['killed by signal 9 (SIGKILL)', 'Task a failed with message: killed by signal 9 (SIGKILL).'],
  ['The engine failed this task.', 'Task a failed with message: The engine failed this task.'],
  ['', 'Task a failed.'],
])('the message of the run is a sentence: %j', (message, expected) => {
  const failed: TaskState = { ...task('a', 'error'), progress: { ...progressByPhase.error, message } };
  expect(rollUp([failed], undefined).end?.message).toBe(expected);
});
