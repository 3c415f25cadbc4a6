/** Runs and clusters past their retention period. */
import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Lists up to `limit` runs that ended before `endedBefore` (epoch ms), by start time, oldest first. */
export async function listExpiredRuns(
  db: Kysely<Database>,
  endedBefore: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select('run_id')
    // No run ends before it starts. The index on start times leaves few runs to be checked: long and repaired ones.
    .where('start_time', '<', endedBefore)
    .where('end_time', '<', endedBefore)
    .where('active', '=', false)
    .orderBy('start_time')
    .orderBy('run_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.run_id);
}

/**
 * Removes up to `limit` all-purpose clusters that terminated before `endedBefore` (epoch ms). Returns their
 * ids; the caller removes the directories.
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
    .where('pinned_time', 'is', null)
    .limit(limit);
  // A cluster that restarts concurrently is not TERMINATED any more when its row lock is released.
  const rows = await db
    .deleteFrom('clusters')
    .where('cluster_id', 'in', old)
    .where('state', '=', 'TERMINATED')
    .where('pinned_time', 'is', null)
    .returning('cluster_id')
    .execute();
  return rows.map((row) => row.cluster_id);
}

/**
 * Removes up to `limit` events of all-purpose clusters before `before` (epoch ms). Events of job clusters
 * are removed with their runs.
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

/**
 * Removes up to `limit` revisions of settings that their jobs have replaced and no run has any more. Returns how many.
 */
export async function removeUnusedSettings(db: Kysely<Database>, limit: number): Promise<number> {
  // Runs that share a revision have numbers up to its last one; the job gives it to no further run.
  const { rows } = await sql`
    delete from job_settings using (
      select job_id, revision from job_settings as replaced
      where last_number is not null and not exists (
        select from runs where runs.job_id = replaced.job_id and runs.number_in_job <= replaced.last_number)
      limit ${limit}) as unused
    where job_settings.job_id = unused.job_id and job_settings.revision = unused.revision
    returning job_settings.revision`.execute(db);
  return rows.length;
}
