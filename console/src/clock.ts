/** The only place that reads the time: of the browser, which need not be that of the service. */

/** Epoch milliseconds. */
export function now(): number {
  return Date.now();
}
