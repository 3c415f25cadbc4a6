/** Reads the rows of a statement, up to the limits. */
import {
  DuckDBTypeId,
  JsonDuckDBValueConverter,
  type DuckDBPreparedStatement,
  type DuckDBType,
} from '@duckdb/node-api';
import type { QueryResult } from '../../engine/ports/dashboards.ts';
import type { QueryLimits } from './query-messages.ts';

const bigIntegerTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
]);

/** Reads row chunks until a limit is reached, which stops the query early. */
export async function readRows(
  statement: DuckDBPreparedStatement,
  { rowsMax: most, bytesMax: mostBytes }: Pick<QueryLimits, 'rowsMax' | 'bytesMax'>,
): Promise<QueryResult> {
  const result = await statement.stream();
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]) }));
  const rows: unknown[][] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk === undefined || chunk.rowCount === 0)
      return { columns, rows, truncated: false };
    for (const row of chunk.convertRows(JsonDuckDBValueConverter)) {
      const shown = row.map((value, index) => toJsonValue(value, types[index]));
      bytes += Buffer.byteLength(JSON.stringify(shown)) + 1;
      if (rows.length === most || bytes > mostBytes) return { columns, rows, truncated: true };
      rows.push(shown);
    }
  }
}

/** Converts a value to JSON: numbers without loss, infinity to null. */
export function toJsonValue(value: unknown, type: DuckDBType | undefined): unknown {
  if (typeof value !== 'string' || type === undefined) return value;
  if (bigIntegerTypes.has(type.typeId)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (
    type.typeId === DuckDBTypeId.DECIMAL ||
    type.typeId === DuckDBTypeId.DOUBLE ||
    type.typeId === DuckDBTypeId.FLOAT
  ) {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  return value;
}
