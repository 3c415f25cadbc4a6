/** ECharts options of heatmaps, histograms, box plots and point maps. */
import type { JsonObject, Rows } from '../../api/dashboard-documents.ts';
import { formatValue } from '../formats.ts';
import {
  distinct,
  getObject,
  toNumber,
  listColumnEncodings,
  getText,
  columnValuesOf,
  type ColumnEncoding,
} from '../encodings.ts';
import { axisTitleOf, sortCategories } from './axis-chart.ts';
import { colourOf, createBaseOption, type ChartOption, type ChartTheme } from './chart-theme.ts';

export function createHeatmapChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const [[x], [y], [color]] = [
    listColumnEncodings(getObject(encodings, 'x')),
    listColumnEncodings(getObject(encodings, 'y')),
    listColumnEncodings(getObject(encodings, 'color')),
  ];
  if (x === undefined || y === undefined || color === undefined) return {};
  const [xs, ys] = [x, y].map(({ field }) => columnValuesOf(rows, field));
  const values = columnValuesOf(rows, color.field).map(toNumber);
  const [across, down] = [
    sortCategories(distinct(xs ?? []), x.encoding),
    sortCategories(distinct(ys ?? []), y.encoding),
  ];
  const known = values.filter((value) => value !== undefined);
  const ramp = getObject(getObject(getObject(color.encoding, 'scale'), 'colorRamp'), 'colors');
  const inRange = {
    color: [
      getText(ramp, 'start') ?? (look.dark ? '#173047' : '#dbe9f6'),
      getText(ramp, 'end') ?? (look.dark ? '#8cc4f5' : '#1f5c99'),
    ],
  };
  return {
    ...createBaseOption(look, { legend: {}, names: [], isAxis: true }),
    grid: { left: 6, right: 12, top: 14, bottom: 44, outerBoundsMode: 'same', outerBoundsContain: 'all' },
    xAxis: categoryAxis(x, across, look),
    yAxis: categoryAxis(y, down, look),
    tooltip: { trigger: 'item', confine: true },
    visualMap: {
      min: known.reduce((minimum, value) => Math.min(minimum, value), Infinity),
      max: known.reduce((maximum, value) => Math.max(maximum, value), -Infinity),
      calculable: false,
      orient: 'horizontal',
      left: 'center',
      bottom: 0,
      inRange,
      textStyle: { color: look.mutedText },
    },
    series: [
      {
        type: 'heatmap',
        name: color.title,
        data: values.flatMap((value, index) =>
          value === undefined ? [] : [[across.indexOf(xs?.[index]), down.indexOf(ys?.[index]), value]],
        ),
        label: {
          show: getObject(encodings, 'label')['show'] === true,
          formatter: ({ value }: { value: unknown[] }) => formatValue(value[2], color.encoding['format']),
        },
      },
    ],
  };
}

function categoryAxis({ encoding }: ColumnEncoding, data: readonly unknown[], look: ChartTheme): object {
  return {
    type: 'category',
    data: data.map((value) => formatValue(value)),
    name: axisTitleOf(encoding),
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.mutedText },
    axisLabel: { color: look.mutedText, hideOverlap: true },
  };
}

/** Creates a histogram. The query counts the bins when their width is known; else this function uses 20. */
export function createHistogramChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const [[x], [y]] = [
    listColumnEncodings(getObject(encodings, 'x')),
    listColumnEncodings(getObject(encodings, 'y')),
  ];
  if (x === undefined) return {};
  const numbers = columnValuesOf(rows, x.field).map(toNumber);
  const bins =
    y === undefined
      ? countBins(numbers.filter((value) => value !== undefined))
      : numbers.flatMap((from, index) =>
          from === undefined ? [] : [[from, toNumber(columnValuesOf(rows, y.field)[index]) ?? 0] as const],
        );
  const ordered = bins.toSorted(([a], [b]) => a - b);
  return {
    ...createBaseOption(look, { legend: {}, names: [], isAxis: true }),
    xAxis: {
      type: 'category',
      data: ordered.map(([from]) => formatValue(from)),
      name: axisTitleOf(x.encoding) ?? '',
      nameLocation: 'middle',
      nameGap: 30,
      nameTextStyle: { color: look.mutedText },
      axisLabel: { color: look.mutedText },
    },
    yAxis: {
      type: 'value',
      axisLabel: { color: look.mutedText },
      splitLine: { lineStyle: { color: look.line } },
    },
    tooltip: { trigger: 'axis', confine: true },
    series: [
      {
        type: 'bar',
        name: 'Number of values',
        barCategoryGap: '2%',
        data: ordered.map(([, count]) => count),
        itemStyle: { color: colourOf(0) },
      },
    ],
  };
}

function countBins(values: readonly number[]): (readonly [number, number])[] {
  const [minimum, maximum] = [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const width = (maximum - minimum) / 20 || 1;
  const counts = new Map<number, number>();
  for (const value of values) {
    const bin = Math.min(19, Math.floor((value - minimum) / width));
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return values.length === 0
    ? []
    : Array.from(
        { length: maximum === minimum ? 1 : 20 },
        (_, bin) => [minimum + bin * width, counts.get(bin) ?? 0] as const,
      );
}

export function createBoxChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const y = getObject(encodings, 'y');
  const [x] = listColumnEncodings(getObject(encodings, 'x'));
  const parts = ['whiskerStart', 'boxStart', 'boxMid', 'boxEnd', 'whiskerEnd'].map((part) =>
    columnValuesOf(rows, getText(getObject(y, part), 'fieldName') ?? ''),
  );
  return {
    ...createBaseOption(look, { legend: {}, names: [], isAxis: true }),
    xAxis: {
      type: 'category',
      data: x === undefined ? ['all'] : columnValuesOf(rows, x.field).map((value) => formatValue(value)),
      axisLabel: { color: look.mutedText },
    },
    yAxis: {
      type: 'value',
      scale: true,
      axisLabel: { color: look.mutedText },
      splitLine: { lineStyle: { color: look.line } },
    },
    tooltip: { trigger: 'item', confine: true },
    series: [
      {
        type: 'boxplot',
        name: 'Minimum, quartiles, maximum',
        data: rows.rows.map((_, row) => parts.map((part) => toNumber(part[row]) ?? null)),
        itemStyle: { color: look.card, borderColor: colourOf(0) },
      },
    ],
  };
}

/** Creates a scatter chart of longitudes and latitudes, without a background map. */
export function createPointMapChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const coordinates = getObject(encodings, 'coordinates');
  const [[latitude], [longitude], [color]] = [
    listColumnEncodings(getObject(coordinates, 'latitude')),
    listColumnEncodings(getObject(coordinates, 'longitude')),
    listColumnEncodings(getObject(encodings, 'color')),
  ];
  if (latitude === undefined || longitude === undefined) return {};
  const [ys, xs] = [latitude, longitude].map(({ field }) => columnValuesOf(rows, field));
  const groups = color === undefined ? [] : columnValuesOf(rows, color.field);
  const names = color === undefined ? [undefined] : distinct(groups);
  const axis = (title: string): object => ({
    type: 'value',
    scale: true,
    name: title,
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.mutedText },
    axisLabel: { color: look.mutedText },
    splitLine: { lineStyle: { color: look.line } },
  });
  return {
    ...createBaseOption(look, { legend: {}, names: names.map((name) => formatValue(name)), isAxis: true }),
    xAxis: axis(longitude.title),
    yAxis: axis(latitude.title),
    tooltip: { trigger: 'item', confine: true },
    series: names.map((name, index) => ({
      type: 'scatter',
      name: color === undefined ? 'places' : formatValue(name),
      symbolSize: 9,
      itemStyle: { color: colourOf(index) },
      data: (xs ?? []).flatMap((x, row) =>
        color !== undefined && groups[row] !== name
          ? []
          : [[toNumber(x) ?? null, toNumber(ys?.[row]) ?? null]],
      ),
    })),
  };
}
