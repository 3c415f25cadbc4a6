/** Settings of jobs with clusters and policies, for the tests of the coordinator. */
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { graphSettings, singleTaskSettings } from '../../storage/run-fixtures.ts';

export const newCluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };

/** Single task on a cluster of its own. */
export const ownClusterSettings: JobSettings = {
  notebook_task: singleTaskSettings.notebook_task,
  new_cluster: newCluster,
};

/** Tasks a, b, and c after a, all on the shared cluster `etl`. */
export const sharedClusterSettings = graphOnClusters({ a: 'etl', b: 'etl', c: 'etl' }, 'a', 'b', 'c a');

/** Emails for the start, the success and the failure of a run or task. */
export const emailSettings = {
  email_notifications: { on_start: ['s@x'], on_success: ['g@x'], on_failure: ['f@x'] },
};

/** Returns a graph whose tasks use clusters: `own`, `existing`, or the key of a shared cluster. */
export function graphOnClusters(clusters: Readonly<Record<string, string>>, ...tasks: string[]): JobSettings {
  const sharedKeys = new Set(Object.values(clusters).filter((key) => key !== 'own' && key !== 'existing'));
  return {
    job_clusters: [...sharedKeys].map((key) => ({ job_cluster_key: key, new_cluster: newCluster })),
    tasks: (graphSettings(...tasks).tasks ?? []).map((task) => {
      const cluster = clusters[task.task_key];
      if (cluster === undefined) return task;
      if (cluster === 'own') return { ...task, new_cluster: newCluster };
      return cluster === 'existing'
        ? { ...task, existing_cluster_id: 'all-purpose' }
        : { ...task, job_cluster_key: cluster };
    }),
  };
}

/** Returns a graph whose tasks all have these settings. */
export function graphWithTaskSettings(taskSettings: object, ...tasks: string[]): JobSettings {
  const { tasks: graphTasks = [], ...rest } = graphSettings(...tasks);
  return { ...rest, tasks: graphTasks.map((task) => ({ ...task, ...taskSettings })) };
}
