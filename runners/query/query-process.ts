/**
 * A process of its own in which DuckDB runs queries: one after the other, each in a database that leaves with
 * it.
 */
import { setPriority } from 'node:os';
import { DuckDBInstance, StatementType, type DuckDBConnection } from '@duckdb/node-api';
import { messageOf } from '../../engine/errors.ts';
import { duckdbMacros } from '../../engine/sql/duckdb-functions.ts';
import type { FromProcess, QueryLimits, ToProcess } from './query-messages.ts';
import { readRows } from './query-rows.ts';

// The engine and its tasks come first.
setPriority(10);

let running: DuckDBConnection | undefined;

process.on('message', (message: ToProcess) => {
  if (message.type === 'interrupt') running?.interrupt();
  else void run(message.sql, message.limits).then(answer);
});
// The service is gone: nobody waits, and a query that computes must not hold up the end.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

function answer(message: FromProcess): void {
  process.send?.(message);
}

async function run(sql: string, limits: QueryLimits): Promise<FromProcess> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: `${limits.megabytes}MB`,
  });
  try {
    const connection = await instance.connect();
    running = connection;
    await lockDown(connection);
    return { type: 'result', result: await readRows(await theSelect(connection, sql), limits) };
  } catch (error) {
    return { type: 'failed', message: messageOf(error) };
  } finally {
    running?.closeSync();
    running = undefined;
    instance.closeSync();
  }
}

/**
 * The order counts: what is allowed must be said before everything else is shut off. The working directory is
 * managed_fs.
 */
async function lockDown(connection: DuckDBConnection): Promise<void> {
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

async function theSelect(connection: DuckDBConnection, sql: string) {
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
