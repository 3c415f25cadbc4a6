/** Runs one statement. Its output is a table of the first rows, or the number of changed rows. */
import {
  DuckDBIntervalValue,
  DuckDBTypeId,
  JsonDuckDBValueConverter,
  ResultReturnType,
  StatementType,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import type { CellOutput, CellValue } from '../../../engine/run/task-output.ts';
import { toJsonValue } from '../../query/query-rows.ts';
import type { PreparedSql } from './sql-statement.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import { truncateText } from './table-limits.ts';

/** Runs a statement; undefined for one without output. */
export async function executeStatement(
  connection: DuckDBConnection,
  { sql, values }: PreparedSql,
): Promise<CellOutput | undefined> {
  const statement = await connection.prepare(sql);
  for (const [name, value] of values) statement.bindVarchar(statement.parameterIndex(name), value);
  // Streamed: omitted rows take no memory.
  const result = await statement.stream();
  const types = result.columnTypes();
  const rows: CellValue[][] = [];
  let bytes = 0;
  let full = false;
  let rowsTotal = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk === undefined || chunk.rowCount === 0) break;
    rowsTotal += chunk.rowCount;
    if (full) continue;
    for (const row of chunk.convertRows(JsonDuckDBValueConverter)) {
      const shown = row.map((value, index) => toCellValue(value, types[index]));
      bytes += Buffer.byteLength(JSON.stringify(shown)) + 1;
      full = rows.length === fixedLimits.tableRows || bytes > fixedLimits.tableBytes;
      if (full) break;
      rows.push(shown);
    }
  }
  if (result.returnType !== ResultReturnType.QUERY_RESULT) return toRowCountOutput(rows);
  // A query plan is a drawing of text lines.
  if (statement.statementType === StatementType.EXPLAIN)
    return { type: 'text', data: rows.map((row) => String(row.at(-1))).join('\n') };
  const columns = result
    .columnNames()
    .map((name, index) => ({
      name: restoreParameterNames(name, values),
      type: String(types[index]).toLowerCase(),
    }));
  return { type: 'table', columns, rows, ...(rowsTotal > rows.length && { rowsTotal }) };
}

/** Restores `:name` in column names, where DuckDB writes parameters as `$name`. */
function restoreParameterNames(name: string, values: PreparedSql['values']): string {
  return [...values.keys()].reduce((text, each) => text.replaceAll(`$${each}`, `:${each}`), name);
}

/** Returns the number of changed rows, if the statement reports it. */
function toRowCountOutput([row]: readonly (readonly CellValue[])[]): CellOutput | undefined {
  const count = row?.[0];
  return typeof count === 'number'
    ? { type: 'text', data: `${count} ${count === 1 ? 'row' : 'rows'}` }
    : undefined;
}

/** Converts a value: numbers without loss, lists and structs as JSON. */
function toCellValue(value: unknown, type: DuckDBType | undefined): CellValue {
  if (type?.typeId === DuckDBTypeId.INTERVAL && isInterval(value))
    return new DuckDBIntervalValue(value.months, value.days, BigInt(value.micros)).toString();
  const shown = toJsonValue(value, type);
  if (shown === null || typeof shown === 'number' || typeof shown === 'boolean') return shown;
  return truncateText(typeof shown === 'string' ? shown : JSON.stringify(shown));
}

function isInterval(
  value: unknown,
): value is { readonly months: number; readonly days: number; readonly micros: string } {
  return typeof value === 'object' && value !== null && 'micros' in value;
}
