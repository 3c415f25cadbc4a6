/** When a run or task has lasted longer than its health rule allows (spec 2.9). */
import type { JobsHealthRules } from '../job/alerts.ts';

/** The first instant (epoch ms) at which its duration is greater than the RUN_DURATION_SECONDS rule; undefined without a rule or a start. */
export function slowAt(startTime: number | undefined, health: JobsHealthRules | undefined): number | undefined {
  const seconds = (health?.rules ?? []).filter(({ metric }) => metric === 'RUN_DURATION_SECONDS').map(({ value }) => value);
  return startTime === undefined || seconds.length === 0 ? undefined : startTime + Math.min(...seconds) * 1_000 + 1;
}
