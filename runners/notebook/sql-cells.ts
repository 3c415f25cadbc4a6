/**
 * The process behind `%sql` cells of a Python notebook: DuckDB, shut into managed_fs. Questions come in as lines of JSON,
 * answers go out as lines of JSON; it ends with its input. Usage: sql-cells.ts MANAGED_FS
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { DuckDBInstance, JsonDuckDBValueConverter, StatementType, type DuckDBConnection, type DuckDBMaterializedResult } from '@duckdb/node-api';
import { messageOf } from '../../engine/errors.ts';
import { duckdbMacros } from '../../engine/dashboard/running/duckdb-functions.ts';
import { shownValue } from '../query/query-rows.ts';
import { queryFailure } from '../query/query-failure.ts';
import { sqlForDuckdb } from './sql-text.ts';

interface Question {
  readonly sql: string;
  /** Values of `:name`. */
  readonly parameters: Readonly<Record<string, string>>;
}

type Answer =
  | { readonly columns: readonly { readonly name: string; readonly type: string }[]; readonly rows: readonly (readonly unknown[])[]; readonly total: number }
  | { readonly error: string };

/** Most rows that are handed over: those of a table that a cell shows. */
const rowsMax = 10_000;

const [, , given = ''] = process.argv;
mkdirSync(given, { recursive: true });
const directory = realpathSync(given);
const connection = await open();

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await answerTo(JSON.parse(line) as Question);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);

/** The order counts: what is allowed must be said before everything else is shut off. */
async function open(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '512MB' });
  const opened = await instance.connect();
  for (const macro of duckdbMacros) await opened.run(`CREATE MACRO ${macro}`);
  for (const setting of ["lambda_syntax='ENABLE_SINGLE_ARROW'", "temp_directory=''", "TimeZone='UTC'"]) await opened.run(`SET ${setting}`).catch(() => undefined);
  await opened.run("SET secret_directory=''").catch(() => undefined);
  await opened.run('SET autoinstall_known_extensions=false');
  await opened.run('SET autoload_known_extensions=false');
  await opened.run(`SET allowed_directories=['${directory.replaceAll("'", "''")}/']`);
  await opened.run('SET enable_external_access=false');
  await opened.run('SET lock_configuration=true');
  return opened;
}

async function answerTo({ sql, parameters }: Question): Promise<Answer> {
  try {
    let answer: Answer = { columns: [], rows: [], total: 0 };
    const statements = await connection.extractStatements(sqlForDuckdb(sql, directory));
    for (let index = 0; index < statements.count; index += 1) {
      const statement = await statements.prepare(index);
      for (let place = 1; place <= statement.parameterCount; place += 1) {
        const name = statement.parameterName(place);
        const value = parameters[name];
        if (value === undefined) throw new Error(`The statement has the parameter :${name}, but no widget and no parameter of the run is named so.`);
        statement.bindVarchar(place, value);
      }
      answer = await rowsOf(await statement.run());
    }
    return answer;
  } catch (error) {
    return { error: (await queryFailure(messageOf(error).replace('Failed to extract statements: ', ''), directory)).message.replace('The query cannot be run: ', '') };
  }
}

async function rowsOf(result: DuckDBMaterializedResult): Promise<Answer> {
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]).toLowerCase() }));
  // What a statement changed is a count, which is no result to look at.
  if (result.statementType !== StatementType.SELECT && columns.length === 1 && columns[0]?.name === 'Count') return { columns: [], rows: [], total: 0 };
  const rows: unknown[][] = [];
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0 && rows.length < rowsMax; chunk = await result.fetchChunk()) {
    for (const row of chunk.convertRows(JsonDuckDBValueConverter)) {
      if (rows.length < rowsMax) rows.push(row.map((value, index) => plain(shownValue(value, types[index]))));
    }
  }
  return { columns, rows, total: Number(result.rowCount) };
}

/** Lists and structures as JSON text. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
