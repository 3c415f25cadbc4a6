/** Deadlines of runs and task runs: timeouts (spec 2.2 timeout_seconds) and health rules (spec 2.9). */
import type { JobsHealthRules } from '../job/notification-settings.ts';

/**
 * Returns the time of the timeout (epoch ms), counted from the start time; undefined without a timeout (0 or
 * absent) or before the start.
 */
export function timeoutAt(
  startTime: number | undefined,
  timeoutSeconds: number | undefined,
): number | undefined {
  if (startTime === undefined || timeoutSeconds === undefined || timeoutSeconds === 0) return undefined;
  return startTime + timeoutSeconds * 1_000;
}

/**
 * Returns the time (epoch ms) from which a run or task run exceeds its health rule RUN_DURATION_SECONDS (spec
 * 2.9), the earliest of several rules. Undefined without a rule or before the start.
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
