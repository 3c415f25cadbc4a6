/** When a run or a task run is over its time (spec 2.2 timeout_seconds; 0 or absent means no timeout). */

/**
 * The instant (epoch ms) at which the timeout strikes, counted from the start time; undefined without a timeout or
 * before the start.
 */
export function timeoutAt(startTime: number | undefined, timeoutSeconds: number | undefined): number | undefined {
  if (startTime === undefined || timeoutSeconds === undefined || timeoutSeconds === 0) return undefined;
  return startTime + timeoutSeconds * 1_000;
}
