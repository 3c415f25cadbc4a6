/** Starts, restarts and edits of all-purpose clusters: state changes that request nodes again. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { AllPurposeStore, StartRequest } from '../../../engine/ports/clusters.ts';
import { checkClusterQuota } from './cluster-quota.ts';
import { allocateNodes, lockPools, type NodeLimits } from './cluster-nodes.ts';
import { insertEvents, notifyCluster } from './cluster-rows.ts';
import type { Database } from '../schema.ts';

/** Locks the cluster and its pool, then requests its nodes; false when the cluster is not in the state. */
export function requestStart(
  db: Kysely<Database>,
  rules: NodeLimits,
  state: 'TERMINATED' | 'RUNNING',
  request: StartRequest,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const own = await findPool(transaction, request.clusterId);
    if (own === undefined) return false;
    await checkClusterQuota(transaction, request.quota);
    const limitedPools = await lockPools(transaction, [own.pool_id], rules);
    if (!(await markStarting(transaction, { ...request, state, limited: limitedPools.length > 0 })))
      return false;
    for (const poolId of limitedPools) await allocateNodes(transaction, poolId, rules, request.now);
    return true;
  });
}

/**
 * Replaces name, specification and size of an all-purpose cluster. A running one restarts; the tasks on it lose
 * their cluster.
 */
export function editCluster(
  db: Kysely<Database>,
  rules: NodeLimits,
  { name, spec, poolId, workers }: Parameters<AllPurposeStore['edit']>[0],
  request: StartRequest,
): ReturnType<AllPurposeStore['edit']> {
  const { clusterId, now, user } = request;
  return db.transaction().execute(async (transaction) => {
    const own = await findPool(transaction, clusterId);
    if (own === undefined) return 'refused';
    const limitedPools = await lockPools(transaction, [own.pool_id, poolId], rules);
    const row = await transaction
      .selectFrom('clusters')
      .select('state')
      .where('cluster_id', '=', clusterId)
      .where('kind', '=', 'ALL_PURPOSE')
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined || row.state === 'PENDING') return 'refused';
    await transaction
      .updateTable('clusters')
      .set({
        name,
        spec: JSON.stringify(spec),
        pool_id: poolId,
        workers,
        requested_nodes: workers + 1,
        granted_nodes: 0,
      })
      .where('cluster_id', '=', clusterId)
      .execute();
    await insertEvents(transaction, clusterId, now, [['EDITED', user === undefined ? {} : { user }]]);
    const isRunning = row.state === 'RUNNING';
    if (isRunning)
      await markStarting(transaction, {
        ...request,
        state: 'RUNNING',
        limited: limitedPools.includes(poolId),
      });
    for (const pool of limitedPools) await allocateNodes(transaction, pool, rules, now);
    return isRunning ? 'restarting' : 'edited';
  });
}

function findPool(transaction: Transaction<Database>, clusterId: string) {
  return transaction
    .selectFrom('clusters')
    .select('pool_id')
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst();
}

interface Starting extends StartRequest {
  readonly state: 'TERMINATED' | 'RUNNING';
  /** True: the pool has a capacity, and the cluster waits for its nodes. */
  readonly limited: boolean;
}

/** TERMINATED or RUNNING -> PENDING. Tasks on a running cluster are signalled: its context ends. */
async function markStarting(
  transaction: Transaction<Database>,
  { clusterId, state, nodeId, now, user, limited }: Starting,
): Promise<boolean> {
  const restarting = state === 'RUNNING';
  const row = await transaction
    .updateTable('clusters')
    .set((own) => ({
      state: 'PENDING',
      restarting,
      spark_context_id: null,
      started_time: null,
      terminated_time: null,
      termination_reason: null,
      termination_parameters: null,
      granted_nodes: limited ? 0 : own.ref('requested_nodes'),
      ticket: sql<number>`nextval('cluster_tickets')`,
      starting_node: nodeId,
      logs_pending: sql<boolean>`spec -> 'cluster_log_conf' is not null`,
    }))
    .where('cluster_id', '=', clusterId)
    .where('kind', '=', 'ALL_PURPOSE')
    .where('state', '=', state)
    .returning('workers')
    .executeTakeFirst();
  if (row === undefined) return false;
  await insertEvents(transaction, clusterId, now, [
    [
      restarting ? 'RESTARTING' : 'STARTING',
      { target_num_workers: row.workers, ...(user !== undefined && { user }) },
    ],
  ]);
  if (restarting) await notifyCluster(transaction, clusterId);
  return true;
}
