/** Formats of instants and durations. */

const timeUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/**
 * Formats a duration with its two largest units: `350 ms`, `4.2 s`, `3 min 20 s`. A negative one counts as 0.
 */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const first = timeUnits.findIndex(([, unit]) => ms >= unit);
  let rest = ms;
  return timeUnits
    .slice(first, first + 2)
    .flatMap(([name, unit]) => {
      const count = Math.floor(rest / unit);
      rest -= count * unit;
      return count === 0 ? [] : [`${count} ${name}`];
    })
    .join(' ');
}

const dateTimeFormat = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** Formats an instant in the local time zone, with the zone. @param ms epoch milliseconds */
export function formatTime(ms: number): string {
  return dateTimeFormat.format(ms);
}
