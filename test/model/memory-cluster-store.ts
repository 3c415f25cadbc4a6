/** In-memory cluster store. */
import type { ClusterStore } from '../../engine/ports/clusters.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { requireRow } from './memory-queries.ts';

const newClusterDefaults = {
  generation: 0,
  startedTime: undefined,
  terminatedTime: undefined,
  termination: undefined,
  pinned: false,
  restarting: false,
  restricted: false,
};

export function createMemoryClusterStore({ tables, transaction }: MemoryDatabase): ClusterStore {
  return {
    create: (cluster, running, fence) =>
      transaction(() => {
        const run = cluster.jobRunId === undefined ? undefined : tables.runs.get(cluster.jobRunId);
        if (run?.active !== true || run.fence !== fence) return 'refused';
        if (!tables.clusters.has(cluster.clusterId)) {
          tables.clusters.set(cluster.clusterId, {
            ...cluster,
            ...newClusterDefaults,
            nodes: cluster.wantedNodes,
            state: running === undefined ? 'PENDING' : 'RUNNING',
            sparkContextId: running,
          });
        }
        return 'created';
      }),
    find: (clusterId) => transaction(() => tables.clusters.get(clusterId)),
    listNodeHolders: async () => [],
    listByRun: (jobRunId) =>
      transaction(() =>
        [...tables.clusters.values()].filter(
          (one) => one.jobRunId === jobRunId && one.state !== 'TERMINATED',
        ),
      ),
    markRunning: (clusterId, sparkContextId) =>
      transaction(() => {
        const cluster = tables.clusters.get(clusterId);
        if (cluster?.state === 'PENDING')
          tables.clusters.set(clusterId, { ...cluster, state: 'RUNNING', sparkContextId });
        return tables.clusters.get(clusterId)?.state === 'RUNNING';
      }),
    terminate: (clusterIds, termination, now) =>
      transaction(() => {
        for (const clusterId of clusterIds) {
          const cluster = requireRow(tables.clusters.get(clusterId));
          if (cluster.state !== 'TERMINATED')
            tables.clusters.set(clusterId, {
              ...cluster,
              state: 'TERMINATED',
              nodes: 0,
              termination,
              terminatedTime: now,
            });
        }
      }),
    ensureAllPurpose: (cluster, sparkContextId) =>
      transaction(() => {
        const found = tables.clusters.get(cluster.clusterId) ?? {
          ...cluster,
          ...newClusterDefaults,
          nodes: cluster.wantedNodes,
          state: 'RUNNING' as const,
          sparkContextId,
        };
        tables.clusters.set(cluster.clusterId, found);
        return found;
      }),
    // The clusters of the model keep their size.
    recordEvent: async () => undefined,
    rescale: async () => undefined,
    preempt: async () => 0,
    recordUse: async () => undefined,
  };
}
