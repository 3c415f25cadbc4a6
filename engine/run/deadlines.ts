/**
 * When a run or a task run is over its time (spec 2.2 timeout_seconds; 0 or absent means no timeout), or
 * lasts too long for its health rule.
 */
import type { JobsHealthRules } from '../job/notification-settings.ts';

/**
 * The instant (epoch ms) at which the timeout strikes, counted from the start time; undefined without a
 * timeout or before the start.
 */
export function timeoutAt(
  startTime: number | undefined,
  timeoutSeconds: number | undefined,
): number | undefined {
  if (startTime === undefined || timeoutSeconds === undefined || timeoutSeconds === 0) return undefined;
  return startTime + timeoutSeconds * 1_000;
}

/**
 * The instant (epoch ms) from which on a run or task run lasts longer than its health rule
 * RUN_DURATION_SECONDS allows (spec 2.9); with several such rules the first. Undefined without a rule or
 * before the start.
 */
export function warningAt(
  startTime: number | undefined,
  health: JobsHealthRules | undefined,
): number | undefined {
  const thresholds = (health?.rules ?? [])
    .filter((rule) => rule.metric === 'RUN_DURATION_SECONDS')
    .map((rule) => rule.value);
  if (startTime === undefined || thresholds.length === 0) return undefined;
  return startTime + Math.min(...thresholds) * 1_000 + 1;
}
