/** Series of axis charts and their values. */
import type { JsonObject, Rows } from '../../api/dashboard-documents.ts';
import { formatValue } from '../formats.ts';
import {
  distinct,
  getObject,
  getList,
  toNumber,
  listColumnEncodings,
  getText,
  columnValuesOf,
  type ColumnEncoding,
} from '../encodings.ts';

export type AxisChartKind = 'bar' | 'line' | 'area' | 'scatter';

export interface Series {
  readonly name: string;
  readonly kind: AxisChartKind;
  readonly column: ColumnEncoding;
  /** Restricts the series to rows with this value. */
  readonly filter?: { readonly field: string; readonly value: unknown };
  readonly colour: string | undefined;
  readonly axis: 0 | 1;
}

/** Lists one series per column of values and, within a column, per value of the colour. */
export function seriesOf(
  type: AxisChartKind | 'combo',
  rows: Rows,
  encodings: JsonObject,
  y: JsonObject,
  mark: JsonObject,
): Series[] {
  const given = mark['colors'];
  const colours: readonly unknown[] = Array.isArray(given) ? given : [];
  if (type === 'combo') {
    const side = (name: string, kind: AxisChartKind, axis: 0 | 1): Omit<Series, 'colour'>[] =>
      listColumnEncodings(getObject(getObject(encodings, 'y'), name)).map((values) => ({
        name: values.title,
        kind,
        column: values,
        axis,
      }));
    return [...side('primary', 'bar', 0), ...side('secondary', 'line', 1)].map((each, index) => ({
      ...each,
      colour: toText(colours[index]),
    }));
  }
  const color = getObject(encodings, 'color');
  const field = getText(color, 'fieldName');
  const columns = listColumnEncodings(y);
  if (field === undefined)
    return columns.map((values, index) => ({
      name: values.title,
      kind: type,
      column: values,
      axis: 0,
      colour: toText(colours[index]),
    }));
  const mappings = getList(getObject(color, 'scale'), 'mappings');
  return columns.flatMap((values) =>
    distinct(columnValuesOf(rows, field)).map((value): Series => ({
      name: columns.length === 1 ? formatValue(value) : `${formatValue(value)}, ${values.title}`,
      kind: type,
      column: values,
      axis: 0,
      filter: { field, value },
      colour: getText(mappings.find((mapping) => String(mapping['value']) === String(value)) ?? {}, 'color'),
    })),
  );
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the value of a series by category; sums the rows of one category. */
export function valuesByCategory(
  categories: readonly unknown[],
  xs: readonly unknown[],
  rows: Rows,
  series: Series,
  totals: ReadonlyMap<unknown, number> | undefined,
): (number | null)[] {
  const sums = sumsOf(rows, xs, series);
  return categories.map((category) => {
    const value = sums.get(category);
    const total = totals?.get(category);
    return value === undefined
      ? null
      : totals === undefined
        ? value
        : total === undefined || total === 0
          ? 0
          : (value / total) * 100;
  });
}

function sumsOf(rows: Rows, xs: readonly unknown[], { column, filter }: Series): Map<unknown, number> {
  const ys = columnValuesOf(rows, column.field);
  const parts = filter === undefined ? undefined : columnValuesOf(rows, filter.field);
  const sums = new Map<unknown, number>();
  for (const [index, x] of xs.entries()) {
    const y = toNumber(ys[index]);
    if (y !== undefined && (parts === undefined || parts[index] === filter?.value))
      sums.set(x, (sums.get(x) ?? 0) + y);
  }
  return sums;
}

export function totalsOf(rows: Rows, field: string, series: readonly Series[]): Map<unknown, number> {
  const xs = columnValuesOf(rows, field);
  const totals = new Map<unknown, number>();
  for (const each of series)
    for (const [x, value] of sumsOf(rows, xs, each)) totals.set(x, (totals.get(x) ?? 0) + value);
  return totals;
}

/** Returns the points of a scatter chart; the third number is the size, from 0 to 1. */
export function toScatterPoints(
  rows: Rows,
  xs: readonly unknown[],
  { column, filter }: Series,
  size: ColumnEncoding | undefined,
): (number | null)[][] {
  const ys = columnValuesOf(rows, column.field);
  const parts = filter === undefined ? undefined : columnValuesOf(rows, filter.field);
  const sizes =
    size === undefined ? [] : columnValuesOf(rows, size.field).map((value) => toNumber(value) ?? 0);
  const largest = sizes.reduce((maximum, value) => Math.max(maximum, value), 0) || 1;
  return xs.flatMap((x, index) =>
    parts !== undefined && parts[index] !== filter?.value
      ? []
      : [[toNumber(x) ?? null, toNumber(ys[index]) ?? null, (sizes[index] ?? 0) / largest]],
  );
}
