/** Paged table of rows with the columns, titles and formats of the widget. */
import { useState } from 'react';
import type { JsonObject, Rows } from '../api/dashboard-documents.ts';
import { formatByPattern, formatValue } from './formats.ts';
import { getList, getNumber, getText } from './encodings.ts';

interface ValueTableProps {
  readonly title: string;
  readonly rows: Rows;
  readonly encodings: JsonObject;
}

const numberTypes = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL)/;

export function ValueTable({ title, rows: { columns, rows }, encodings }: ValueTableProps) {
  const [page, setPage] = useState(0);
  const perPage = Math.min(500, Math.max(1, getNumber(encodings, 'itemsPerPage') ?? 25));
  const shown = listShownColumns(columns, encodings);
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const current = Math.min(page, pages - 1);
  const numbered = encodings['withRowNumber'] === true;
  return (
    <>
      <div className="scrolled" tabIndex={0} role="region" aria-label={`${title}, table`}>
        <table className={encodings['condensed'] === true ? 'values condensed' : 'values'}>
          <thead>
            <tr>
              {numbered && <th scope="col">#</th>}
              {shown.map(({ name, index, figures }) => (
                <th key={index} scope="col" className={figures ? 'figures' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows
              .slice(current * perPage, (current + 1) * perPage)
              .map((row, index) => ({ row, number: current * perPage + index + 1 }))
              .map(({ row, number }) => (
                <tr key={number}>
                  {numbered && <td className="figures">{number}</td>}
                  {shown.map(({ column, index, figures }) => (
                    <td key={index} className={alignmentClassOf(column, figures)}>
                      {formatCell(row[index], column)}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <p className="pages">
          <button type="button" disabled={current === 0} onClick={() => setPage(current - 1)}>
            Previous rows
          </button>
          <span>
            {current + 1} of {pages}
          </span>
          <button type="button" disabled={current === pages - 1} onClick={() => setPage(current + 1)}>
            More rows
          </button>
        </p>
      )}
    </>
  );
}

interface ShownColumn {
  readonly column: JsonObject;
  /** Index in the rows. */
  readonly index: number;
  readonly name: string;
  readonly figures: boolean;
}

/** Lists the columns of the widget, or all columns when it names none. */
function listShownColumns(columns: Rows['columns'], encodings: JsonObject): ShownColumn[] {
  const configured = getList(encodings, 'columns');
  const wanted =
    configured.length > 0 ? configured : columns.map(({ name }): JsonObject => ({ fieldName: name }));
  return wanted.flatMap((column) => {
    const index = columns.findIndex(({ name }) => name === column['fieldName']);
    const found = columns[index];
    if (found === undefined) return [];
    const name = getText(column, 'title') ?? getText(column, 'displayName') ?? found.name;
    return [{ column, index, name, figures: numberTypes.test(found.type) }];
  });
}

function alignmentClassOf(column: JsonObject, figures: boolean): string | undefined {
  const wanted = getText(column, 'alignContent');
  return wanted === 'right' || (wanted === undefined && figures)
    ? 'figures'
    : wanted === 'center'
      ? 'middle'
      : undefined;
}

function formatCell(value: unknown, column: JsonObject): string {
  if (value === null || value === undefined) return '';
  const type = getText(column, 'type');
  if (typeof value === 'boolean') {
    const words = column['booleanValues'];
    const word: unknown = Array.isArray(words) ? words[Number(value)] : undefined;
    return typeof word === 'string' ? word : String(value);
  }
  return type === 'integer' || type === 'float' || type === 'decimal'
    ? formatByPattern(value, getText(column, 'numberFormat'))
    : formatValue(value);
}
