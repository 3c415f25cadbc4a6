/**
 * Connection pool on which one statement fails once, before or after it takes effect. The fault lies below
 * the retries of the engine.
 */
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { Pool, types as pgTypes, type CustomTypesConfig } from 'pg';
import { parseSafeInteger, type DatabaseAddress } from '../../storage/postgres/database.ts';
import type { Database } from '../../storage/postgres/schema.ts';

export const faultModes = [
  'connection lost before',
  'connection lost after',
  'serialization failure',
] as const;
export type FaultMode = (typeof faultModes)[number];

export interface FaultyDatabase {
  readonly db: Kysely<Database>;
  /**
   * Makes the n-th statement from now on fail, counted from 1 including `begin` and `commit`; 0 disables it.
   */
  failAt(statement: number, mode: FaultMode): void;
  /** Number of statements since then. */
  statementCount(): number;
  /** Text of the failed statement. */
  failedStatement(): string | undefined;
  close(): Promise<void>;
}

type Client = Awaited<ReturnType<PostgresPool['connect']>>;

export function openFaultyDatabase(address: Exclude<DatabaseAddress, string>): FaultyDatabase {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === 20 ? parseSafeInteger : pgTypes.getTypeParser(oid, format),
  } as CustomTypesConfig;
  const pool = new Pool({ ...address, max: 10, types });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  let [count, at, mode]: [number, number, FaultMode] = [0, 0, 'connection lost before'];
  let failed: string | undefined;

  const faulty = (client: Client): Client => {
    let broken = false;
    const lose = (code: string, message: string): never => {
      broken = true;
      throw Object.assign(new Error(message), { code });
    };
    const query = async (sql: string, parameters: readonly unknown[]) => {
      if (broken) throw new Error('Client has encountered a connection error and is not queryable');
      count += 1;
      if (count !== at) return client.query<Record<string, unknown>>(sql, parameters);
      failed = sql;
      switch (mode) {
        case 'connection lost before':
          return lose('57P01', 'terminating connection due to administrator command');
        case 'connection lost after':
          await client.query(sql, parameters);
          return lose('ECONNRESET', 'read ECONNRESET');
        case 'serialization failure':
          // The transaction is rolled back; its client stays usable.
          if (sql === 'commit') await client.query('rollback', []);
          throw Object.assign(new Error('could not serialize access due to concurrent update'), {
            code: '40001',
          });
        default:
          return mode satisfies never;
      }
    };
    return new Proxy(client, {
      get(target, name) {
        if (name === 'query') return query;
        // The server rolls back the open transaction of a lost connection.
        if (name === 'release') return (destroy?: boolean) => target.release(destroy === true || broken);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  const dialect = new PostgresDialect({
    pool: { options: pool.options, end: () => pool.end(), connect: async () => faulty(await pool.connect()) },
  });
  const db = new Kysely<Database>({ dialect });
  return {
    db,
    failAt(statement, how) {
      [count, at, mode] = [0, statement, how];
      failed = undefined;
    },
    statementCount: () => count,
    failedStatement: () => failed,
    close: () => db.destroy(),
  };
}
