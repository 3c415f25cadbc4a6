/** Which installation this database is: its files must be told from those of every other. */
import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** The id that this database was given when it was made, and whether it has taken any run yet. */
export async function readInstallation(
  db: Kysely<Database>,
): Promise<{ readonly id: string; readonly hasRuns: boolean }> {
  const { installation_id: id } = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  const run = await db.selectFrom('runs').select('run_id').limit(1).executeTakeFirst();
  return { id, hasRuns: run !== undefined };
}
