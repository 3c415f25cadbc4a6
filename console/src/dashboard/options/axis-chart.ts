/** ECharts options of bar, line, area, scatter and combo charts. */
import type { JsonObject, Rows } from '../../api/dashboard-documents.ts';
import { formatValue } from '../formats.ts';
import {
  distinct,
  getObject,
  getList,
  getNumber,
  toNumber,
  listColumnEncodings,
  getText,
  columnValuesOf,
  type ColumnEncoding,
} from '../encodings.ts';
import { colourOf, createBaseOption, type ChartOption, type ChartTheme } from './chart-theme.ts';

type AxisChartKind = 'bar' | 'line' | 'area' | 'scatter';

interface Series {
  readonly name: string;
  readonly kind: AxisChartKind;
  readonly column: ColumnEncoding;
  /** Only the rows that have this value in the column. */
  readonly filter?: { readonly field: string; readonly value: unknown };
  readonly colour: string | undefined;
  readonly axis: 0 | 1;
}

export function createAxisChart(
  type: AxisChartKind | 'combo',
  rows: Rows,
  { encodings, mark }: { readonly encodings: JsonObject; readonly mark: JsonObject },
  look: ChartTheme,
): ChartOption {
  const isSwapped =
    type !== 'combo' && isMeasure(getObject(encodings, 'x')) && !isMeasure(getObject(encodings, 'y'));
  const [category, measure] = isSwapped ? ['y', 'x'] : ['x', 'y'];
  const [x] = listColumnEncodings(getObject(encodings, category));
  if (x === undefined) return {};
  const isContinuous =
    type === 'scatter' &&
    isMeasure(x.encoding) &&
    columnValuesOf(rows, x.field).every((value) => value === null || toNumber(value) !== undefined);
  const series = seriesOf(type, rows, encodings, getObject(encodings, measure), mark);
  const categories = isContinuous ? [] : sortCategories(distinct(columnValuesOf(rows, x.field)), x.encoding);
  const layout = getText(mark, 'layout');
  const totals = layout === 'normalize' ? totalsOf(rows, x.field, series) : undefined;
  const xs = columnValuesOf(rows, x.field);
  const labels = getObject(encodings, 'label')['show'] === true;
  const yFormat = getObject(encodings, measure)['format'] ?? series[0]?.column.encoding['format'];
  const size = listColumnEncodings(getObject(encodings, 'size'))[0];
  const categoryAxis = {
    type: isContinuous ? ('value' as const) : ('category' as const),
    ...createAxisStyle(x.encoding, look),
    name: axisTitleOf(x.encoding) ?? '',
    scale: true,
    ...(!isContinuous && { data: categories.map((value) => formatValue(value)) }),
  };
  const valueAxis = (side: JsonObject, index: number): object => ({
    type: 'value',
    ...createAxisStyle(side, look),
    name: totals === undefined ? (axisTitleOf(side) ?? '') : '%',
    scale: type === 'scatter',
    min: domainLimitOf(side, 'min'),
    max: domainLimitOf(side, 'max'),
    position: index === 1 ? 'right' : undefined,
    splitLine: { show: index === 0, lineStyle: { color: look.line } },
  });
  const sides =
    type === 'combo'
      ? ['primary', 'secondary'].map((side) => getObject(getObject(encodings, 'y'), side))
      : [getObject(encodings, measure)];
  const used = sides
    .filter((_, index) => index === 0 || series.some(({ axis }) => axis === index))
    .map(valueAxis);
  return {
    ...createBaseOption(look, {
      legend: getObject(getObject(encodings, 'color'), 'legend'),
      names: series.map(({ name }) => name),
      isAxis: true,
    }),
    ...(isSwapped
      ? { yAxis: { ...categoryAxis, inverse: true }, xAxis: used }
      : { xAxis: categoryAxis, yAxis: used }),
    tooltip: {
      trigger: type === 'scatter' ? 'item' : 'axis',
      confine: true,
      valueFormatter: (value: unknown) => formatValue(value, yFormat),
    },
    series: series.map((each, index) => ({
      name: each.name,
      type: each.kind === 'area' ? 'line' : each.kind,
      yAxisIndex: isSwapped || each.axis >= used.length ? undefined : each.axis,
      data: isContinuous
        ? toScatterPoints(rows, xs, each, size)
        : valuesByCategory(categories, xs, rows, each, totals),
      ...(each.kind === 'area' && { areaStyle: { opacity: 0.35 } }),
      ...((layout === 'stack' || layout === 'normalize') &&
        each.kind !== 'scatter' && { stack: `all ${each.axis}` }),
      itemStyle: { color: each.colour ?? colourOf(index) },
      lineStyle: { color: each.colour ?? colourOf(index) },
      symbolSize:
        each.kind === 'scatter'
          ? size === undefined
            ? 8
            : (point: unknown[]) => 4 + 24 * Math.sqrt(Number(point[2] ?? 0))
          : 4,
      showSymbol: each.kind !== 'line' && each.kind !== 'area' ? undefined : categories.length <= 40,
      barMaxWidth: 60,
      connectNulls: false,
      label: {
        show: labels,
        color: look.text,
        position: each.kind === 'bar' && layout === 'stack' ? 'inside' : 'top',
        formatter: ({ value }: { value: unknown }) =>
          formatValue(Array.isArray(value) ? value[1] : value, yFormat),
      },
    })),
  };
}

function isMeasure(encoding: JsonObject): boolean {
  return (
    getList(encoding, 'fields').length > 0 || getText(getObject(encoding, 'scale'), 'type') === 'quantitative'
  );
}

/** One series for each column of values, and of each one for each value of the colour. */
function seriesOf(
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

/** Categories in the order that was wished; dates and numbers in their own. */
export function sortCategories(values: readonly unknown[], encoding: JsonObject): unknown[] {
  const scale = getObject(encoding, 'scale');
  const by = getText(getObject(scale, 'sort'), 'by');
  const isOrdered = getText(scale, 'type') === 'temporal' || getText(scale, 'type') === 'quantitative';
  if (by === undefined && !isOrdered) return [...values];
  const ascending = values.toSorted((a, b) =>
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', { numeric: true }),
  );
  return by?.endsWith('reversed') === true ? ascending.toReversed() : ascending;
}

/** The value of a series at each category; several rows of one category are added up. */
function valuesByCategory(
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

function totalsOf(rows: Rows, field: string, series: readonly Series[]): Map<unknown, number> {
  const xs = columnValuesOf(rows, field);
  const totals = new Map<unknown, number>();
  for (const each of series)
    for (const [x, value] of sumsOf(rows, xs, each)) totals.set(x, (totals.get(x) ?? 0) + value);
  return totals;
}

/** Points of a scatter chart; the third number is the size, from 0 to 1. */
function toScatterPoints(
  rows: Rows,
  xs: readonly unknown[],
  { column, filter }: Series,
  size: ColumnEncoding | undefined,
): (number | null)[][] {
  const ys = columnValuesOf(rows, column.field);
  const parts = filter === undefined ? undefined : columnValuesOf(rows, filter.field);
  const sizes =
    size === undefined ? [] : columnValuesOf(rows, size.field).map((value) => toNumber(value) ?? 0);
  const largest = sizes.reduce((most, value) => Math.max(most, value), 0) || 1;
  return xs.flatMap((x, index) =>
    parts !== undefined && parts[index] !== filter?.value
      ? []
      : [[toNumber(x) ?? null, toNumber(ys[index]) ?? null, (sizes[index] ?? 0) / largest]],
  );
}

export function axisTitleOf(encoding: JsonObject): string | undefined {
  const axis = getObject(encoding, 'axis');
  return (
    getText(axis, 'title') ??
    (getList(encoding, 'fields').length > 0 ? undefined : getText(encoding, 'displayName'))
  );
}

function createAxisStyle(encoding: JsonObject, look: ChartTheme): object {
  return {
    axisLabel: {
      show: getObject(encoding, 'axis')['hideLabels'] !== true,
      color: look.mutedText,
      hideOverlap: true,
    },
    axisLine: { lineStyle: { color: look.line } },
    splitLine: { lineStyle: { color: look.line } },
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.mutedText },
  };
}

function domainLimitOf(encoding: JsonObject, end: 'min' | 'max'): number | undefined {
  return getNumber(getObject(getObject(encoding, 'scale'), 'domain'), end);
}
