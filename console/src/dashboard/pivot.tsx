/** Pivot table: values by combinations of rows and columns. */
import type { JsonObject, Rows } from '../api/dashboard-documents.ts';
import { formatValue } from './formats.ts';
import {
  distinct,
  getObject,
  getList,
  toNumber,
  listColumnEncodings,
  columnValuesOf,
  type ColumnEncoding,
} from './encodings.ts';

const maximumShown = { rows: 500, columns: 100 };

export function PivotTable({
  title,
  rows,
  encodings,
}: {
  readonly title: string;
  readonly rows: Rows;
  readonly encodings: JsonObject;
}) {
  const { down, across, cells, values, rowIndexes, shades, allRows, allColumns } = createPivot(
    rows,
    encodings,
  );
  const shownRows = allRows.slice(0, maximumShown.rows);
  const shownColumns = allColumns.slice(0, maximumShown.columns);
  return (
    <>
      <div className="scrolled" tabIndex={0} role="region" aria-label={`${title}, pivot`}>
        <table className="values">
          <PivotHead down={down} cells={cells} shownColumns={shownColumns} hasColumns={across.length > 0} />
          <tbody>
            {shownRows.map((row) => (
              <tr key={String(row)}>
                {down.map(({ field }, index) => (
                  <th key={field} scope="row">
                    {parseKey(row)[index]}
                  </th>
                ))}
                {shownColumns.flatMap((column) =>
                  cells.map(({ field, encoding }, index) => {
                    const value = values[index]?.[rowIndexes.get(`${String(row)}\n${String(column)}`) ?? -1];
                    return (
                      <td
                        key={`${String(column)} ${field}`}
                        className="figures"
                        style={shades[index]?.(value)}
                      >
                        {formatValue(value, encoding['format'])}
                      </td>
                    );
                  }),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(allRows.length > maximumShown.rows || allColumns.length > maximumShown.columns) && (
        <p className="hint">
          Only the first {maximumShown.rows} rows and {maximumShown.columns} columns are shown.
        </p>
      )}
    </>
  );
}

function PivotHead({
  down,
  cells,
  shownColumns,
  hasColumns,
}: {
  readonly down: readonly ColumnEncoding[];
  readonly cells: readonly ColumnEncoding[];
  readonly shownColumns: readonly unknown[];
  readonly hasColumns: boolean;
}) {
  return (
    <thead>
      <tr>
        {down.map(({ field, title: name }) => (
          <th key={field} scope="col">
            {name}
          </th>
        ))}
        {shownColumns.flatMap((column) =>
          cells.map(({ field, title: name }) => (
            <th key={`${String(column)} ${field}`} scope="col" className="figures">
              {headingOf(column, name, hasColumns, cells.length > 1)}
            </th>
          )),
        )}
      </tr>
    </thead>
  );
}

/** Computes the axes, the values and the shading of the table. */
function createPivot(rows: Rows, encodings: JsonObject) {
  const down = getList(encodings, 'rows').flatMap(listColumnEncodings);
  const across = getList(encodings, 'columns').flatMap(listColumnEncodings);
  const cells = getList(getObject(encodings, 'cell'), 'fields').flatMap(listColumnEncodings);
  const [rowKeys, columnKeys] = [keysOf(rows, down), keysOf(rows, across)];
  const values = cells.map(({ field }) => columnValuesOf(rows, field));
  return {
    down,
    across,
    cells,
    values,
    allRows: sortKeys(rowKeys),
    allColumns: sortKeys(columnKeys),
    /** Row key and column key -> index of the row. */
    rowIndexes: new Map(rowKeys.map((row, index) => [`${row}\n${columnKeys[index]}`, index])),
    shades: cells.map((cell, index) =>
      cell.encoding['cellType'] === 'color-scale' ? createShading(values[index] ?? []) : undefined,
    ),
  };
}

function sortKeys(keys: readonly string[]): unknown[] {
  return distinct(keys).toSorted((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true }));
}

function keysOf(rows: Rows, side: readonly ColumnEncoding[]): string[] {
  const values = side.map(({ field }) => columnValuesOf(rows, field));
  return rows.rows.map((_, row) => JSON.stringify(values.map((column) => formatValue(column[row]))));
}

function parseKey(key: unknown): readonly string[] {
  const parts: unknown = JSON.parse(String(key));
  return Array.isArray(parts) ? parts.map(String) : [];
}

function headingOf(column: unknown, name: string, hasColumns: boolean, several: boolean): string {
  return [...(hasColumns ? parseKey(column) : []), ...(several || !hasColumns ? [name] : [])].join(' · ');
}

/** Returns a background that is darker for a larger value. */
function createShading(
  values: readonly unknown[],
): (value: unknown) => { readonly background: string } | undefined {
  const known = values.map(toNumber).filter((value) => value !== undefined);
  const [minimum, maximum] = [
    known.reduce((a, b) => Math.min(a, b), Infinity),
    known.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  return (value) => {
    const number = toNumber(value);
    return number === undefined
      ? undefined
      : {
          background: `color-mix(in srgb, var(--link) ${Math.round(((number - minimum) / (maximum - minimum || 1)) * 45)}%, transparent)`,
        };
  };
}
