/**
 * Shows how the tasks of a run go: a table redrawn in place on a terminal, a line for each change elsewhere.
 */
import { isTerminal } from '../../engine/run/states.ts';
import type { TaskRun } from './demo-client.ts';

export interface ProgressDisplay {
  /** Takes the tasks as they are at `now` (epoch ms). */
  update(tasks: readonly TaskRun[], now: number): void;
}

/** Where progress is written; process.stdout is one. */
export interface TerminalOutput {
  write(text: string): unknown;
  readonly columns?: number;
}

/** For a terminal that does not say how wide it is, or says 0. */
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

/** One line a change: for files, pipes and those who want no colour. */
export function createPlainProgress(screen: TerminalOutput): ProgressDisplay {
  const said = new Map<number, string>();
  return {
    update(tasks, now) {
      for (const task of tasks) {
        const state = stateOf(task);
        if (said.get(task.run_id) === state) continue;
        said.set(task.run_id, state);
        screen.write(
          `  ${taskLabelOf(task).padEnd(labelWidthOf(tasks))}  ${state}${renderDuration(task, now)}${renderMessage(task)}\n`,
        );
      }
    },
  };
}

/** A table of all tasks, written over itself each time. */
export function createLiveProgress(screen: TerminalOutput): ProgressDisplay {
  let drawn = 0;
  return {
    update(tasks, now) {
      const lines = tasks.map((task) =>
        renderTableLine(task, now, labelWidthOf(tasks), screen.columns || defaultColumns),
      );
      const backToTop = drawn === 0 ? '' : `\x1b[${drawn}A`;
      screen.write(backToTop + lines.map((line) => `\x1b[2K${line}\n`).join(''));
      drawn = lines.length;
    },
  };
}

function renderTableLine(task: TaskRun, now: number, width: number, columns: number): string {
  const state = stateOf(task);
  const seconds = (formatDuration(task, now) ?? '').padStart(9);
  const start = `  ${taskLabelOf(task).padEnd(width)}  `;
  // A line that wraps would be two, and the next drawing would be off by one.
  const rest = `${state.padEnd(14)}${seconds}  ${task.state.state_message}`.slice(
    0,
    Math.max(0, columns - start.length - 1),
  );
  return `${start}\x1b[${colours[state] ?? grey}m${rest}\x1b[0m`;
}

/** The result says more than TERMINATED, but it is known already while a task is TERMINATING. */
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

/** "1.3 s"; undefined for what never started. */
export function formatDuration(
  times: { readonly start_time: number; readonly end_time: number },
  now: number,
): string | undefined {
  if (times.start_time === 0) return undefined;
  const end = times.end_time === 0 ? now : times.end_time;
  return `${(Math.max(0, end - times.start_time) / 1_000).toFixed(1)} s`;
}
