/** Progress of the tasks of a run: a table redrawn in place on a terminal, one line per change elsewhere. */
import { isTerminal } from '../../engine/run/states.ts';
import type { TaskRun } from './demo-client.ts';

export interface ProgressDisplay {
  /** Shows the tasks at `now` (epoch ms). */
  update(tasks: readonly TaskRun[], now: number): void;
}

/** Target of the progress display, such as process.stdout. */
export interface TerminalOutput {
  write(text: string): unknown;
  readonly columns?: number;
}

/** Width of a terminal that does not report one, or reports 0. */
const defaultColumns = 80;

const green = 32;
const red = 31;
const cyan = 36;
const grey = 90;
const colours: Readonly<Record<string, number>> = {
  RUNNING: cyan,
  SUCCESS: green,
  FAILED: red,
  TIMEDOUT: red,
  INTERNAL_ERROR: red,
  CANCELED: red,
};

/** Prints one line per change, for files, pipes and NO_COLOR. */
export function createPlainProgress(screen: TerminalOutput): ProgressDisplay {
  const printedStates = new Map<number, string>();
  return {
    update(tasks, now) {
      for (const task of tasks) {
        const state = stateOf(task);
        if (printedStates.get(task.run_id) === state) continue;
        printedStates.set(task.run_id, state);
        screen.write(
          `  ${taskLabelOf(task).padEnd(labelWidthOf(tasks))}  ${state}${renderDuration(task, now)}${renderMessage(task)}\n`,
        );
      }
    },
  };
}

/** Redraws a table of all tasks in place. */
export function createLiveProgress(screen: TerminalOutput): ProgressDisplay {
  let drawnLines = 0;
  return {
    update(tasks, now) {
      const lines = tasks.map((task) =>
        renderTableLine(task, now, labelWidthOf(tasks), screen.columns || defaultColumns),
      );
      const backToTop = drawnLines === 0 ? '' : `\x1b[${drawnLines}A`;
      screen.write(backToTop + lines.map((line) => `\x1b[2K${line}\n`).join(''));
      drawnLines = lines.length;
    },
  };
}

function renderTableLine(task: TaskRun, now: number, width: number, columns: number): string {
  const state = stateOf(task);
  const seconds = (formatDuration(task, now) ?? '').padStart(9);
  const start = `  ${taskLabelOf(task).padEnd(width)}  `;
  // Truncated, because a wrapped line would shift the next redraw.
  const rest = `${state.padEnd(14)}${seconds}  ${task.state.state_message}`.slice(
    0,
    Math.max(0, columns - start.length - 1),
  );
  return `${start}\x1b[${colours[state] ?? grey}m${rest}\x1b[0m`;
}

/** Returns the result of a terminal task, which is more specific than TERMINATED; else its state. */
function stateOf({ state }: TaskRun): string {
  return isTerminal(state.life_cycle_state)
    ? (state.result_state ?? state.life_cycle_state)
    : state.life_cycle_state;
}

function taskLabelOf(task: TaskRun): string {
  return task.attempt_number === 0 ? task.task_key : `${task.task_key} (retry ${task.attempt_number})`;
}

function labelWidthOf(tasks: readonly TaskRun[]): number {
  return Math.max(...tasks.map((task) => taskLabelOf(task).length));
}

function renderDuration(task: TaskRun, now: number): string {
  const duration = isTerminal(task.state.life_cycle_state) ? formatDuration(task, now) : undefined;
  return duration === undefined ? '' : ` after ${duration}`;
}

function renderMessage({ state }: TaskRun): string {
  return isTerminal(state.life_cycle_state) && state.state_message !== '' ? `  ${state.state_message}` : '';
}

/** Formats as in "1.3 s"; undefined when the task never started. */
export function formatDuration(
  times: { readonly start_time: number; readonly end_time: number },
  now: number,
): string | undefined {
  if (times.start_time === 0) return undefined;
  const end = times.end_time === 0 ? now : times.end_time;
  return `${(Math.max(0, end - times.start_time) / 1_000).toFixed(1)} s`;
}
