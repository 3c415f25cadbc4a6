/** Screen of a followed run: its tasks below the log on a terminal, one line per change elsewhere. */
import { systemClock } from '../../engine/clock.ts';
import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import type { LineOutput } from '../commands/line-printer.ts';
import type { Screen } from '../commands/logs.ts';
import { wantsPlainText } from '../config.ts';
import type { RunDocument } from '../client/service-documents.ts';
import { colourOf, durationOf, stateOf } from './format-values.ts';
import { renderTable } from './print-result.ts';

type TaskRun = NonNullable<RunDocument['tasks']>[number];

/** Creates the screen that fits the terminal. */
export function createRunScreen(): Screen {
  return process.stderr.isTTY && process.stdout.isTTY && !wantsPlainText()
    ? createTerminalScreen()
    : createPlainScreen();
}

/** Prints state changes to stderr, so that stdout holds the output of the tasks alone. */
function createPlainScreen(): Screen {
  const printed = new Map<number, string>();
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    showTasks(tasks) {
      for (const task of tasks) {
        const state = stateOf(task);
        if (printed.get(task.run_id) === state) continue;
        printed.set(task.run_id, state);
        const duration = task.end_time === 0 ? '' : ` after ${durationOf(task, systemClock.now())}`;
        process.stderr.write(`task ${labelOf(task)}: ${state}${duration}\n`);
      }
    },
    close: () => undefined,
  };
}

/** Keeps a table of the tasks below the last line of the logs. */
function createTerminalScreen(): Screen {
  const table = createLogUpdate(process.stderr);
  let tasks: readonly TaskRun[] = [];
  const draw = (): void => {
    if (tasks.length > 0) table(renderTasks(tasks));
  };
  // The durations of running tasks go on between two changes.
  const timer = setInterval(draw, 1_000).unref();
  const above = (stream: NodeJS.WriteStream): LineOutput =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk: string | Buffer, _encoding, done) {
          table.clear();
          stream.write(chunk, () => done());
          draw();
        },
      }),
      { isTTY: true },
    );
  return {
    stdout: above(process.stdout),
    stderr: above(process.stderr),
    showTasks(shown) {
      tasks = shown;
      draw();
    },
    close() {
      clearInterval(timer);
      table.done();
      tasks = [];
    },
  };
}

function renderTasks(tasks: readonly TaskRun[]): string {
  const now = systemClock.now();
  return [
    '',
    ...renderTable(
      tasks,
      [
        { title: 'TASK', value: labelOf },
        { title: 'STATE', value: stateOf, colour: (task) => colourOf(stateOf(task)) },
        { title: 'TIME', value: (task) => durationOf(task, now) },
      ],
      true,
    ),
  ].join('\n');
}

function labelOf({ task_key: key, attempt_number: attempt }: TaskRun): string {
  return attempt === 0 ? key : `${key} (retry ${attempt})`;
}
