/** Choice of the cluster of a task, and the end of the use of a shared one (spec 2.4). */
import type { NewCluster } from '../job/cluster.ts';
import type { JobSettings, TaskSettings } from '../job/settings.ts';
import type { Progress } from './run.ts';
import { isTerminal } from './states.ts';

export type ClusterChoice =
  /** The kind of task needs no compute. */
  | { readonly kind: 'none' }
  /** An all-purpose cluster, addressed by its id. */
  | { readonly kind: 'existing'; readonly clusterId: string }
  /** Created when the task starts, terminated when it completes. */
  | { readonly kind: 'own'; readonly spec: NewCluster }
  /** Created by the first task of the run that uses it, terminated after the last. */
  | { readonly kind: 'shared'; readonly key: string; readonly spec: NewCluster };

/**
 * Returns the cluster choice of a task; `tasksOf` has moved the cluster of a single-task job into its task.
 */
export function clusterChoiceOf(task: TaskSettings, settings: JobSettings): ClusterChoice {
  const { existing_cluster_id: clusterId = '' } = task;
  if (clusterId !== '') return { kind: 'existing', clusterId };
  if (task.new_cluster !== undefined) return { kind: 'own', spec: task.new_cluster };
  const shared = settings.job_clusters?.find((cluster) => cluster.job_cluster_key === task.job_cluster_key);
  return shared === undefined
    ? { kind: 'none' }
    : { kind: 'shared', key: shared.job_cluster_key, spec: shared.new_cluster };
}

/** Returns whether every task that uses the shared cluster is over. */
export function isNoLongerNeeded(
  key: string,
  tasks: Iterable<{ settings: TaskSettings; progress: Progress }>,
): boolean {
  return [...tasks].every((task) => task.settings.job_cluster_key !== key || isTerminal(task.progress.state));
}
