/** Reader of clusters and their events, for the API. */
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import type { ClusterEventFilter, ClusterListFilter, ClusterReader } from '../../../engine/ports/clusters.ts';
import { clusterOf, findCluster } from './cluster-rows.ts';
import { bindDatabase } from '../bind-database.ts';
import type { Database } from '../schema.ts';

export function createClusterReader(db: Kysely<Database>): ClusterReader {
  return bindDatabase(db, { find: findCluster, list: listClusters, listEvents: listClusterEvents });
}

/** State as clients see it, see ShownClusterState. */
const shownState = sql<string>`case
  when state = 'PENDING' and restarting then 'RESTARTING'
  when state = 'RUNNING' and granted_nodes < requested_nodes then 'RESIZING'
  else state end`;

async function listClusters(
  db: Kysely<Database>,
  { states, kinds, pinned, policyId, order }: ClusterListFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): ReturnType<ClusterReader['list']> {
  let query = db.selectFrom('clusters').selectAll();
  if (states !== undefined) query = query.where(sql<boolean>`${shownState} = any(${states}::text[])`);
  if (kinds !== undefined) query = query.where(sql<boolean>`kind = any(${kinds}::text[])`);
  if (pinned !== undefined) query = query.where('pinned_time', pinned ? 'is not' : 'is', null);
  if (policyId !== undefined) query = query.where(sql<boolean>`spec ->> 'policy_id' = ${policyId}`);
  const rows = await orderClusters(query, order).offset(offset).limit(limit).execute();
  return rows.map(clusterOf);
}

function orderClusters<Row>(
  query: SelectQueryBuilder<Database, 'clusters', Row>,
  order: ClusterListFilter['order'],
): SelectQueryBuilder<Database, 'clusters', Row> {
  if (order === undefined) return query.orderBy('created_time', 'desc').orderBy('cluster_id');
  const direction = order.descending ? 'desc' : 'asc';
  const byState =
    order.field === 'DEFAULT'
      ? query.orderBy(sql`state = 'TERMINATED'`, direction).orderBy(sql`pinned_time is null`, direction)
      : query;
  return byState.orderBy('name', direction).orderBy('cluster_id', direction);
}

async function listClusterEvents(
  db: Kysely<Database>,
  { clusterId, from, to, types, newestFirst, offset, limit }: ClusterEventFilter,
): ReturnType<ClusterReader['listEvents']> {
  let query = db.selectFrom('cluster_events').where('cluster_id', '=', clusterId);
  if (from !== undefined) query = query.where('time', '>=', from);
  if (to !== undefined) query = query.where('time', '<=', to);
  if (types !== undefined && types.length > 0)
    query = query.where(sql<boolean>`type = any(${types}::text[])`);
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
