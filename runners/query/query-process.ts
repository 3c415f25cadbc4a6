/**
 * A process of its own in which DuckDB runs queries: one after the other, each in a database that leaves with
 * it.
 */
import { setPriority } from 'node:os';
import { DuckDBInstance, StatementType, type DuckDBConnection } from '@duckdb/node-api';
import { messageOf } from '../../engine/errors.ts';
import { duckdbMacros } from '../../engine/sql/duckdb-functions.ts';
import type { QueryProcessResponse, QueryLimits, QueryProcessRequest } from './query-messages.ts';
import { readRows } from './query-rows.ts';

// The engine and its tasks come first.
setPriority(10);

let activeConnection: DuckDBConnection | undefined;

process.on('message', (message: QueryProcessRequest) => {
  if (message.type === 'interrupt') activeConnection?.interrupt();
  else void runQuery(message.sql, message.limits).then(sendResponse);
});
// The service is gone: nobody waits, and a query that computes must not hold up the end.
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

/**
 * The order counts: what is allowed must be said before everything else is shut off. The working directory is
 * managed_fs.
 */
async function restrictAccess(connection: DuckDBConnection): Promise<void> {
  for (const macro of duckdbMacros) await connection.run(`CREATE MACRO ${macro}`);
  await connection.run("SET lambda_syntax='ENABLE_SINGLE_ARROW'");
  // Nothing is written, not even what does not fit into memory.
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
    throw new Error(`The query is ${statements.count} statements; exactly one SELECT is run.`);
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT)
    throw new Error(
      `The query is a statement of the kind ${StatementType[statement.statementType]}; only a SELECT is run.`,
    );
  return statement;
}
