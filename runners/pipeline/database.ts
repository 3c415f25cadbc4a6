/** DuckDB of one update: with limited memory, without extensions, restricted to managed_fs and objstore. */
import { mkdir, realpath } from 'node:fs/promises';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { duckdbMacros } from '../../engine/sql/duckdb-functions.ts';
import { quoteDuckdbName, quoteDuckdbText } from '../../engine/sql/sql-items.ts';
import { messageOf } from '../../engine/errors.ts';
import { streamSchema } from '../../engine/pipeline/flow-streams.ts';
import { escapeGlob } from '../../engine/pipeline/glob.ts';
import type { PublishedColumn } from '../../engine/pipeline/manifest.ts';
import type { UpdatePlan } from '../../engine/pipeline/update-plan.ts';

export interface UpdateDatabase {
  readonly connection: DuckDBConnection;
  close(): void;
}

/** @param spill directory for data that does not fit into memory */
export async function openDatabase(order: UpdatePlan, spill: string): Promise<UpdateDatabase> {
  const directories = [
    order.managedFs,
    ...(order.objstore === undefined ? [] : [order.objstore]),
    order.storage.directory,
    spill,
  ];
  for (const directory of directories) await mkdir(directory, { recursive: true });
  const allowed = [
    ...new Set([...directories, ...(await Promise.all(directories.map((directory) => realpath(directory))))]),
  ];
  const { megabytes, threads } = order.limits;
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${megabytes}MB`,
  });
  const connection = await instance.connect();
  for (const macro of duckdbMacros) await connection.run(`CREATE MACRO ${macro}`);
  await connection.run(`CREATE SCHEMA ${quoteDuckdbName(streamSchema)}`);
  await connection.run("SET lambda_syntax='ENABLE_SINGLE_ARROW'");
  await connection.run("SET secret_directory=''").catch(() => undefined);
  await connection.run("SET TimeZone='UTC'").catch(() => undefined);
  await connection.run(`SET temp_directory=${quoteDuckdbText(spill)}`);
  await connection.run('SET autoinstall_known_extensions=false');
  await connection.run('SET autoload_known_extensions=false');
  // Allowed directories must be set before access is disabled.
  await connection.run(
    `SET allowed_directories=[${allowed.map((directory) => quoteDuckdbText(`${directory}/`)).join(', ')}]`,
  );
  await connection.run('SET enable_external_access=false');
  await connection.run('SET lock_configuration=true');
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Returns the message of DuckDB without the excerpt of the rewritten query, which users do not know. */
export function describeDatabaseError(error: unknown): string {
  const [first = ''] = messageOf(error).split(/\n\n?LINE \d+:/);
  return first.trim().replaceAll(/\s+/g, ' ');
}

/** Returns the columns of a query. */
export async function columnsOf(connection: DuckDBConnection, sql: string): Promise<PublishedColumn[]> {
  const rows = await rowsOf(connection, `DESCRIBE ${sql}`);
  return rows.map((row) => ({ name: String(row['column_name']), type: String(row['column_type']) }));
}

/** Returns all rows of a small query. */
export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

/** Returns a query for zero rows with these columns. */
export function toEmptyRowsSql(columns: readonly PublishedColumn[]): string {
  return `SELECT ${columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${quoteDuckdbName(name)}`).join(', ')} WHERE false`;
}

/** Returns a query for the rows of Parquet files; for zero rows with these columns without files. */
export function toParquetSql(paths: readonly string[], columns: readonly PublishedColumn[]): string {
  return paths.length === 0
    ? toEmptyRowsSql(columns)
    : `SELECT * FROM read_parquet([${paths.map((path) => quoteDuckdbText(escapeGlob(path))).join(', ')}])`;
}
