/** Simulated clusters and their states. */
import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../engine/clock.ts';
import type { Cluster, NewClusterRow } from '../engine/cluster/cluster.ts';
import type { ClusterStore, Log } from '../engine/ports.ts';
import { patiently } from './faults.ts';
import type { ClusterTable, Database } from './schema.ts';

/** The clusters of this database. While it is away every call waits for it. */
export function createClusterStore(db: Kysely<Database>, clock: Clock, log: Log): ClusterStore {
  const waiting = <Result>(work: () => Promise<Result>): Promise<Result> => patiently(clock, log, work);
  return {
    create: (cluster, running, fence) => waiting(() => insertForRun(db, cluster, running, fence)),
    find: (clusterId) => waiting(async () => {
      const row = await db.selectFrom('clusters').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst();
      return row === undefined ? undefined : clusterOf(row);
    }),
    ofRun: (jobRunId) => waiting(async () => {
      const rows = await db.selectFrom('clusters').selectAll()
        .where('job_run_id', '=', jobRunId).where('state', '<>', 'TERMINATED').execute();
      return rows.map(clusterOf);
    }),
    started: (clusterId, sparkContextId, now) => waiting(async () => {
      await db.updateTable('clusters').set({ state: 'RUNNING', spark_context_id: sparkContextId, started_time: now })
        .where('cluster_id', '=', clusterId).where('state', '=', 'PENDING').execute();
    }),
    terminated: (clusterIds, reason, now) => waiting(async () => {
      if (clusterIds.length === 0) return;
      await db.updateTable('clusters').set({ state: 'TERMINATED', terminated_time: now, termination_reason: reason })
        .where('cluster_id', 'in', clusterIds).where('state', '<>', 'TERMINATED').execute();
    }),
    ensureAllPurpose: (cluster, sparkContextId) => waiting(async () => {
      await insertUnlessThere(db, cluster, sparkContextId);
      const row = await db.selectFrom('clusters').selectAll()
        .where('cluster_id', '=', cluster.clusterId).executeTakeFirstOrThrow();
      return clusterOf(row);
    }),
  };
}

/** Nobody would terminate a cluster that is made for a run which another node drives, or which is over. */
function insertForRun(db: Kysely<Database>, cluster: NewClusterRow, running: string | undefined, fence: number): Promise<'created' | 'refused'> {
  return db.transaction().execute(async (transaction) => {
    // Locked, so that whoever takes the run over finds the cluster, or has taken it before.
    const own = await transaction.selectFrom('runs').select('run_id')
      .where('run_id', '=', cluster.jobRunId ?? 0).where('fence', '=', fence).where('active', '=', true).forShare().executeTakeFirst();
    if (own === undefined) return 'refused';
    await insertUnlessThere(transaction, cluster, running);
    return 'created';
  });
}

/** A cluster that is there already stays as it is: so a call may be repeated when its connection broke. */
async function insertUnlessThere(db: Kysely<Database>, cluster: NewClusterRow, running: string | undefined): Promise<void> {
  await db.insertInto('clusters').values(rowOf(cluster, running)).onConflict((conflict) => conflict.doNothing()).execute();
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
