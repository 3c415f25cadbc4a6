/**
 * Migrations: released ones stay as they are, and every released schema upgrades to that of a fresh database.
 */
import { sql, type Kysely } from 'kysely';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { migrate } from '../../../storage/migrations/migrate.ts';
import { UnsupportedSchemaError } from '../../../storage/migrations/unsupported-schema-error.ts';
import { migrations, type Migration } from '../../../storage/migrations/registry.ts';
import { advisoryLocks } from '../../../storage/postgres/advisory-locks.ts';
import { openDatabase } from '../../../storage/postgres/database.ts';
import type { Database } from '../../../storage/postgres/schema.ts';
import { describeRows, describeSchema } from '../../fixtures/schema/describe-schema.ts';
import { hashMigration, listMigrationFiles } from '../../fixtures/schema/migration-files.ts';
import { restoreDump } from '../../fixtures/schema/restore.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

/**
 * The sha-256 of each released migration, as `node test/fixtures/schema/dump.ts` prints it. A failure means
 * that a released migration was edited: undo that, and make the change in a migration with the next number.
 */
const releasedHashes: Readonly<Record<string, string>> = {
  '0001-initial': '72db775ad04c990c4226b010c087b3a3c2906a81a887cf69b31c7b6a23f72b80',
  '0002-manage-clusters': '9f93743fe06563858d9b2fbd41d6ce3cee423948b4401f9566c15441bdcd4ea2',
  '0003-repair-and-parallel-tasks': 'a06e2e93a8763a036d30c1375dda28aef8ee496c4a415a9bca05fe098dd69081',
  '0004-failure-explanations': '3c4a9f17a7bcc2997b9a86e9ac64c8fd9578a8c1db8717c5d207d805ece55107',
  '0005-hot-path': '1ac8fad8c5a7f2d244d75b258034f1a58eb8df8d31dc7582e89bd9ef1c6f131b',
  '0006-explanations-of-rounds': '57f96ad334e0d47476c6f2c7d2ef26bce0a706640fcca6b5c4a11eb0cf739816',
  '0007-shared-settings-and-active-runs': '94931053cb013dcb7a32ad4cf7ec4f080de41d5fb0b8ffbcd59e1d0cf37245aa',
};

const log = pino({ level: 'silent' });
const databases: TestDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

async function createEmptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase('none');
  databases.push(database);
  return database;
}

async function schemaOf(db: Kysely<Database>): Promise<string> {
  const { tables, constraints } = await describeSchema(db);
  return [...tables, ...constraints].join('\n');
}

async function freshSchema(steps?: readonly Migration[]): Promise<string> {
  const { db } = await createEmptyDatabase();
  await migrate(db, log, steps);
  return schemaOf(db);
}

/** A migration as a later version may have it: it adds a column and fills it for the rows that exist. */
const addPriority: Migration = {
  name: '9001-add-run-priority',
  statements: [
    'alter table runs add column priority integer',
    'update runs set priority = number_in_job * 10',
    'create index runs_by_priority on runs (priority) where active',
  ],
};

describe('the list of migrations', () => {
  test('is numbered from 0001 without gaps', () => {
    expect(migrations.map(({ name }) => name)).toEqual(
      migrations.map((_, index) =>
        expect.stringMatching(new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z-]+$`)),
      ),
    );
  });

  test('names every migration file', async () => {
    expect(await listMigrationFiles()).toEqual(migrations.map(({ name }) => name));
  });

  test('has a hash and a dump for each released migration', async () => {
    const hashes = await Promise.all(migrations.map(async ({ name }) => [name, await hashMigration(name)]));
    expect(Object.fromEntries(hashes)).toEqual(releasedHashes);
  });
});

describe('an upgrade', () => {
  test.each(migrations.map(({ name }) => name.slice(0, 4)))(
    'from schema version %s with rows ends at the schema of a fresh database and keeps the rows',
    async (version) => {
      const database = await createEmptyDatabase();
      await restoreDump(database, version);
      const { rows: before } = await sql`select job_id, name, settings from jobs`.execute(database.db);
      await migrate(database.db, log);
      expect(await schemaOf(database.db)).toBe(await freshSchema());
      expect((await sql`select job_id, name, settings from jobs`.execute(database.db)).rows).toEqual(before);
      expect(before).toHaveLength(1);
    },
  );

  test('with a further migration backfills existing rows and ends at the schema of a fresh database', async () => {
    const database = await createEmptyDatabase();
    await restoreDump(database, '0001');
    await migrate(database.db, log, [...migrations, addPriority]);
    const { rows } = await sql`select run_id, priority from runs order by run_id`.execute(database.db);
    expect(rows).toEqual([
      { run_id: 1, priority: 10 },
      { run_id: 4, priority: 20 },
      { run_id: 6, priority: 30 },
    ]);
    const upgraded = await schemaOf(database.db);
    expect(upgraded).toBe(await freshSchema([...migrations, addPriority]));
    expect(upgraded).not.toBe(await freshSchema());
  });

  test('leaves the rows of a current database as they are', async () => {
    const database = await createEmptyDatabase();
    await restoreDump(database, migrations.at(-1)?.name.slice(0, 4) ?? '');
    const before = await describeRows(database.db);
    await migrate(database.db, log);
    expect(await describeRows(database.db)).toEqual(before);
  });

  test('that fails is rolled back and names the migration', async () => {
    const { db } = await createEmptyDatabase();
    const broken = { name: '9001-broken', statements: ['create table extra (id bigint)', 'select 1 / 0'] };
    await expect(migrate(db, log, [...migrations, broken])).rejects.toThrow(
      'Migration 9001-broken failed: division by zero',
    );
    expect(await schemaOf(db)).toBe(await freshSchema());
    await migrate(db, log, [...migrations, addPriority]);
  });

  test('by several engines at once applies each migration once', async () => {
    const { address, db } = await createEmptyDatabase();
    const engines = [1, 2, 3].map(() => openDatabase(address, log));
    await Promise.all(engines.map((engine) => migrate(engine.db, log, [...migrations, addPriority])));
    await Promise.all(engines.map((engine) => engine.close()));
    const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(
      db,
    );
    expect(rows.map(({ name }) => name)).toEqual([...migrations, addPriority].map(({ name }) => name));
  });
});

describe('a database of another version', () => {
  test('with a newer migration is accepted and logged, because both versions run during an upgrade', async () => {
    const { db } = await createEmptyDatabase();
    await migrate(db, log, [...migrations, addPriority]);
    const info = vi.fn();
    await migrate(db, { info, warn: vi.fn(), error: vi.fn() });
    expect(info.mock.calls).toEqual([
      [
        { migrations: ['9001-add-run-priority'] },
        'A newer version has migrated the database; this version keeps working on its schema.',
      ],
    ]);
  });

  test('with an unknown older migration is refused', async () => {
    const { db } = await createEmptyDatabase();
    await migrate(db, log, [{ name: '0001-another', statements: [] }]);
    await expect(migrate(db, log, [...migrations, addPriority])).rejects.toThrow(
      new UnsupportedSchemaError('0001-another'),
    );
  });

  test('from before the schema was frozen is refused and not changed', async () => {
    const { db } = await createEmptyDatabase();
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      db,
    );
    await sql`insert into kysely_migration values ('0001-first-schema', '2026-01-01T00:00:00.000Z')`.execute(
      db,
    );
    await sql`create table runs (run_id bigint primary key)`.execute(db);
    const before = await schemaOf(db);
    await expect(migrate(db, log)).rejects.toThrow(new UnsupportedSchemaError('0001-first-schema'));
    expect(await schemaOf(db)).toBe(before);
  });
});

test('advisory locks have numbers of their own', () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});
