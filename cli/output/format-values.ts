/** Values of tables: times, durations, sizes and states of runs. */
import type { RunDocument } from '../client/service-documents.ts';

const localTime = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** Formats epoch ms in the time zone of the user, as in "2026-11-22 17:04:09"; "-" before the event. */
export function formatTime(time: number): string {
  return time === 0 ? '-' : localTime.format(time);
}

/** Formats a duration in ms as in "850 ms", "12.3 s", "4 min 5 s" or "3 h 2 min". */
function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** Formats bytes as in "12 B", "3.4 KB" or "1.2 GB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit += 1) value /= 1_000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** Returns the result of a run that is over, which says more than its state; else its state. */
export function stateOf({ state }: Pick<RunDocument, 'state'>): string {
  return state.result_state ?? state.life_cycle_state;
}

/** Returns the time that a run took so far; "-" when it never started. */
export function durationOf(
  { start_time: start, end_time: end }: Pick<RunDocument, 'start_time' | 'end_time'>,
  now: number,
): string {
  return start === 0 ? '-' : formatDuration(Math.max(0, (end === 0 ? now : end) - start));
}

/** Returns the colour of a state. */
export function colourOf(state: string): 'green' | 'red' | 'cyan' | 'yellow' | 'gray' {
  return stateColours.get(state) ?? 'gray';
}

const stateColours = new Map<string, 'green' | 'red' | 'cyan' | 'yellow'>([
  ['SUCCESS', 'green'],
  ['COMPLETED', 'green'],
  ['RUNNING', 'cyan'],
  ['FAILED', 'red'],
  ['TIMEDOUT', 'red'],
  ['INTERNAL_ERROR', 'red'],
  ['CANCELED', 'yellow'],
  ['PENDING', 'yellow'],
  ['QUEUED', 'yellow'],
]);
