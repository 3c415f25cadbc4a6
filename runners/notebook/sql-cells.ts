/**
 * Process for `%sql` cells of a Python notebook: DuckDB, restricted to managed_fs. Reads requests and writes
 * answers as lines of JSON; ends with its input. Usage: sql-cells.ts MANAGED_FS
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  DuckDBInstance,
  JsonDuckDBValueConverter,
  StatementType,
  type DuckDBConnection,
  type DuckDBMaterializedResult,
} from '@duckdb/node-api';
import { messageOf } from '../../engine/errors.ts';
import { toJsonValue } from '../query/query-rows.ts';
import { toQueryError } from '../query/query-error.ts';
import { restrictAccess } from './node/sql-session.ts';
import { prepareSql } from './node/sql-statement.ts';
import { fixedLimits } from '../../engine/limits.ts';
import { splitStatements } from '../../engine/sql/statements.ts';

interface SqlCellRequest {
  readonly sql: string;
  /** Values of `:name`. */
  readonly parameters: Readonly<Record<string, string>>;
}

type SqlCellResponse =
  | {
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly rows: readonly (readonly unknown[])[];
      readonly total: number;
    }
  | { readonly error: string };

const missingParameterHint =
  'Pass it in base_parameters or notebook_params, or declare a widget of that name in an earlier cell.';

const [, , managedFsArgument = ''] = process.argv;
mkdirSync(managedFsArgument, { recursive: true });
const managedFsRoot = realpathSync(managedFsArgument);
const connection = await openDatabase();

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await handleRequest(JSON.parse(line) as SqlCellRequest);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);

async function openDatabase(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '512MB' });
  const opened = await instance.connect();
  await restrictAccess(opened, [managedFsRoot], '');
  return opened;
}

async function handleRequest({ sql, parameters }: SqlCellRequest): Promise<SqlCellResponse> {
  try {
    let answer: SqlCellResponse = { columns: [], rows: [], total: 0 };
    for (const statement of splitStatements(sql, 'duckdb')) {
      const prepared = prepareSql(statement, parameters, managedFsRoot, missingParameterHint);
      const run = await connection.prepare(prepared.sql);
      for (const [name, value] of prepared.values) run.bindVarchar(run.parameterIndex(name), value);
      answer = await readResult(await run.run());
    }
    return answer;
  } catch (error) {
    return {
      error: (await toQueryError(messageOf(error), managedFsRoot)).message.replace(
        'The query cannot be run: ',
        '',
      ),
    };
  }
}

async function readResult(result: DuckDBMaterializedResult): Promise<SqlCellResponse> {
  const types = result.columnTypes();
  const columns = result
    .columnNames()
    .map((name, index) => ({ name, type: String(types[index]).toLowerCase() }));
  // The count of changed rows is not shown.
  if (result.statementType !== StatementType.SELECT && columns.length === 1 && columns[0]?.name === 'Count')
    return { columns: [], rows: [], total: 0 };
  const rows: unknown[][] = [];
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0 && rows.length < fixedLimits.tableRows;
    chunk = await result.fetchChunk()
  ) {
    for (const row of chunk.convertRows(JsonDuckDBValueConverter)) {
      if (rows.length < fixedLimits.tableRows)
        rows.push(row.map((value, index) => toTableValue(toJsonValue(value, types[index]))));
    }
  }
  return { columns, rows, total: Number(result.rowCount) };
}

/** Converts lists and structs to JSON text. */
function toTableValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
