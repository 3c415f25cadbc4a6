/** Values by rows and columns: each combination of the columns has its own, for each value that is shown. */
import type { Fields, Rows } from '../api/dashboard-documents.ts';
import { formatted } from './formats.ts';
import { distinct, fieldsIn, listIn, numberOf, shownIn, valuesOf, type Shown } from './reading.ts';

const most = { rows: 500, columns: 100 };

export function Pivot({
  title,
  rows,
  encodings,
}: {
  readonly title: string;
  readonly rows: Rows;
  readonly encodings: Fields;
}) {
  const [down, across] = [
    listIn(encodings, 'rows').flatMap(shownIn),
    listIn(encodings, 'columns').flatMap(shownIn),
  ];
  const cells = listIn(fieldsIn(encodings, 'cell'), 'fields').flatMap(shownIn);
  const [rowKeys, columnKeys] = [keysOf(rows, down), keysOf(rows, across)];
  const [allRows, allColumns] = [rowKeys, columnKeys].map((keys) =>
    distinct(keys).toSorted((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true })),
  );
  const values = cells.map(({ field }) => valuesOf(rows, field));
  const at = new Map(rowKeys.map((row, index) => [`${row}\n${columnKeys[index]}`, index]));
  const shades = cells.map((cell, index) =>
    cell.encoding['cellType'] === 'color-scale' ? shadeOf(values[index] ?? []) : undefined,
  );
  const [shownRows, shownColumns] = [
    (allRows ?? []).slice(0, most.rows),
    (allColumns ?? []).slice(0, most.columns),
  ];
  return (
    <>
      <div className="scrolled" tabIndex={0} role="region" aria-label={`${title}, pivot`}>
        <table className="values">
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
                    {headOf(column, name, across.length > 0, cells.length > 1)}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {shownRows.map((row) => (
              <tr key={String(row)}>
                {down.map(({ field }, index) => (
                  <th key={field} scope="row">
                    {partsOf(row)[index]}
                  </th>
                ))}
                {shownColumns.flatMap((column) =>
                  cells.map(({ field, encoding }, index) => {
                    const value = values[index]?.[at.get(`${String(row)}\n${String(column)}`) ?? -1];
                    return (
                      <td
                        key={`${String(column)} ${field}`}
                        className="figures"
                        style={shades[index]?.(value)}
                      >
                        {formatted(value, encoding['format'])}
                      </td>
                    );
                  }),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {((allRows ?? []).length > most.rows || (allColumns ?? []).length > most.columns) && (
        <p className="hint">
          Only the first {most.rows} rows and {most.columns} columns are shown.
        </p>
      )}
    </>
  );
}

function keysOf(rows: Rows, side: readonly Shown[]): string[] {
  const values = side.map(({ field }) => valuesOf(rows, field));
  return rows.rows.map((_, row) => JSON.stringify(values.map((column) => formatted(column[row]))));
}

function partsOf(key: unknown): readonly string[] {
  const parts: unknown = JSON.parse(String(key));
  return Array.isArray(parts) ? parts.map(String) : [];
}

function headOf(column: unknown, name: string, hasColumns: boolean, several: boolean): string {
  return [...(hasColumns ? partsOf(column) : []), ...(several || !hasColumns ? [name] : [])].join(' · ');
}

/** A deeper ground for a larger value. */
function shadeOf(
  values: readonly unknown[],
): (value: unknown) => { readonly background: string } | undefined {
  const known = values.map(numberOf).filter((value) => value !== undefined);
  const [least, largest] = [
    known.reduce((a, b) => Math.min(a, b), Infinity),
    known.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  return (value) => {
    const number = numberOf(value);
    return number === undefined
      ? undefined
      : {
          background: `color-mix(in srgb, var(--link) ${Math.round(((number - least) / (largest - least || 1)) * 45)}%, transparent)`,
        };
  };
}
