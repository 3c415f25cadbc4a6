/** Operations on all-purpose clusters (create, restart, resize, remove), and the reader of all clusters. */
import { sql, type Kysely } from 'kysely';
import type { AllPurposeStore, ClusterReader, ClusterEventFilter } from '../../../engine/ports/clusters.ts';
import { insertWithNodes } from './clusters.ts';
import {
  allocateNodes,
  countRunningTasks,
  lockPools,
  resizeCluster,
  type NodeLimits,
} from './cluster-nodes.ts';
import { clusterOf, findCluster, insertEvents } from './cluster-rows.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';

export function createAllPurposeStore(db: Kysely<Database>, rules: NodeLimits): AllPurposeStore {
  return {
    createAllPurpose: (cluster, nodeId) =>
      db
        .transaction()
        .execute((transaction) =>
          insertWithNodes(transaction, rules, cluster, { running: undefined, startingNode: nodeId }),
        ),
    restart: (clusterId, nodeId, now, user) => restartCluster(db, rules, { clusterId, nodeId, now, user }),
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
    async allocateFreeNodes(now) {
      if (!rules.limited) return;
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
    ...bindDatabase(db, { listIdle: listIdleClusters }),
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

interface RestartRequest {
  readonly clusterId: string;
  readonly nodeId: string;
  readonly now: number;
  readonly user: string | undefined;
}

function restartCluster(
  db: Kysely<Database>,
  rules: NodeLimits,
  { clusterId, nodeId, now, user }: RestartRequest,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const pool = await transaction
      .selectFrom('clusters')
      .select('pool_id')
      .where('cluster_id', '=', clusterId)
      .executeTakeFirst();
    const [limitedPool] = await lockPools(transaction, pool === undefined ? [] : [pool.pool_id], rules);
    const row = await transaction
      .updateTable('clusters')
      .set((own) => ({
        state: 'PENDING',
        spark_context_id: null,
        started_time: null,
        terminated_time: null,
        termination_reason: null,
        termination_parameters: null,
        granted_nodes: limitedPool === undefined ? own.ref('requested_nodes') : 0,
        ticket: sql<number>`nextval('cluster_tickets')`,
        starting_node: nodeId,
        logs_pending: sql<boolean>`spec -> 'cluster_log_conf' is not null`,
      }))
      .where('cluster_id', '=', clusterId)
      .where('kind', '=', 'ALL_PURPOSE')
      .where('state', '=', 'TERMINATED')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvents(transaction, clusterId, now, [
      ['STARTING', { target_num_workers: row.workers, ...(user !== undefined && { user }) }],
    ]);
    if (limitedPool !== undefined) await allocateNodes(transaction, limitedPool, rules, now);
    return true;
  });
}

export function createClusterReader(db: Kysely<Database>): ClusterReader {
  return {
    find: (clusterId) => findCluster(db, clusterId),
    async list({ offset, limit }) {
      const rows = await db
        .selectFrom('clusters')
        .selectAll()
        .orderBy('created_time', 'desc')
        .orderBy('cluster_id')
        .offset(offset)
        .limit(limit)
        .execute();
      return rows.map(clusterOf);
    },
    listEvents: (filter) => listClusterEvents(db, filter),
  };
}

async function listClusterEvents(
  db: Kysely<Database>,
  { clusterId, from, to, types, newestFirst, offset, limit }: ClusterEventFilter,
): ReturnType<ClusterReader['listEvents']> {
  let query = db.selectFrom('cluster_events').where('cluster_id', '=', clusterId);
  if (from !== undefined) query = query.where('time', '>=', from);
  if (to !== undefined) query = query.where('time', '<=', to);
  if (types !== undefined) query = query.where('type', 'in', types);
  const { total } = await query
    .select((row) => row.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await query
    .selectAll()
    .orderBy('event_id', newestFirst ? 'desc' : 'asc')
    .offset(offset)
    .limit(limit)
    .execute();
  return {
    total: Number(total),
    events: rows.map((row) => ({
      clusterId: row.cluster_id,
      time: row.time,
      type: row.type,
      details: row.details,
    })),
  };
}
