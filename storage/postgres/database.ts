/** The connection pool, int8 as safe numbers, migrations at start, and the one place that counts queries. */
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Pool, types as pgTypes, type CustomTypesConfig } from 'pg';
import { messageOf } from '../../engine/errors.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { Database } from './schema.ts';
import { initialSchema } from '../migrations/initial-schema.ts';

const int8Oid = 20;

/** Turns an int8 text into a number, refusing what a double cannot hold instead of rounding it. */
export function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The stored integer ${text} is not safe (beyond 2^53).`);
  return value;
}

/** How to reach PostgreSQL: a URL, or the parts that an embedded server gives. */
export type DatabaseAddress =
  | string
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export interface OpenDatabase {
  readonly db: Kysely<Database>;
  /** Statements sent so far. */
  queryCount(): number;
  close(): Promise<void>;
}

/** How long a query waits for a connection: also in a burst of requests each gets its turn. */
const connectTimeoutMs = 15_000;

/**
 * A connection on which nothing moves for this long is taken for broken: no statement of ours takes a tenth
 * of it.
 */
const defaultSocketTimeoutMs = 30_000;

export interface PoolOptions {
  /** Connections at the most. */
  readonly maxConnections?: number;
  /** A connection that is silent for so long (ms), be it in the middle of a statement, is given up. */
  readonly socketTimeoutMs?: number;
}

/** Opens the pool. Nothing is connected until the first query. */
export function openDatabase(
  address: DatabaseAddress,
  log: Log,
  { maxConnections = 10, socketTimeoutMs = defaultSocketTimeoutMs }: PoolOptions = {},
): OpenDatabase {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === int8Oid ? parseSafeInteger : pgTypes.getTypeParser(oid, format),
  } as CustomTypesConfig;
  const where = typeof address === 'string' ? { connectionString: address } : address;
  const pool = new Pool({
    ...where,
    max: maxConnections,
    connectionTimeoutMillis: Math.min(connectTimeoutMs, socketTimeoutMs),
    types,
    application_name: 'runyard',
    stream: () => createSocketWithTimeout(socketTimeoutMs),
  });
  // An idle connection that breaks is no reason to fall: the pool opens another when it is needed.
  pool.on('error', (error) => {
    if (!closing) log.warn({ error: error.message }, 'A database connection was lost.');
  });
  // One that breaks while it is in use fails its query; unheard, the event would end the engine as well.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  let sent = 0;
  let closing = false;
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: () => {
      sent += 1;
    },
  });
  return {
    db,
    queryCount: () => sent,
    close() {
      closing = true;
      return db.destroy();
    },
  };
}

/**
 * The other end may be gone without a word: a cable, a firewall, a paused machine. TCP alone notices after
 * many minutes.
 */
function createSocketWithTimeout(silence: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silence, () => {
    const error = new Error(`The database was silent for ${silence} ms; the connection is given up.`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
  return socket;
}

/**
 * Brings the schema up to date. Several engines may do so at once: the migrator holds a lock.
 * @throws Error that names the migration that failed.
 */
export async function migrate(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ '0001-first-schema': initialSchema }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  throw new Error(`Migration ${failed ?? '(before the first)'} failed: ${messageOf(error)}`, {
    cause: error,
  });
}

/** One round trip, for the question whether the database answers. */
export async function ping(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db);
}
