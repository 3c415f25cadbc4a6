/** Rows of clusters and cluster events, and the notification of engines that wait for a cluster. */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Cluster, NewClusterRow } from '../../../engine/cluster/cluster.ts';
import type { ClusterEventType, ClusterEventDetails } from '../../../engine/cluster/events.ts';
import type { Termination } from '../../../engine/cluster/termination.ts';
import type { ClusterTable } from './cluster-schema.ts';
import { notify } from '../listen.ts';
import type { Database } from '../schema.ts';

/** NOTIFY channel for changes of clusters; the payload is a cluster id. */
export const clusterChannel = 'runyard_clusters';

/**
 * Records an event unless the latest event has the same type: an engine that resumes the work of another one
 * records it again.
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

/** Type and details of an event, without its time. */
export type NewClusterEvent = readonly [ClusterEventType, ClusterEventDetails];

/** State of a cluster when its row is inserted. */
export interface InitialState {
  /** The Spark context id when the cluster is running from the start. */
  readonly running: string | undefined;
  readonly nodes: number;
  readonly startingNode?: string;
}

/** Inserts a cluster. An existing row is kept, so that a call whose connection broke can be repeated. */
export async function insertClusterIfMissing(
  db: Kysely<Database>,
  cluster: NewClusterRow,
  first: InitialState,
): Promise<boolean> {
  const inserted = await db
    .insertInto('clusters')
    .values(rowOf(cluster, first))
    .onConflict((conflict) => conflict.doNothing())
    .returning('cluster_id')
    .executeTakeFirst();
  if (inserted === undefined) return false;
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
    requested_nodes: cluster.wantedNodes,
    granted_nodes: nodes,
    starting_node: startingNode ?? null,
    last_used_time: null,
    logs_pending: cluster.spec['cluster_log_conf'] !== undefined,
    pinned_time: null,
  };
}

export async function insertEvents(
  db: Kysely<Database>,
  clusterId: string,
  now: number,
  events: readonly NewClusterEvent[],
): Promise<void> {
  await db
    .insertInto('cluster_events')
    .values(
      events.map(([type, details]) => ({
        cluster_id: clusterId,
        time: now,
        type,
        details: JSON.stringify(details),
      })),
    )
    .execute();
}

/** Notifies all engines of a change of the cluster. */
export async function notifyCluster(transaction: Transaction<Database>, clusterId: string): Promise<void> {
  await notify(transaction, clusterChannel, clusterId);
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
    wantedNodes: row.requested_nodes,
    nodes: row.granted_nodes,
    generation: row.ticket,
    pinned: row.pinned_time !== null,
    restarting: row.restarting,
    restricted: row.permissions_set,
  };
}

function terminationOf({
  termination_reason: code,
  termination_parameters: parameters,
}: Selectable<ClusterTable>): Termination | undefined {
  if (code === null) return undefined;
  return { code, ...(parameters !== null && { parameters }) };
}
