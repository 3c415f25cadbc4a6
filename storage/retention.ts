/** Runs that have been kept long enough. */
import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** Ids of runs that are over and started before then (epoch ms), oldest first, `limit` at the most: a batch never blocks. */
export async function expiredRuns(db: Kysely<Database>, startedBefore: number, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('runs').select('run_id')
    .where('start_time', '<', startedBefore).where('active', '=', false)
    .orderBy('start_time').orderBy('run_id').limit(limit).execute();
  return rows.map((row) => row.run_id);
}
