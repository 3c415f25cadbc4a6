/** Operations on all-purpose clusters: create, start, restart, edit, resize, pin, remove. */
import { sql, type Kysely } from 'kysely';
import type { AllPurposeStore } from '../../../engine/ports/clusters.ts';
import { checkClusterQuota } from './cluster-quota.ts';
import { insertWithNodes } from './clusters.ts';
import {
  allocateNodes,
  countRunningTasks,
  lockPools,
  resizeCluster,
  type NodeLimits,
} from './cluster-nodes.ts';
import { clusterOf, insertEvents } from './cluster-rows.ts';
import { editCluster, requestStart } from './restart-clusters.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';

export function createAllPurposeStore(db: Kysely<Database>, rules: NodeLimits): AllPurposeStore {
  return {
    createAllPurpose: (cluster, nodeId, quota) =>
      db.transaction().execute(async (transaction) => {
        await checkClusterQuota(transaction, quota);
        await insertWithNodes(transaction, rules, cluster, { running: undefined, startingNode: nodeId });
      }),
    start: (request) => requestStart(db, rules, 'TERMINATED', request),
    restart: (request) => requestStart(db, rules, 'RUNNING', request),
    edit: (change, request) => editCluster(db, rules, change, request),
    resize: (clusterId, { num_workers: workers, autoscale }, now, user) =>
      resizeCluster(db, rules, clusterId, now, async (transaction, cluster) => {
        const { num_workers: _workers, autoscale: _range, ...rest } = cluster.spec;
        const spec = { ...rest, ...(autoscale === undefined ? { num_workers: workers } : { autoscale }) };
        await transaction
          .updateTable('clusters')
          .set({ spec: JSON.stringify(spec) })
          .where('cluster_id', '=', clusterId)
          .execute();
        return { workers: autoscale?.min_workers ?? workers ?? 0, user };
      }),
    ...bindDatabase(db, { adoptStarts: adoptClusterStarts }),
    async allocateFreeNodes(now, changed) {
      if (!rules.limited && changed === undefined) return;
      const pools = await db
        .selectFrom('clusters')
        .select('pool_id')
        .distinct()
        .where('state', '<>', 'TERMINATED')
        .whereRef('granted_nodes', '<', 'requested_nodes')
        .execute();
      for (const { pool_id: poolId } of pools) {
        await db.transaction().execute(async (transaction) => {
          await lockPools(transaction, [poolId], rules);
          await allocateNodes(transaction, poolId, rules, now);
        });
      }
    },
    ...bindDatabase(db, { listIdle: listIdleClusters, setPinned: setClusterPinned }),
    async remove(clusterId) {
      await db
        .deleteFrom('clusters')
        .where('cluster_id', '=', clusterId)
        .where('kind', '=', 'ALL_PURPOSE')
        .where('state', '=', 'TERMINATED')
        .execute();
    },
  };
}

async function adoptClusterStarts(
  db: Kysely<Database>,
  nodeId: string,
  now: number,
): ReturnType<AllPurposeStore['adoptStarts']> {
  const rows = await db
    .updateTable('clusters')
    .set({ starting_node: nodeId })
    .where('kind', '=', 'ALL_PURPOSE')
    .where('state', '=', 'PENDING')
    .where((row) => row.or([row('starting_node', 'is', null), row('starting_node', '<>', nodeId)]))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('nodes')
            .select('node_id')
            .whereRef('node_id', '=', 'starting_node')
            .where('lease_until', '>', now),
        ),
      ),
    )
    .returningAll()
    .execute();
  return rows.map(clusterOf);
}

async function listIdleClusters(db: Kysely<Database>, now: number): ReturnType<AllPurposeStore['listIdle']> {
  const rows = await db
    .selectFrom('clusters')
    .select('cluster_id')
    .where('kind', '=', 'ALL_PURPOSE')
    .where('state', '=', 'RUNNING')
    .where(sql<boolean>`(spec ->> 'autotermination_minutes')::integer > 0`)
    .where(
      sql<boolean>`greatest(last_used_time, started_time) <= ${now}::bigint - 60000::bigint * (spec ->> 'autotermination_minutes')::integer`,
    )
    .execute();
  const idle: string[] = [];
  for (const { cluster_id: clusterId } of rows) {
    if ((await db.transaction().execute((transaction) => countRunningTasks(transaction, clusterId))) === 0)
      idle.push(clusterId);
  }
  return idle;
}

/** Pins or unpins an all-purpose cluster and records the change; repeated calls change nothing. */
function setClusterPinned(
  db: Kysely<Database>,
  clusterId: string,
  pinned: boolean,
  now: number,
  user: string,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const changed = await transaction
      .updateTable('clusters')
      .set({ pinned_time: pinned ? now : null })
      .where('cluster_id', '=', clusterId)
      .where('kind', '=', 'ALL_PURPOSE')
      .where('pinned_time', pinned ? 'is' : 'is not', null)
      .returning('cluster_id')
      .executeTakeFirst();
    if (changed !== undefined)
      await insertEvents(transaction, clusterId, now, [[pinned ? 'PINNED' : 'UNPINNED', { user }]]);
  });
}
