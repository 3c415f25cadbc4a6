/** Rows of clusters through their states: created, running, terminated. */
import { sql, type Kysely, type Transaction } from 'kysely';
import { Check } from 'typebox/value';
import type { Clock } from '../../../engine/clock.ts';
import { desiredWorkers } from '../../../engine/cluster/autoscale.ts';
import type { NewClusterRow } from '../../../engine/cluster/cluster.ts';
import type { ClusterEventDetails } from '../../../engine/cluster/events.ts';
import type { Termination } from '../../../engine/cluster/termination.ts';
import type { ClusterStore } from '../../../engine/ports/clusters.ts';
import { AutoScale } from '../../../engine/job/cluster.ts';
import type { Log } from '../../../engine/ports/log.ts';
import {
  allocateNodes,
  countRunningTasks,
  lockPools,
  preemptWorkers,
  resizeCluster,
  unlimitedNodes,
  type NodeLimits,
  listNodeHolders,
} from './cluster-nodes.ts';
import {
  clusterChannel,
  clusterOf,
  findCluster,
  insertEvents,
  insertClusterIfMissing,
  notifyCluster,
  recordEvent,
} from './cluster-rows.ts';
import { retryTransient } from '../transient-errors.ts';
import type { Database } from '../schema.ts';

/** Creates the cluster store. Every call retries while the database is unavailable. */
export function createClusterStore(
  db: Kysely<Database>,
  clock: Clock,
  log: Log,
  rules: NodeLimits = unlimitedNodes,
): ClusterStore {
  const withRetry = <Result>(work: () => Promise<Result>): Promise<Result> =>
    retryTransient(clock, log, work);
  return {
    create: (cluster, running, fence) => withRetry(() => insertForRun(db, rules, cluster, running, fence)),
    find: (clusterId) => withRetry(() => findCluster(db, clusterId)),
    listNodeHolders: (poolId) => withRetry(() => listNodeHolders(db, poolId)),
    listByRun: (jobRunId) =>
      withRetry(async () => {
        const rows = await db
          .selectFrom('clusters')
          .selectAll()
          .where('job_run_id', '=', jobRunId)
          .where('state', '<>', 'TERMINATED')
          .execute();
        return rows.map(clusterOf);
      }),
    markRunning: (clusterId, sparkContextId, now) =>
      withRetry(() => markStarted(db, clusterId, sparkContextId, now)),
    terminate: (clusterIds, termination, now, lost) =>
      withRetry(async () => {
        if (clusterIds.length > 0)
          await terminateClusters(db, rules, { clusterIds, termination, now, lost: lost !== undefined });
      }),
    ensureAllPurpose: (cluster, sparkContextId) =>
      withRetry(async () => {
        await insertClusterIfMissing(db, cluster, { running: sparkContextId, nodes: cluster.wantedNodes });
        const row = await db
          .selectFrom('clusters')
          .selectAll()
          .where('cluster_id', '=', cluster.clusterId)
          .executeTakeFirstOrThrow();
        return clusterOf(row);
      }),
    recordEvent: (clusterId, type, details, now) =>
      withRetry(() => recordEvent(db, clusterId, now, [type, details])),
    rescale: (clusterId, now) =>
      withRetry(async () => {
        await resizeCluster(db, rules, clusterId, now, async (transaction, { spec: { autoscale } }) =>
          Check(AutoScale, autoscale)
            ? { workers: desiredWorkers(autoscale, await countRunningTasks(transaction, clusterId)) }
            : undefined,
        );
      }),
    preempt: (clusterId, workers, now) => withRetry(() => preemptWorkers(db, rules, clusterId, workers, now)),
    recordUse: (clusterId, now) =>
      withRetry(async () => {
        await db
          .updateTable('clusters')
          .set({ last_used_time: now })
          .where('cluster_id', '=', clusterId)
          .execute();
      }),
  };
}

/**
 * Inserts a cluster for a run. It is refused when another node drives the run or the run has ended: no engine
 * would terminate that cluster.
 */
function insertForRun(
  db: Kysely<Database>,
  rules: NodeLimits,
  cluster: NewClusterRow,
  running: string | undefined,
  fence: number,
): Promise<'created' | 'refused'> {
  return db.transaction().execute(async (transaction) => {
    // The row lock orders this insert with an adoption of the run: the adopting engine either sees the
    // cluster, or has raised the fence before.
    const own = await transaction
      .selectFrom('runs')
      .select('run_id')
      .where('run_id', '=', cluster.jobRunId ?? 0)
      .where('fence', '=', fence)
      .where('active', '=', true)
      .forShare()
      .executeTakeFirst();
    if (own === undefined) return 'refused';
    await insertWithNodes(transaction, rules, cluster, { running });
    return 'created';
  });
}

/**
 * Inserts a cluster. It gets its nodes when the pool has enough for it and for all clusters that wait before
 * it; otherwise it waits for them.
 */
export async function insertWithNodes(
  transaction: Transaction<Database>,
  rules: NodeLimits,
  cluster: NewClusterRow,
  first: { readonly running: string | undefined; readonly startingNode?: string },
): Promise<void> {
  const [limitedPool] = await lockPools(transaction, [cluster.poolId], rules);
  await insertClusterIfMissing(transaction, cluster, {
    ...first,
    nodes: limitedPool === undefined ? cluster.wantedNodes : 0,
  });
  if (limitedPool !== undefined) await allocateNodes(transaction, limitedPool, rules, cluster.createdTime);
}

function markStarted(
  db: Kysely<Database>,
  clusterId: string,
  sparkContextId: string,
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('clusters')
      .set({
        state: 'RUNNING',
        restarting: false,
        spark_context_id: sparkContextId,
        started_time: now,
        starting_node: null,
      })
      .where('cluster_id', '=', clusterId)
      .where('state', '=', 'PENDING')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return (await findCluster(transaction, clusterId))?.state === 'RUNNING';
    await insertEvents(transaction, clusterId, now, [
      [
        'RUNNING',
        { current_num_workers: Math.max(0, row.granted_nodes - 1), target_num_workers: row.workers },
      ],
    ]);
    // Tasks of other runs, on any engine, may wait for an all-purpose cluster.
    if (row.kind === 'ALL_PURPOSE') await notifyCluster(transaction, clusterId);
    return true;
  });
}

interface TerminationRequest {
  readonly clusterIds: readonly string[];
  readonly termination: Termination;
  readonly now: number;
  readonly lost: boolean;
}

async function terminateClusters(
  db: Kysely<Database>,
  rules: NodeLimits,
  request: TerminationRequest,
): Promise<void> {
  // Without limited pools no nodes are counted, and one statement is enough.
  if (!rules.limited) return markTerminated(db, request);
  await db.transaction().execute(async (transaction) => {
    const pools = await transaction
      .selectFrom('clusters')
      .select('pool_id')
      .distinct()
      .where('cluster_id', 'in', request.clusterIds)
      .execute();
    const limitedPools = await lockPools(
      transaction,
      pools.map((row) => row.pool_id),
      rules,
    );
    await markTerminated(transaction, request);
    for (const poolId of limitedPools) await allocateNodes(transaction, poolId, rules, request.now);
  });
}

async function markTerminated(
  db: Kysely<Database>,
  { clusterIds, termination: { code, parameters }, now, lost }: TerminationRequest,
): Promise<void> {
  const details: ClusterEventDetails = { reason: { code, ...(parameters && { parameters }) } };
  const types = lost ? ['NODES_LOST', 'TERMINATING'] : ['TERMINATING'];
  // A cluster that ends because its job finished has no other users; in all other cases engines are notified.
  const notifies = code !== 'JOB_FINISHED';
  await sql`
    with ended as (
      update clusters set state = 'TERMINATED', granted_nodes = 0, terminated_time = ${now}, termination_reason = ${code},
        termination_parameters = ${parameters === undefined ? null : JSON.stringify(parameters)}::jsonb, starting_node = null
      where cluster_id = any(${clusterIds}::text[]) and state <> 'TERMINATED' returning cluster_id
    ), recorded as (
      insert into cluster_events (cluster_id, time, type, details)
      select cluster_id, ${now}, type, ${JSON.stringify(details)}::jsonb
      from ended, unnest(${types}::text[]) with ordinality as event (type, position) order by cluster_id, position
    )
    select pg_notify(${clusterChannel}, cluster_id) from ended where ${notifies}`.execute(db);
}
