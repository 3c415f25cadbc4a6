/** Rows of clusters and their events: written, read, and told to whoever waits. */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Cluster, NewClusterRow } from '../../../engine/cluster/cluster.ts';
import type { ClusterEventType, ClusterEventDetails } from '../../../engine/cluster/events.ts';
import type { Termination } from '../../../engine/cluster/termination.ts';
import type { ClusterTable } from './cluster-schema.ts';
import type { Database } from '../schema.ts';

/** The channel on which engines tell each other that something happened to a cluster. */
export const clusterChannel = 'runyard_clusters';

/**
 * Notes what has happened, unless the same was noted last: an engine that goes on for another says it again.
 */
export async function recordEvent(
  db: Kysely<Database>,
  clusterId: string,
  now: number,
  [type, details]: NewClusterEvent,
): Promise<void> {
  await sql`
    insert into cluster_events (cluster_id, time, type, details)
    select ${clusterId}, ${now}, ${type}, ${JSON.stringify(details)}::jsonb
    where (select type from cluster_events where cluster_id = ${clusterId} order by event_id desc limit 1) is distinct from ${type}`.execute(
    db,
  );
}

/** What has happened to a cluster, without the when. */
export type NewClusterEvent = readonly [ClusterEventType, ClusterEventDetails];

/** How a cluster stands when its row is made. */
export interface InitialState {
  /** Its context, when it runs at once. */
  readonly running: string | undefined;
  readonly nodes: number;
  readonly startingNode?: string;
}

/** A cluster that is there already stays as it is: so a call may be repeated when its connection broke. */
export async function insertClusterIfMissing(
  db: Kysely<Database>,
  cluster: NewClusterRow,
  first: InitialState,
): Promise<boolean> {
  const made = await db
    .insertInto('clusters')
    .values(rowOf(cluster, first))
    .onConflict((conflict) => conflict.doNothing())
    .returning('cluster_id')
    .executeTakeFirst();
  if (made === undefined) return false;
  const size = { target_num_workers: cluster.workers };
  const creating: NewClusterEvent = [
    'CREATING',
    { ...size, ...(cluster.creator !== undefined && { user: cluster.creator }) },
  ];
  const running: NewClusterEvent = ['RUNNING', { ...size, current_num_workers: cluster.workers }];
  await insertEvents(
    db,
    cluster.clusterId,
    cluster.createdTime,
    first.running === undefined ? [creating] : [creating, running],
  );
  return true;
}

function rowOf(cluster: NewClusterRow, { running, nodes, startingNode = undefined }: InitialState) {
  return {
    cluster_id: cluster.clusterId,
    kind: cluster.kind,
    name: cluster.name,
    state: running === undefined ? ('PENDING' as const) : ('RUNNING' as const),
    job_run_id: cluster.jobRunId ?? null,
    cluster_key: cluster.key ?? null,
    spec: JSON.stringify(cluster.spec),
    creator: cluster.creator ?? null,
    spark_context_id: running ?? null,
    created_time: cluster.createdTime,
    started_time: running === undefined ? null : cluster.createdTime,
    terminated_time: null,
    termination_reason: null,
    termination_parameters: null,
    pool_id: cluster.poolId,
    workers: cluster.workers,
    wanted: cluster.wantedNodes,
    nodes,
    starting_node: startingNode ?? null,
    last_used_time: null,
    owes_logs: cluster.spec['cluster_log_conf'] !== undefined,
  };
}

export async function insertEvents(
  db: Kysely<Database>,
  clusterId: string,
  now: number,
  happenings: readonly NewClusterEvent[],
): Promise<void> {
  await db
    .insertInto('cluster_events')
    .values(
      happenings.map(([type, details]) => ({
        cluster_id: clusterId,
        time: now,
        type,
        details: JSON.stringify(details),
      })),
    )
    .execute();
}

/** Tells all engines that something happened to a cluster. */
export async function notifyCluster(transaction: Transaction<Database>, clusterId: string): Promise<void> {
  await sql`select pg_notify(${clusterChannel}, ${clusterId})`.execute(transaction);
}

export async function findCluster(db: Kysely<Database>, clusterId: string): Promise<Cluster | undefined> {
  const row = await db
    .selectFrom('clusters')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst();
  return row === undefined ? undefined : clusterOf(row);
}

export function clusterOf(row: Selectable<ClusterTable>): Cluster {
  return {
    clusterId: row.cluster_id,
    kind: row.kind,
    name: row.name,
    state: row.state,
    jobRunId: row.job_run_id ?? undefined,
    key: row.cluster_key ?? undefined,
    spec: row.spec,
    creator: row.creator ?? undefined,
    sparkContextId: row.spark_context_id ?? undefined,
    createdTime: row.created_time,
    startedTime: row.started_time ?? undefined,
    terminatedTime: row.terminated_time ?? undefined,
    termination: terminationOf(row),
    poolId: row.pool_id,
    workers: row.workers,
    wantedNodes: row.wanted,
    nodes: row.nodes,
    generation: row.ticket,
  };
}

function terminationOf({
  termination_reason: code,
  termination_parameters: parameters,
}: Selectable<ClusterTable>): Termination | undefined {
  if (code === null) return undefined;
  return { code, ...(parameters !== null && { parameters }) };
}
