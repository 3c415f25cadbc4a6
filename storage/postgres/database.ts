/** The connection pool. It parses int8 as safe numbers and counts queries. */
import { Socket } from 'node:net';
import { Kysely, sql } from 'kysely';
import { Pool, types as pgTypes, type CustomTypesConfig } from 'pg';
import type { Log } from '../../engine/ports/log.ts';
import type { Database } from './schema.ts';
import { TrackingDialect } from './uncertain-changes.ts';

const int8Oid = 20;

/** Parses an int8. Throws for a value beyond 2^53 instead of rounding it. */
export function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The stored integer ${text} is not safe (beyond 2^53).`);
  return value;
}

/** Address of PostgreSQL: a URL, or the parameters of an embedded server. */
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

/** Time that a query waits for a free connection; long enough for a burst of requests. */
const connectTimeoutMs = 15_000;

/** A connection without traffic for this long counts as broken; no statement takes a tenth of it. */
const defaultSocketTimeoutMs = 30_000;

export interface PoolOptions {
  /** Maximum number of connections. */
  readonly maxConnections?: number;
  /** A connection without traffic for this long (ms), even during a statement, is closed. */
  readonly socketTimeoutMs?: number;
}

/** Opens the pool. The first query opens the first connection. */
export function openDatabase(
  address: DatabaseAddress,
  log: Log,
  { maxConnections = 10, socketTimeoutMs = defaultSocketTimeoutMs }: PoolOptions = {},
): OpenDatabase {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === int8Oid ? parseSafeInteger : pgTypes.getTypeParser(oid, format),
  } as CustomTypesConfig;
  const connection = typeof address === 'string' ? { connectionString: address } : address;
  const pool = new Pool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: Math.min(connectTimeoutMs, socketTimeoutMs),
    types,
    application_name: 'runyard',
    stream: () => createSocketWithTimeout(socketTimeoutMs),
  });
  // The pool replaces an idle connection that breaks. Without a listener the event would end the process.
  pool.on('error', (error) => {
    if (!closing)
      log.warn(
        { error: error.message },
        'An idle database connection was lost; the pool opens another when needed.',
      );
  });
  // A connection that breaks while in use fails its query; the event of the client needs a listener as well.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  let sent = 0;
  let closing = false;
  const db = new Kysely<Database>({
    dialect: new TrackingDialect({ pool }),
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
 * Creates a socket with an inactivity timeout. TCP alone takes many minutes to detect a peer that is gone
 * without a reset: a cut cable, a firewall, a paused machine.
 */
function createSocketWithTimeout(timeoutMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(timeoutMs, () => {
    const error = new Error(`The database sent nothing for ${timeoutMs} ms; the connection was closed.`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
  return socket;
}

/** Checks with one round trip that the database answers. */
export async function ping(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db);
}
