/** Process in which DuckDB runs queries one after the other, each in a temporary database. */
import { setPriority } from 'node:os';
import { DuckDBInstance, StatementType, type DuckDBConnection } from '@duckdb/node-api';
import { messageOf } from '../../engine/errors.ts';
import { duckdbMacros } from '../../engine/sql/duckdb-functions.ts';
import type { QueryProcessResponse, QueryLimits, QueryProcessRequest } from './query-messages.ts';
import { readRows } from './query-rows.ts';

// Lower priority than the engine and its tasks.
setPriority(10);

let activeConnection: DuckDBConnection | undefined;

process.on('message', (message: QueryProcessRequest) => {
  if (message.type === 'interrupt') activeConnection?.interrupt();
  else void runQuery(message.sql, message.limits).then(sendResponse);
});
// The service has ended; an active query must not delay the end of this process.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

function sendResponse(message: QueryProcessResponse): void {
  process.send?.(message);
}

async function runQuery(sql: string, limits: QueryLimits): Promise<QueryProcessResponse> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: `${limits.memoryMb}MB`,
  });
  try {
    const connection = await instance.connect();
    activeConnection = connection;
    await restrictAccess(connection);
    return { type: 'result', result: await readRows(await prepareSelect(connection, sql), limits) };
  } catch (error) {
    return { type: 'failed', message: messageOf(error) };
  } finally {
    activeConnection?.closeSync();
    activeConnection = undefined;
    instance.closeSync();
  }
}

/** Restricts DuckDB to the working directory, managed_fs. Allowed directories must be set before access is
 * disabled. */
async function restrictAccess(connection: DuckDBConnection): Promise<void> {
  for (const macro of duckdbMacros) await connection.run(`CREATE MACRO ${macro}`);
  await connection.run("SET lambda_syntax='ENABLE_SINGLE_ARROW'");
  // Disables spilling to disk.
  await connection.run("SET temp_directory=''");
  await connection.run("SET secret_directory=''").catch(() => undefined);
  await connection.run("SET TimeZone='UTC'").catch(() => undefined);
  await connection.run('SET autoinstall_known_extensions=false');
  await connection.run('SET autoload_known_extensions=false');
  await connection.run(`SET allowed_directories=['${process.cwd().replaceAll("'", "''")}/']`);
  await connection.run('SET enable_external_access=false');
  await connection.run('SET lock_configuration=true');
}

async function prepareSelect(connection: DuckDBConnection, sql: string) {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1)
    throw new Error(`The query has ${statements.count} statements; exactly one SELECT is run.`);
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT)
    throw new Error(
      `The query is a ${StatementType[statement.statementType]} statement; only a SELECT is run.`,
    );
  return statement;
}
