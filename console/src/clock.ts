/**
 * The only place that reads the time, which is that of the browser and need not be that of the service, and
 * that makes dates.
 */

/** Epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** An instant for machines and for people elsewhere: ISO 8601 in UTC. @param ms epoch milliseconds */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
