/** Simulated clusters and their states. */
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
} from './cluster-nodes.ts';
import {
  clusterChannel,
  clusterOf,
  findCluster,
  insertEvents,
  insertClusterIfMissing,
  recordEvent,
} from './cluster-rows.ts';
import { retryTransient } from '../transient-errors.ts';
import type { Database } from '../schema.ts';

/** The clusters of this database. While it is away every call waits for it. */
export function createClusterStore(
  db: Kysely<Database>,
  clock: Clock,
  log: Log,
  rules: NodeLimits = unlimitedNodes,
): ClusterStore {
  const waiting = <Result>(work: () => Promise<Result>): Promise<Result> => retryTransient(clock, log, work);
  return {
    create: (cluster, running, fence) => waiting(() => insertForRun(db, rules, cluster, running, fence)),
    find: (clusterId) => waiting(() => findCluster(db, clusterId)),
    listByRun: (jobRunId) =>
      waiting(async () => {
        const rows = await db
          .selectFrom('clusters')
          .selectAll()
          .where('job_run_id', '=', jobRunId)
          .where('state', '<>', 'TERMINATED')
          .execute();
        return rows.map(clusterOf);
      }),
    markRunning: (clusterId, sparkContextId, now) =>
      waiting(() => markStarted(db, clusterId, sparkContextId, now)),
    terminate: (clusterIds, termination, now, lost) =>
      waiting(async () => {
        if (clusterIds.length > 0)
          await terminateClusters(db, rules, { clusterIds, termination, now, lost: lost !== undefined });
      }),
    ensureAllPurpose: (cluster, sparkContextId) =>
      waiting(async () => {
        await insertClusterIfMissing(db, cluster, { running: sparkContextId, nodes: cluster.wantedNodes });
        const row = await db
          .selectFrom('clusters')
          .selectAll()
          .where('cluster_id', '=', cluster.clusterId)
          .executeTakeFirstOrThrow();
        return clusterOf(row);
      }),
    recordEvent: (clusterId, type, details, now) =>
      waiting(() => recordEvent(db, clusterId, now, [type, details])),
    rescale: (clusterId, now) =>
      waiting(async () => {
        await resizeCluster(db, rules, clusterId, now, async (transaction, { spec: { autoscale } }) =>
          Check(AutoScale, autoscale)
            ? { workers: desiredWorkers(autoscale, await countRunningTasks(transaction, clusterId)) }
            : undefined,
        );
      }),
    preempt: (clusterId, workers, now) => waiting(() => preemptWorkers(db, rules, clusterId, workers, now)),
    recordUse: (clusterId, now) =>
      waiting(async () => {
        await db
          .updateTable('clusters')
          .set({ last_used_time: now })
          .where('cluster_id', '=', clusterId)
          .execute();
      }),
  };
}

/** Nobody would terminate a cluster that is made for a run which another node drives, or which is over. */
function insertForRun(
  db: Kysely<Database>,
  rules: NodeLimits,
  cluster: NewClusterRow,
  running: string | undefined,
  fence: number,
): Promise<'created' | 'refused'> {
  return db.transaction().execute(async (transaction) => {
    // Locked, so that whoever takes the run over finds the cluster, or has taken it before.
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
 * A new cluster, with its nodes if there are enough for it and all that came before; else it waits for them.
 */
export async function insertWithNodes(
  transaction: Transaction<Database>,
  rules: NodeLimits,
  cluster: NewClusterRow,
  first: { readonly running: string | undefined; readonly startingNode?: string },
): Promise<void> {
  const [scarce] = await lockPools(transaction, [cluster.poolId], rules);
  await insertClusterIfMissing(transaction, cluster, {
    ...first,
    nodes: scarce === undefined ? cluster.wantedNodes : 0,
  });
  if (scarce !== undefined) await allocateNodes(transaction, scarce, rules, cluster.createdTime);
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
      .set({ state: 'RUNNING', spark_context_id: sparkContextId, started_time: now, starting_node: null })
      .where('cluster_id', '=', clusterId)
      .where('state', '=', 'PENDING')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return (await findCluster(transaction, clusterId))?.state === 'RUNNING';
    await insertEvents(transaction, clusterId, now, [
      ['RUNNING', { current_num_workers: Math.max(0, row.nodes - 1), target_num_workers: row.workers }],
    ]);
    // Tasks of other runs may wait for an all-purpose cluster, on other engines, too.
    if (row.kind === 'ALL_PURPOSE')
      await sql`select pg_notify(${clusterChannel}, ${clusterId})`.execute(transaction);
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
  ending: TerminationRequest,
): Promise<void> {
  // One statement where no nodes have to be counted: most clusters end this way.
  if (!rules.limited) return markTerminated(db, ending);
  await db.transaction().execute(async (transaction) => {
    const pools = await transaction
      .selectFrom('clusters')
      .select('pool_id')
      .distinct()
      .where('cluster_id', 'in', ending.clusterIds)
      .execute();
    const scarce = await lockPools(
      transaction,
      pools.map((row) => row.pool_id),
      rules,
    );
    await markTerminated(transaction, ending);
    for (const poolId of scarce) await allocateNodes(transaction, poolId, rules, ending.now);
  });
}

async function markTerminated(
  db: Kysely<Database>,
  { clusterIds, termination: { code, parameters }, now, lost }: TerminationRequest,
): Promise<void> {
  const details: ClusterEventDetails = { reason: { code, ...(parameters && { parameters }) } };
  const types = lost ? ['NODES_LOST', 'TERMINATING'] : ['TERMINATING'];
  // What ends because its work is done is used by nobody: the others are told.
  const telling = code !== 'JOB_FINISHED';
  await sql`
    with ended as (
      update clusters set state = 'TERMINATED', nodes = 0, terminated_time = ${now}, termination_reason = ${code},
        termination_parameters = ${parameters === undefined ? null : JSON.stringify(parameters)}::jsonb, starting_node = null
      where cluster_id = any(${clusterIds}::text[]) and state <> 'TERMINATED' returning cluster_id
    ), noted as (
      insert into cluster_events (cluster_id, time, type, details)
      select cluster_id, ${now}, type, ${JSON.stringify(details)}::jsonb from ended, unnest(${types}::text[]) with ordinality as t (type, place) order by cluster_id, place
    )
    select pg_notify(${clusterChannel}, cluster_id) from ended where ${telling}`.execute(db);
}
