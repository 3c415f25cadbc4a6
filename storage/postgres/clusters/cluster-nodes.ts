/**
 * The nodes of pools: who holds how many is decided under a lock, by counting rows, so that no number can
 * leak (DESIGN section 4).
 */
import { sql, type Kysely, type Transaction } from 'kysely';
import { allocatePoolNodes } from '../../../engine/cluster/node-allocation.ts';
import { actualWorkers, type Cluster } from '../../../engine/cluster/cluster.ts';
import { clusterOf, insertEvents, notifyCluster, type NewClusterEvent } from './cluster-rows.ts';
import type { Database } from '../schema.ts';

/** How many nodes pools have. */
export interface NodeLimits {
  /** Whether any pool can be used up; without one nothing is locked. */
  readonly limited: boolean;
  /** Nodes of a pool at the most; undefined: any number. */
  readonly capacityOf: (poolId: string) => number | undefined;
}

export const unlimitedNodes: NodeLimits = { limited: false, capacityOf: () => undefined };

/** Any number that nobody else takes for advisory locks of this database. */
const poolLockFamily = 7_401_115;

/**
 * Locks pools for this transaction, if they can be used up. Taken before any row of a cluster is locked, and
 * in one order.
 */
export async function lockPools(
  transaction: Transaction<Database>,
  poolIds: readonly string[],
  { capacityOf }: NodeLimits,
): Promise<string[]> {
  const scarce = [...new Set(poolIds)].filter((poolId) => capacityOf(poolId) !== undefined).toSorted();
  for (const poolId of scarce)
    await sql`select pg_advisory_xact_lock(${poolLockFamily}, hashtext(${poolId}))`.execute(transaction);
  return scarce;
}

/** Gives the free nodes of a locked pool to those that wait for them. */
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
  const held = rows.reduce((sum, row) => sum + row.nodes, 0);
  const waiting = rows
    .filter((row) => row.nodes < row.wanted)
    .map((row) => ({
      clusterId: row.cluster_id,
      running: row.state === 'RUNNING',
      wanted: row.wanted,
      held: row.nodes,
    }));
  for (const { clusterId, nodes } of allocatePoolNodes(capacityOf(poolId), held, waiting)) {
    const given = await transaction
      .updateTable('clusters')
      .set({ nodes })
      .where('cluster_id', '=', clusterId)
      .where('state', '<>', 'TERMINATED')
      .returningAll()
      .executeTakeFirst();
    if (given === undefined) continue;
    if (given.state === 'PENDING') await notifyCluster(transaction, clusterId);
    else if (given.nodes === given.wanted)
      await insertEvents(transaction, clusterId, now, [upsizeCompletedEvent(clusterOf(given))]);
  }
}

function upsizeCompletedEvent(cluster: Cluster): NewClusterEvent {
  return [
    'UPSIZE_COMPLETED',
    { current_num_workers: actualWorkers(cluster), target_num_workers: cluster.workers },
  ];
}

/**
 * Changes the size of a running cluster, in one transaction with whatever that means for its pool.
 * @param change the number of workers to want, asked for when the cluster is locked; undefined: it stays as
 *   it is
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
    const wish = await change(transaction, cluster);
    if (wish === undefined) return;
    const most = (rules.capacityOf(cluster.poolId) ?? Infinity) - 1;
    const workers = Math.min(wish.workers, most);
    if (workers === cluster.workers) return;
    const nodes = Math.min(cluster.nodes, workers + 1);
    await transaction
      .updateTable('clusters')
      .set({ workers, wanted: workers + 1, nodes, ticket: sql<number>`nextval('cluster_tickets')` })
      .where('cluster_id', '=', clusterId)
      .execute();
    const details = {
      current_num_workers: actualWorkers(cluster),
      target_num_workers: workers,
      ...(wish.user !== undefined && { user: wish.user }),
    };
    await insertEvents(transaction, clusterId, now, [['RESIZING', details]]);
  });
}

/** Takes workers of a running cluster away; it wants as many as before. Says how many went. */
export async function preemptWorkers(
  db: Kysely<Database>,
  rules: NodeLimits,
  clusterId: string,
  workers: number,
  now: number,
): Promise<number> {
  let taken = 0;
  await withLockedCluster(db, rules, clusterId, now, async (transaction, cluster) => {
    taken = Math.min(workers, actualWorkers(cluster));
    if (taken === 0) return;
    await transaction
      .updateTable('clusters')
      .set({ nodes: cluster.nodes - taken, ticket: sql<number>`nextval('cluster_tickets')` })
      .where('cluster_id', '=', clusterId)
      .execute();
    await insertEvents(transaction, clusterId, now, [
      [
        'NODES_LOST',
        { current_num_workers: actualWorkers(cluster) - taken, target_num_workers: cluster.workers },
      ],
    ]);
  });
  return taken;
}

/**
 * Does something to a locked cluster that runs, and gives out what its pool has then. False when it does not
 * run.
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

/** Of a pool without end a cluster gets what it wants at once. */
async function allocateAllNodes(
  transaction: Transaction<Database>,
  clusterId: string,
  now: number,
): Promise<void> {
  const filled = await transaction
    .updateTable('clusters')
    .set((row) => ({ nodes: row.ref('wanted') }))
    .where('cluster_id', '=', clusterId)
    .whereRef('nodes', '<', 'wanted')
    .returningAll()
    .executeTakeFirst();
  if (filled !== undefined)
    await insertEvents(transaction, clusterId, now, [upsizeCompletedEvent(clusterOf(filled))]);
}

/**
 * Task runs that run on a cluster. Looked for among the active runs: an index on their clusters would cost
 * every task more.
 */
export async function countRunningTasks(
  transaction: Transaction<Database>,
  clusterId: string,
): Promise<number> {
  const { count } = await transaction
    .selectFrom('task_runs')
    .innerJoin('runs', 'runs.run_id', 'task_runs.job_run_id')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('runs.active', '=', true)
    .where('task_runs.cluster_id', '=', clusterId)
    .where('task_runs.state', '=', 'RUNNING')
    .executeTakeFirstOrThrow();
  return Number(count);
}
