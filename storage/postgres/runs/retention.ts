/** Runs and clusters that have been kept long enough. */
import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * Ids of runs that are over and started before then (epoch ms), oldest first, `limit` at the most: a batch
 * never blocks.
 */
export async function listExpiredRuns(
  db: Kysely<Database>,
  startedBefore: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select('run_id')
    .where('start_time', '<', startedBefore)
    .where('active', '=', false)
    .orderBy('start_time')
    .orderBy('run_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.run_id);
}

/**
 * Removes all-purpose clusters that ended before then (epoch ms), `limit` at the most; gives their ids,
 * because their directories stay.
 */
export async function removeOldClusters(
  db: Kysely<Database>,
  endedBefore: number,
  limit: number,
): Promise<string[]> {
  const old = db
    .selectFrom('clusters')
    .select('cluster_id')
    .where('kind', '=', 'ALL_PURPOSE')
    .where('terminated_time', '<', endedBefore)
    .limit(limit);
  // One that starts again this very moment is not TERMINATED any more when its row is free.
  const rows = await db
    .deleteFrom('clusters')
    .where('cluster_id', 'in', old)
    .where('state', '=', 'TERMINATED')
    .returning('cluster_id')
    .execute();
  return rows.map((row) => row.cluster_id);
}

/**
 * Removes what happened to all-purpose clusters before then (epoch ms), `limit` events at the most. Those of
 * other clusters go with their runs.
 */
export async function removeOldClusterEvents(
  db: Kysely<Database>,
  before: number,
  limit: number,
): Promise<number> {
  const old = db
    .selectFrom('cluster_events')
    .innerJoin('clusters', 'clusters.cluster_id', 'cluster_events.cluster_id')
    .select('event_id')
    .where('clusters.kind', '=', 'ALL_PURPOSE')
    .where('cluster_events.time', '<', before)
    .limit(limit);
  const [result] = await db.deleteFrom('cluster_events').where('event_id', 'in', old).execute();
  return Number(result?.numDeletedRows ?? 0);
}
