/** Database of one test file, cloned from a template that is migrated once per test run. */
import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { pino } from 'pino';
import { inject } from 'vitest';
import { migrate } from '../../storage/migrations/migrate.ts';
import { advisoryLocks } from '../../storage/postgres/advisory-locks.ts';
import { openDatabase, type DatabaseAddress } from '../../storage/postgres/database.ts';
import type { Database } from '../../storage/postgres/schema.ts';

export interface TestDatabase {
  readonly address: Exclude<DatabaseAddress, string>;
  readonly db: Kysely<Database>;
  /** Number of statements sent so far. */
  queryCount(): number;
  /** Closes `db` and drops the database with all its connections. */
  drop(): Promise<void>;
}

const template = 'runyard_template';

const log = pino({ level: 'silent' });

/**
 * Creates a database without rows. Call `drop` at the end of the test file.
 * @param schema `none` leaves out the migrations
 */
export async function createTestDatabase(schema: 'migrated' | 'none' = 'migrated'): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withAdminConnection(async (db) => {
    if (schema === 'migrated') await ensureTemplate(db);
    const source = schema === 'migrated' ? template : 'template0';
    await sql`create database ${sql.id(name)} template ${sql.id(source)}`.execute(db);
  });
  const address = { ...server, database: name };
  const { db, queryCount, close } = openDatabase(address, log);
  return {
    address,
    db,
    queryCount,
    async drop() {
      await close();
      await withAdminConnection(async (admin) => {
        await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
      });
    },
  };
}

async function ensureTemplate(db: Kysely<Database>): Promise<void> {
  // Test files that start together build the template one after the other.
  await sql`select pg_advisory_lock(${advisoryLocks.migrations})`.execute(db);
  const { rows } = await sql`select from pg_database where datname = ${template}`.execute(db);
  if (rows.length === 0) {
    // Built under another name, so that an incomplete template is never used.
    const building = `${template}_building`;
    await sql`drop database if exists ${sql.id(building)}`.execute(db);
    await sql`create database ${sql.id(building)}`.execute(db);
    const opened = openDatabase({ ...inject('postgres'), database: building }, log, { maxConnections: 1 });
    await migrate(opened.db, log).finally(opened.close);
    await sql`alter database ${sql.id(building)} rename to ${sql.id(template)}`.execute(db);
  }
  await sql`select pg_advisory_unlock(${advisoryLocks.migrations})`.execute(db);
}

/** Runs `work` on one connection to the default database. Its locks end with the connection. */
async function withAdminConnection(work: (db: Kysely<Database>) => Promise<void>): Promise<void> {
  const { db, close } = openDatabase(inject('postgres'), log, { maxConnections: 1 });
  await work(db).finally(close);
}
