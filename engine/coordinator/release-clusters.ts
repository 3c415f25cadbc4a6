/** Terminating the clusters of a run: each after the last task that uses it (spec 2.4). */
import type { Cluster } from '../cluster/cluster.ts';
import type { TaskSettings } from '../job/settings.ts';
import { clusterChoiceOf, isNoLongerNeeded, type ClusterChoice } from '../run/cluster-choice.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { endCompute } from './end-compute.ts';
import type { RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';

type ReleaseContext = Pick<CoordinatorContext, 'clusters' | 'compute' | 'clock'>;

export type NewClusterChoice = Extract<ClusterChoice, { kind: 'own' | 'shared' }>;

/**
 * Returns the key that a run gives to a cluster of its own. A key of job_clusters has no colon, so the two
 * kinds never collide.
 */
export function clusterKeyOf(choice: NewClusterChoice, { taskRun }: Pick<TaskExecution, 'taskRun'>): string {
  return choice.kind === 'shared' ? choice.key : `task:${taskRun.runId}`;
}

/** Terminates the cluster that was created for this task alone. */
export async function releaseOwnCluster(
  c: ReleaseContext,
  execution: RunExecution,
  task: TaskExecution,
): Promise<void> {
  const choice = clusterChoiceOf(task.settings, execution.run.settings);
  if (choice.kind !== 'own') return;
  const clusters = await c.clusters.listByRun(execution.run.runId);
  const key = clusterKeyOf(choice, task);
  await terminateClusters(
    c,
    execution,
    clusters.filter((cluster) => cluster.key === key),
  );
}

/** Returns whether the end of a task leaves a cluster to terminate. */
export function hasOwnCluster({ run }: Pick<RunExecution, 'run'>, { settings }: TaskExecution): boolean {
  return clusterChoiceOf(settings, run.settings).kind === 'own';
}

/** Returns whether a task may have a cluster of its own; that of a pipeline task is not in the settings. */
function mayHaveOwnCluster({ new_cluster: cluster, pipeline_task: pipeline }: TaskSettings): boolean {
  return cluster !== undefined || pipeline !== undefined;
}

/** Returns whether a run that ends may leave clusters to terminate: shared ones, or those of its tasks. */
export function mayHaveClusters({ run, tasks }: Pick<RunExecution, 'run' | 'tasks'>): boolean {
  const hasOwn = [...tasks.values()].some(({ settings }) => mayHaveOwnCluster(settings));
  return hasOwn || (run.settings.job_clusters ?? []).length > 0;
}

/**
 * Terminates the shared clusters whose last task is over; with `runIsOver` every cluster that the run still
 * has.
 */
export async function releaseSharedClusters(
  c: ReleaseContext,
  execution: RunExecution,
  runIsOver: boolean,
): Promise<void> {
  const { run, releasedClusterKeys } = execution;
  const tasks = [...execution.tasks.values()].map(({ settings, taskRun }) => ({
    settings,
    progress: taskRun.progress,
  }));
  // From the settings, not from memory: an earlier engine may have created the clusters.
  const unneeded = (run.settings.job_clusters ?? [])
    .map(({ job_cluster_key: key }) => key)
    .filter((key) => !releasedClusterKeys.has(key) && (runIsOver || isNoLongerNeeded(key, tasks)));
  // A skipped task may have a cluster from an engine that was killed.
  const mayHaveOwn =
    runIsOver &&
    tasks.some(({ settings, progress }) => mayHaveOwnCluster(settings) && progress.state === 'SKIPPED');
  if (unneeded.length === 0 && !mayHaveOwn) return;
  const clusters = await c.clusters.listByRun(run.runId);
  await terminateClusters(
    c,
    execution,
    clusters.filter((cluster) => runIsOver || unneeded.includes(cluster.key ?? '')),
  );
  for (const key of unneeded) releasedClusterKeys.add(key);
}

async function terminateClusters(
  c: ReleaseContext,
  { clusterStarts }: RunExecution,
  clusters: readonly Cluster[],
): Promise<void> {
  for (const { clusterId } of clusters) clusterStarts.get(clusterId)?.stop();
  await c.clusters.terminate(
    clusters.map((cluster) => cluster.clusterId),
    { code: 'JOB_FINISHED' },
    c.clock.now(),
  );
  for (const { clusterId, state, spec } of clusters) {
    // An earlier engine may have started the init scripts.
    if (state === 'PENDING' && spec['init_scripts'] !== undefined)
      await c.compute.provider.stopScripts(clusterId);
    await endCompute(c.compute, clusterId);
    if (spec['cluster_log_conf'] !== undefined) await c.compute.provider.deliverLogs(clusterId);
  }
}
