/** Simulated clusters and their states. */
import type { Kysely, Selectable } from 'kysely';
import type { Cluster, NewClusterRow } from '../engine/cluster/cluster.ts';
import type { ClusterStore } from '../engine/ports.ts';
import type { ClusterTable, Database } from './schema.ts';

export function createClusterStore(db: Kysely<Database>): ClusterStore {
  return {
    async create(cluster, running) {
      await db.insertInto('clusters').values(rowOf(cluster, running)).execute();
    },
    async find(clusterId) {
      const row = await db.selectFrom('clusters').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst();
      return row === undefined ? undefined : clusterOf(row);
    },
    async ofRun(jobRunId) {
      const rows = await db.selectFrom('clusters').selectAll()
        .where('job_run_id', '=', jobRunId).where('state', '<>', 'TERMINATED').execute();
      return rows.map(clusterOf);
    },
    async started(clusterId, sparkContextId, now) {
      await db.updateTable('clusters').set({ state: 'RUNNING', spark_context_id: sparkContextId, started_time: now })
        .where('cluster_id', '=', clusterId).where('state', '=', 'PENDING').execute();
    },
    async terminated(clusterIds, reason, now) {
      if (clusterIds.length === 0) return;
      await db.updateTable('clusters').set({ state: 'TERMINATED', terminated_time: now, termination_reason: reason })
        .where('cluster_id', 'in', clusterIds).where('state', '<>', 'TERMINATED').execute();
    },
    async ensureAllPurpose(cluster, sparkContextId) {
      await db.insertInto('clusters')
        .values(rowOf(cluster, sparkContextId))
        .onConflict((conflict) => conflict.doNothing()).execute();
      const row = await db.selectFrom('clusters').selectAll()
        .where('cluster_id', '=', cluster.clusterId).executeTakeFirstOrThrow();
      return clusterOf(row);
    },
  };
}

function rowOf(cluster: NewClusterRow, running: string | undefined) {
  return {
    cluster_id: cluster.clusterId,
    kind: cluster.kind,
    state: running === undefined ? 'PENDING' as const : 'RUNNING' as const,
    job_run_id: cluster.jobRunId ?? null,
    cluster_key: cluster.key ?? null,
    spec: JSON.stringify(cluster.spec),
    spark_context_id: running ?? null,
    created_time: cluster.createdTime,
    started_time: running === undefined ? null : cluster.createdTime,
    terminated_time: null,
    termination_reason: null,
  };
}

function clusterOf(row: Selectable<ClusterTable>): Cluster {
  return {
    clusterId: row.cluster_id,
    kind: row.kind,
    state: row.state,
    jobRunId: row.job_run_id ?? undefined,
    key: row.cluster_key ?? undefined,
    spec: row.spec,
    sparkContextId: row.spark_context_id ?? undefined,
    createdTime: row.created_time,
  };
}
