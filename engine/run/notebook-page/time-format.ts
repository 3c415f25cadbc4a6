/** Formats durations and times. */
import { toIsoTime } from '../../clock.ts';

/** Formats a duration: `340 ms`, `1.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** Formats a time: `2026-11-20 14:31:02 UTC`. */
export function formatInstant(at: number): string {
  return `${toIsoTime(at).slice(0, 19).replace('T', ' ')} UTC`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
