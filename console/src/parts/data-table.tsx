/** A table that becomes a list of cards where the screen is narrow. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly show: (row: Row) => ReactNode;
  /** Figures stand to the right. */
  readonly figures?: boolean;
}

interface DataTableProps<Row> {
  /** What the table shows, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Marks the row that is looked at. */
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
