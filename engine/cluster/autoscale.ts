/** Autoscaling (spec 2.8). */
import type { AutoScale } from '../job/cluster.ts';

/** Returns the desired number of workers: one per running task, within the range. */
export function desiredWorkers(
  { min_workers: minimum, max_workers: maximum }: AutoScale,
  runningTasks: number,
): number {
  return Math.min(maximum, Math.max(minimum, runningTasks));
}
