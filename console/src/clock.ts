/** Clock of the browser, which may differ from that of the service. No other file creates dates. */

/** Epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** Formats an instant as ISO 8601 in UTC. @param ms epoch milliseconds */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
