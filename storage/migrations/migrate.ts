/** Applies pending migrations at start. */
import { sql, type Kysely, type Transaction } from 'kysely';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import { lockUntilCommit } from '../postgres/advisory-locks.ts';
import type { Database } from '../postgres/schema.ts';
import { migrations, type Migration } from './registry.ts';
import { UnsupportedSchemaError } from './unsupported-schema-error.ts';

/**
 * Brings the schema up to date, each migration in a transaction of its own. Engines that start at the same
 * time take turns. Migrations of a newer version stay: during an upgrade both versions use the database.
 * @param steps the migrations of this version, in order
 * @throws UnsupportedSchemaError; Error that names the migration that failed
 */
export async function migrate(
  db: Kysely<Database>,
  log: Log,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  await refuseUnfrozenSchema(db);
  const applied = await readAppliedMigrations(db);
  const known = new Set(steps.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  const older = unknown.find((name) => name < (steps.at(-1)?.name ?? ''));
  if (older !== undefined) throw new UnsupportedSchemaError(older);
  for (const step of steps) if (!applied.includes(step.name)) await apply(db, step);
  if (unknown.length > 0)
    log.info(
      { migrations: unknown },
      'A newer version has migrated the database; this version keeps working on its schema.',
    );
}

async function apply(db: Kysely<Database>, { name, statements }: Migration): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      await lockUntilCommit(transaction, 'migrations');
      await createMigrationTable(transaction);
      // Another engine may have applied it since it was read.
      if ((await readAppliedMigrations(transaction)).includes(name)) return;
      for (const statement of statements) await sql.raw(statement).execute(transaction);
      await transaction.insertInto('schema_migrations').values({ name }).execute();
    });
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${messageOf(error)}`, { cause: error });
  }
}

async function createMigrationTable(transaction: Transaction<Database>): Promise<void> {
  if (await hasTable(transaction, 'schema_migrations')) return;
  await sql`
    create table schema_migrations (
      name text primary key,
      applied_time bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint)`.execute(
    transaction,
  );
}

async function readAppliedMigrations(db: Kysely<Database>): Promise<string[]> {
  if (!(await hasTable(db, 'schema_migrations'))) return [];
  const rows = await db.selectFrom('schema_migrations').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Refuses databases from before the schema was frozen as 0001-initial; they have a table of another name. */
async function refuseUnfrozenSchema(db: Kysely<Database>): Promise<void> {
  if (!(await hasTable(db, 'kysely_migration'))) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  throw new UnsupportedSchemaError(rows[0]?.name ?? 'kysely_migration');
}

async function hasTable(db: Kysely<Database>, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}
