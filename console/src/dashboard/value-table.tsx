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
  const wanted = getList(encodings, 'columns');
  const shown = (
    wanted.length > 0 ? wanted : columns.map(({ name }): JsonObject => ({ fieldName: name }))
  ).flatMap((column) => {
    const place = columns.findIndex(({ name }) => name === column['fieldName']);
    return place < 0
      ? []
      : [
          {
            column,
            place,
            name: getText(column, 'title') ?? getText(column, 'displayName') ?? columns[place]?.name ?? '',
            figures: numberTypes.test(columns[place]?.type ?? ''),
          },
        ];
  });
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
              {shown.map(({ name, place, figures }) => (
                <th key={place} scope="col" className={figures ? 'figures' : undefined}>
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
                  {shown.map(({ column, place, figures }) => (
                    <td key={place} className={alignmentClassOf(column, figures)}>
                      {formatCell(row[place], column)}
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
