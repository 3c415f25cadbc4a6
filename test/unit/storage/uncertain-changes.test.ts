/** A database that goes away: what certainly did not change, and what may have. */
import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isTransientError } from '../../../storage/postgres/transient-errors.ts';
import { isOutcomeUnknown, trackChanges } from '../../../storage/postgres/uncertain-changes.ts';
import { openDatabase } from '../../../storage/postgres/database.ts';
import type { Database } from '../../../storage/postgres/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import { pino } from 'pino';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('none');
  // Each call ends its own connection, as a server that stops does.
  await sql`create table plain (id int)`.execute(database.db);
  await sql`create table ends_at_insert (id int)`.execute(database.db);
  await sql`create table ends_at_commit (id int)`.execute(database.db);
  await sql`create function end_connection() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(database.db);
  await sql`create function store_change_1() returns int language sql as $$
    insert into ends_at_insert values (1) returning 1 $$`.execute(database.db);
  await sql`create trigger ends before insert on ends_at_insert
    for each row execute function end_connection()`.execute(database.db);
  await sql`create constraint trigger ends after insert on ends_at_commit initially deferred
    for each row execute function end_connection()`.execute(database.db);
});
afterAll(() => database.drop());

type Db = Kysely<Database>;
const insertInto = (db: Db, table: string) => sql`insert into ${sql.id(table)} values (1)`.execute(db);
const endConnection = (db: Db) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(db);

describe('the outcome of a change', () => {
  test.each<[name: string, outcome: 'unchanged' | 'unknown', work: (db: Db) => Promise<unknown>]>([
    ['a read whose connection breaks', 'unchanged', endConnection],
    [
      'a transaction whose connection breaks before its commit',
      'unchanged',
      (db) =>
        db.transaction().execute(async (transaction) => {
          await insertInto(transaction, 'plain');
          await endConnection(transaction);
        }),
    ],
    [
      'a transaction whose connection breaks in its commit',
      'unknown',
      (db) => db.transaction().execute((transaction) => insertInto(transaction, 'ends_at_commit')),
    ],
    ['a statement without a transaction that breaks', 'unknown', (db) => insertInto(db, 'ends_at_insert')],
    ['a stored function that breaks', 'unknown', (db) => sql`select store_change_1()`.execute(db)],
    [
      'work that has stored a part before its connection breaks',
      'unknown',
      async (db) => {
        await db.transaction().execute((transaction) => insertInto(transaction, 'plain'));
        await endConnection(db);
      },
    ],
    [
      'work that has only read and locked before its connection breaks',
      'unchanged',
      async (db) => {
        await db
          .transaction()
          .execute((transaction) => sql`select * from plain for update`.execute(transaction));
        await endConnection(db);
      },
    ],
  ])('%s is %s', async (_, outcome, work) => {
    const error: unknown = await trackChanges(() => work(database.db)).catch((thrown: unknown) => thrown);
    expect(isTransientError(error)).toBe(true);
    expect(isOutcomeUnknown(error) ? 'unknown' : 'unchanged').toBe(outcome);
  });

  test('a database that is not reachable has changed nothing', async () => {
    const away = openDatabase('postgres://127.0.0.1:1/none', pino({ level: 'silent' }));
    const error: unknown = await trackChanges(() => insertInto(away.db, 'plain')).catch((thrown) => thrown);
    await away.close();
    expect([isTransientError(error), isOutcomeUnknown(error)]).toEqual([true, false]);
  });

  test('a statement that the server rejects has changed nothing', async () => {
    const error: unknown = await trackChanges(() => insertInto(database.db, 'absent')).catch(
      (thrown) => thrown,
    );
    expect(isOutcomeUnknown(error)).toBe(false);
  });
});
