/** Tests of the progress display: lines for pipes, a table in place for terminals. */
import { expect, test } from 'vitest';
import type { TaskRun } from '../../../cli/demo/demo-client.ts';
import {
  createLiveProgress,
  createPlainProgress,
  type ProgressDisplay,
  type TerminalOutput,
} from '../../../cli/demo/demo-progress.ts';

type State = TaskRun['state'];

function task(
  key: string,
  state: Partial<State> & Pick<State, 'life_cycle_state'>,
  times: Partial<TaskRun> = {},
): TaskRun {
  return {
    run_id: key.length,
    task_key: key,
    attempt_number: 0,
    state: { state_message: '', ...state },
    start_time: 0,
    end_time: 0,
    ...times,
  };
}

/** Returns the output for these updates, with the clock at 2,500. */
function renderUpdates(
  create: (screen: TerminalOutput) => ProgressDisplay,
  columns: number,
  ...steps: readonly TaskRun[][]
): string {
  let text = '';
  const progress = create({
    columns,
    write: (more) => {
      text += more;
    },
  });
  for (const tasks of steps) progress.update(tasks, 2_500);
  return text;
}

const waiting = task('ab', { life_cycle_state: 'PENDING', state_message: 'Waiting for a' });
const running = task('ab', { life_cycle_state: 'RUNNING' }, { start_time: 1_000 });
const ending = task(
  'ab',
  { life_cycle_state: 'TERMINATING', result_state: 'SUCCESS' },
  { start_time: 1_000 },
);
const succeeded = task(
  'ab',
  { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
  { start_time: 1_000, end_time: 2_300 },
);
const failed = task(
  'ab',
  { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'No such file' },
  { start_time: 1_000, end_time: 1_000 },
);
const skipped = task('ab', { life_cycle_state: 'SKIPPED', state_message: 'Upstream task a failed' });
const retry = { ...running, run_id: 9, attempt_number: 1 };

test.each([
  ['a change', [[waiting], [waiting], [running]], '  ab  PENDING\n  ab  RUNNING\n'],
  [
    'the end of a task after its TERMINATING state',
    [[ending], [succeeded]],
    '  ab  TERMINATING\n  ab  SUCCESS after 1.3 s\n',
  ],
  ['the message of a failed task', [[failed]], '  ab  FAILED after 0.0 s  No such file\n'],
  ['a task that never started without a duration', [[skipped]], '  ab  SKIPPED  Upstream task a failed\n'],
  [
    'a retry as a separate line',
    [[failed, retry]],
    '  ab            FAILED after 0.0 s  No such file\n  ab (retry 1)  RUNNING\n',
  ],
])('plain progress shows %s', (_case, steps, lines) => {
  expect(renderUpdates(createPlainProgress, 80, ...steps)).toBe(lines);
});

test('live progress redraws the table in place with the elapsed time', () => {
  expect(renderUpdates(createLiveProgress, 80, [waiting, retry], [running, retry])).toBe(
    '\x1b[2K  ab            \x1b[90mPENDING                  Waiting for a\x1b[0m\n\x1b[2K  ab (retry 1)  \x1b[36mRUNNING           1.5 s  \x1b[0m\n' +
      '\x1b[2A\x1b[2K  ab            \x1b[36mRUNNING           1.5 s  \x1b[0m\n\x1b[2K  ab (retry 1)  \x1b[36mRUNNING           1.5 s  \x1b[0m\n',
  );
});

test.each([
  [20, 'FAILED       '],
  [0, 'FAILED            0.0 s  No such file'],
])('live progress fits its lines into %s columns', (columns, shown) => {
  expect(renderUpdates(createLiveProgress, columns, [failed])).toBe(`\x1b[2K  ab  \x1b[31m${shown}\x1b[0m\n`);
});
