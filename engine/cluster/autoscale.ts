/** How many workers a cluster with an autoscale range wants (spec 2.8). */
import type { AutoScale } from '../job/cluster.ts';

/**
 * One worker for each task that runs on it, within the range; `min_workers` is where it begins and what it
 * falls back to.
 */
export function desiredWorkers(
  { min_workers: least, max_workers: most }: AutoScale,
  runningTasks: number,
): number {
  return Math.min(most, Math.max(least, runningTasks));
}
