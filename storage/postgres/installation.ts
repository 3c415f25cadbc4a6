/** Identity of the installation, which keeps the files of different databases apart. */
import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** Returns the id that the database got at its creation, and whether it has any run. */
export async function readInstallation(
  db: Kysely<Database>,
): Promise<{ readonly id: string; readonly hasRuns: boolean }> {
  const { installation_id: id } = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  const run = await db.selectFrom('runs').select('run_id').limit(1).executeTakeFirst();
  return { id, hasRuns: run !== undefined };
}
