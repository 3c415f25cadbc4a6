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
import {
  seriesOf,
  totalsOf,
  toScatterPoints,
  valuesByCategory,
  type AxisChartKind,
  type Series,
} from './chart-series.ts';
import { colourOf, createBaseOption, type ChartOption, type ChartTheme } from './chart-theme.ts';

/** Inputs of the drawing functions of one chart. */
interface AxisChart {
  readonly type: AxisChartKind | 'combo';
  readonly rows: Rows;
  readonly encodings: JsonObject;
  /** Encoding of the category axis. */
  readonly x: ColumnEncoding;
  /** Encoding of the value axis. */
  readonly measure: JsonObject;
  /** True for a category axis with numbers. */
  readonly isContinuous: boolean;
  /** True for a vertical category axis. */
  readonly isSwapped: boolean;
  readonly series: readonly Series[];
  readonly categories: readonly unknown[];
  readonly layout: string | undefined;
  /** Sums by category, for percentages. */
  readonly totals: ReadonlyMap<unknown, number> | undefined;
  readonly look: ChartTheme;
}

export function createAxisChart(
  type: AxisChart['type'],
  rows: Rows,
  { encodings, mark }: { readonly encodings: JsonObject; readonly mark: JsonObject },
  look: ChartTheme,
): ChartOption {
  const isSwapped =
    type !== 'combo' && isMeasure(getObject(encodings, 'x')) && !isMeasure(getObject(encodings, 'y'));
  const [categoryKey, measureKey] = isSwapped ? ['y', 'x'] : ['x', 'y'];
  const [x] = listColumnEncodings(getObject(encodings, categoryKey));
  if (x === undefined) return {};
  const measure = getObject(encodings, measureKey);
  const isContinuous =
    type === 'scatter' &&
    isMeasure(x.encoding) &&
    columnValuesOf(rows, x.field).every((value) => value === null || toNumber(value) !== undefined);
  const series = seriesOf(type, rows, encodings, measure, mark);
  const categories = isContinuous ? [] : sortCategories(distinct(columnValuesOf(rows, x.field)), x.encoding);
  const layout = getText(mark, 'layout');
  const totals = layout === 'normalize' ? totalsOf(rows, x.field, series) : undefined;
  const shape = { isContinuous, isSwapped, series, categories, layout, totals };
  const chart: AxisChart = { type, rows, encodings, x, measure, look, ...shape };
  const [categoryAxis, valueAxes] = [createCategoryAxis(chart), createValueAxes(chart)];
  const yFormat = measure['format'] ?? series[0]?.column.encoding['format'];
  return {
    ...createBaseOption(look, {
      legend: getObject(getObject(encodings, 'color'), 'legend'),
      names: series.map(({ name }) => name),
      isAxis: true,
    }),
    ...(isSwapped
      ? { yAxis: { ...categoryAxis, inverse: true }, xAxis: valueAxes }
      : { xAxis: categoryAxis, yAxis: valueAxes }),
    tooltip: {
      trigger: type === 'scatter' ? 'item' : 'axis',
      confine: true,
      valueFormatter: (value: unknown) => formatValue(value, yFormat),
    },
    series: series.map((each, index) => createSeries(chart, each, index, valueAxes.length, yFormat)),
  };
}

function createCategoryAxis({ x, isContinuous, categories, look }: AxisChart): object {
  return {
    type: isContinuous ? 'value' : 'category',
    ...createAxisStyle(x.encoding, look),
    name: axisTitleOf(x.encoding) ?? '',
    scale: true,
    ...(!isContinuous && { data: categories.map((value) => formatValue(value)) }),
  };
}

/** Creates the value axis, and the second one of a combo chart when a series uses it. */
function createValueAxes({ type, encodings, measure, series, totals, look }: AxisChart): object[] {
  const sides =
    type === 'combo'
      ? ['primary', 'secondary'].map((side) => getObject(getObject(encodings, 'y'), side))
      : [measure];
  return sides
    .filter((_, index) => index === 0 || series.some(({ axis }) => axis === index))
    .map((side, index) => ({
      type: 'value',
      ...createAxisStyle(side, look),
      name: totals === undefined ? (axisTitleOf(side) ?? '') : '%',
      scale: type === 'scatter',
      min: domainLimitOf(side, 'min'),
      max: domainLimitOf(side, 'max'),
      position: index === 1 ? 'right' : undefined,
      splitLine: { show: index === 0, lineStyle: { color: look.line } },
    }));
}

function createSeries(
  { rows, encodings, x, isContinuous, isSwapped, categories, layout, totals, look }: AxisChart,
  each: Series,
  index: number,
  axisCount: number,
  yFormat: unknown,
): object {
  const xs = columnValuesOf(rows, x.field);
  const size = listColumnEncodings(getObject(encodings, 'size'))[0];
  const color = each.colour ?? colourOf(index);
  const isStacked = layout === 'stack' || layout === 'normalize';
  return {
    name: each.name,
    type: each.kind === 'area' ? 'line' : each.kind,
    yAxisIndex: isSwapped || each.axis >= axisCount ? undefined : each.axis,
    data: isContinuous
      ? toScatterPoints(rows, xs, each, size)
      : valuesByCategory(categories, xs, rows, each, totals),
    ...(each.kind === 'area' && { areaStyle: { opacity: 0.35 } }),
    ...(isStacked && each.kind !== 'scatter' && { stack: `all ${each.axis}` }),
    itemStyle: { color },
    lineStyle: { color },
    symbolSize: symbolSizeOf(each.kind, size),
    showSymbol: each.kind !== 'line' && each.kind !== 'area' ? undefined : categories.length <= 40,
    barMaxWidth: 60,
    connectNulls: false,
    label: {
      show: getObject(encodings, 'label')['show'] === true,
      color: look.text,
      position: each.kind === 'bar' && layout === 'stack' ? 'inside' : 'top',
      formatter: ({ value }: { value: unknown }) =>
        formatValue(Array.isArray(value) ? value[1] : value, yFormat),
    },
  };
}

function symbolSizeOf(kind: AxisChartKind, size: ColumnEncoding | undefined): unknown {
  if (kind !== 'scatter') return 4;
  return size === undefined ? 8 : (point: unknown[]) => 4 + 24 * Math.sqrt(Number(point[2] ?? 0));
}

function isMeasure(encoding: JsonObject): boolean {
  return (
    getList(encoding, 'fields').length > 0 || getText(getObject(encoding, 'scale'), 'type') === 'quantitative'
  );
}

/** Sorts categories as the encoding asks; dates and numbers have a natural order. */
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
