/** Table that becomes a list of cards on a narrow screen. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly show: (row: Row) => ReactNode;
  /** Aligns the column to the right, for numbers. */
  readonly figures?: boolean;
}

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Returns true for the row to highlight. */
  readonly isCurrent?: (row: Row) => boolean;
}

export function DataTable<Row>({ label, columns, rows, keyOf, isCurrent }: DataTableProps<Row>) {
  return (
    <table className="data" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, figures }) => (
            <th key={name} scope="col" className={figures === true ? 'figures' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className={isCurrent?.(row) === true ? 'current' : undefined}>
            {columns.map(({ name, show, figures }) => (
              <td key={name} data-label={name} className={figures === true ? 'figures' : undefined}>
                {show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
