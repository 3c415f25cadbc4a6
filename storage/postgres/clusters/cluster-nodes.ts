/**
 * Allocation of pool nodes. It runs under a lock and counts rows, so that no stored counter can drift after a
 * crash.
 */
import { sql, type Kysely, type Transaction } from 'kysely';
import { allocatePoolNodes } from '../../../engine/cluster/node-allocation.ts';
import { actualWorkers, type Cluster } from '../../../engine/cluster/cluster.ts';
import { clusterOf, insertEvents, notifyCluster, type NewClusterEvent } from './cluster-rows.ts';
import { lockUntilCommit } from '../advisory-locks.ts';
import type { Database } from '../schema.ts';

/** Capacities of the pools. */
export interface NodeLimits {
  /** True when a pool has a capacity; without one no pool is locked. */
  readonly limited: boolean;
  /** Maximum nodes of a pool; undefined when it is unlimited. */
  readonly capacityOf: (poolId: string) => number | undefined;
}

export const unlimitedNodes: NodeLimits = { limited: false, capacityOf: () => undefined };

/**
 * Locks the pools with a capacity for this transaction and returns their ids. To avoid deadlocks, callers
 * take these locks before any row lock on a cluster, and the ids are locked in sorted order.
 */
export async function lockPools(
  transaction: Transaction<Database>,
  poolIds: readonly string[],
  { capacityOf }: NodeLimits,
): Promise<string[]> {
  const limited = [...new Set(poolIds)].filter((poolId) => capacityOf(poolId) !== undefined).toSorted();
  for (const poolId of limited) await lockUntilCommit(transaction, 'instancePool', poolId);
  return limited;
}

/** Allocates the free nodes of a locked pool to the clusters that wait for them. */
export async function allocateNodes(
  transaction: Transaction<Database>,
  poolId: string,
  { capacityOf }: NodeLimits,
  now: number,
): Promise<void> {
  const rows = await transaction
    .selectFrom('clusters')
    .selectAll()
    .where('pool_id', '=', poolId)
    .where('state', '<>', 'TERMINATED')
    .orderBy('ticket')
    .execute();
  const held = rows.reduce((sum, row) => sum + row.granted_nodes, 0);
  const waiting = rows
    .filter((row) => row.granted_nodes < row.requested_nodes)
    .map((row) => ({
      clusterId: row.cluster_id,
      running: row.state === 'RUNNING',
      wanted: row.requested_nodes,
      held: row.granted_nodes,
    }));
  for (const { clusterId, nodes } of allocatePoolNodes(capacityOf(poolId), held, waiting)) {
    const updated = await transaction
      .updateTable('clusters')
      .set({ granted_nodes: nodes })
      .where('cluster_id', '=', clusterId)
      .where('state', '<>', 'TERMINATED')
      .returningAll()
      .executeTakeFirst();
    if (updated === undefined) continue;
    if (updated.state === 'PENDING') await notifyCluster(transaction, clusterId);
    else if (updated.granted_nodes === updated.requested_nodes)
      await insertEvents(transaction, clusterId, now, [upsizeCompletedEvent(clusterOf(updated))]);
  }
}

function upsizeCompletedEvent(cluster: Cluster): NewClusterEvent {
  return [
    'UPSIZE_COMPLETED',
    { current_num_workers: actualWorkers(cluster), target_num_workers: cluster.workers },
  ];
}

/**
 * Resizes a running cluster and reallocates the nodes of its pool, in one transaction.
 * @param change called with the locked cluster; returns the new number of workers, or undefined to keep the
 *   size
 */
export async function resizeCluster(
  db: Kysely<Database>,
  rules: NodeLimits,
  clusterId: string,
  now: number,
  change: (
    transaction: Transaction<Database>,
    cluster: Cluster,
  ) => Promise<{ readonly workers: number; readonly user?: string } | undefined>,
): Promise<boolean> {
  return withLockedCluster(db, rules, clusterId, now, async (transaction, cluster) => {
    const request = await change(transaction, cluster);
    if (request === undefined) return;
    const maxWorkers = (rules.capacityOf(cluster.poolId) ?? Infinity) - 1;
    const workers = Math.min(request.workers, maxWorkers);
    if (workers === cluster.workers) return;
    const nodes = Math.min(cluster.nodes, workers + 1);
    await transaction
      .updateTable('clusters')
      .set({
        workers,
        requested_nodes: workers + 1,
        granted_nodes: nodes,
        ticket: sql<number>`nextval('cluster_tickets')`,
      })
      .where('cluster_id', '=', clusterId)
      .execute();
    const details = {
      current_num_workers: actualWorkers(cluster),
      target_num_workers: workers,
      ...(request.user !== undefined && { user: request.user }),
    };
    await insertEvents(transaction, clusterId, now, [['RESIZING', details]]);
  });
}

/** Removes workers from a running cluster without changing its target size. Returns how many were removed. */
export async function preemptWorkers(
  db: Kysely<Database>,
  rules: NodeLimits,
  clusterId: string,
  workers: number,
  now: number,
): Promise<number> {
  let preempted = 0;
  await withLockedCluster(db, rules, clusterId, now, async (transaction, cluster) => {
    preempted = Math.min(workers, actualWorkers(cluster));
    if (preempted === 0) return;
    await transaction
      .updateTable('clusters')
      .set({ granted_nodes: cluster.nodes - preempted, ticket: sql<number>`nextval('cluster_tickets')` })
      .where('cluster_id', '=', clusterId)
      .execute();
    await insertEvents(transaction, clusterId, now, [
      [
        'NODES_LOST',
        { current_num_workers: actualWorkers(cluster) - preempted, target_num_workers: cluster.workers },
      ],
    ]);
  });
  return preempted;
}

/**
 * Runs `work` on a locked running cluster, then allocates the free nodes of its pool. Returns false when the
 * cluster is not running.
 */
function withLockedCluster(
  db: Kysely<Database>,
  rules: NodeLimits,
  clusterId: string,
  now: number,
  work: (transaction: Transaction<Database>, cluster: Cluster) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const pool = await transaction
      .selectFrom('clusters')
      .select('pool_id')
      .where('cluster_id', '=', clusterId)
      .executeTakeFirst();
    if (pool === undefined) return false;
    await lockPools(transaction, [pool.pool_id], rules);
    const row = await transaction
      .selectFrom('clusters')
      .selectAll()
      .where('cluster_id', '=', clusterId)
      .where('state', '=', 'RUNNING')
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return false;
    await work(transaction, clusterOf(row));
    if (rules.capacityOf(pool.pool_id) === undefined) await allocateAllNodes(transaction, clusterId, now);
    else await allocateNodes(transaction, pool.pool_id, rules, now);
    return true;
  });
}

/** Grants a cluster of an unlimited pool all nodes that it requests. */
async function allocateAllNodes(
  transaction: Transaction<Database>,
  clusterId: string,
  now: number,
): Promise<void> {
  const filled = await transaction
    .updateTable('clusters')
    .set((row) => ({ granted_nodes: row.ref('requested_nodes') }))
    .where('cluster_id', '=', clusterId)
    .whereRef('granted_nodes', '<', 'requested_nodes')
    .returningAll()
    .executeTakeFirst();
  if (filled !== undefined)
    await insertEvents(transaction, clusterId, now, [upsizeCompletedEvent(clusterOf(filled))]);
}

/**
 * Counts the running task runs of a cluster. The query goes through the active runs: an index on cluster_id
 * would make every task update more expensive.
 */
export async function countRunningTasks(
  transaction: Transaction<Database>,
  clusterId: string,
): Promise<number> {
  const { count } = await transaction
    .selectFrom('task_runs')
    .innerJoin('active_runs', 'active_runs.run_id', 'task_runs.job_run_id')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('task_runs.cluster_id', '=', clusterId)
    .where('task_runs.state', '=', 'RUNNING')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Lists the names of the clusters that hold nodes of a pool. */
export async function listNodeHolders(db: Kysely<Database>, poolId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('clusters')
    .select('name')
    .where('pool_id', '=', poolId)
    .where('state', '<>', 'TERMINATED')
    .where('granted_nodes', '>', 0)
    .orderBy('ticket')
    .execute();
  return rows.map((row) => row.name);
}
