/** Pies, heatmaps, histograms, funnels, flows, boxes and points on a map as ECharts draws them. */
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
import { axisTitleOf, sortCategories } from './axis-chart.ts';
import { colourOf, createBaseOption, type ChartOption, type ChartTheme } from './chart-theme.ts';

export function createPieChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const [[angle], [color]] = [
    listColumnEncodings(getObject(encodings, 'angle')),
    listColumnEncodings(getObject(encodings, 'color')),
  ];
  if (angle === undefined || color === undefined) return {};
  const mappings = getList(getObject(color.encoding, 'scale'), 'mappings');
  const sums = sumByKey(columnValuesOf(rows, color.field), columnValuesOf(rows, angle.field));
  const format = angle.encoding['format'];
  const data = [...sums].map(([name, value], index) => ({
    name: formatValue(name),
    value,
    itemStyle: {
      color:
        getText(mappings.find((mapping) => String(mapping['value']) === String(name)) ?? {}, 'color') ??
        colourOf(index),
    },
  }));
  return {
    ...createBaseOption(look, {
      legend: getObject(color.encoding, 'legend'),
      names: data.map(({ name }) => name),
      isAxis: false,
    }),
    tooltip: {
      trigger: 'item',
      confine: true,
      valueFormatter: (value: unknown) => formatValue(value, format),
    },
    series: [
      {
        type: 'pie',
        name: angle.title,
        radius: ['0%', '58%'],
        center: ['50%', '56%'],
        data,
        labelLine: { length: 6, length2: 4 },
        label: {
          color: look.text,
          formatter:
            getObject(encodings, 'label')['show'] === true
              ? ({ name, value }: { name: string; value: unknown }) =>
                  `${name}: ${formatValue(value, format)}`
              : '{b}: {d}%',
        },
      },
    ],
  };
}

function sumByKey(keys: readonly unknown[], values: readonly unknown[]): Map<unknown, number> {
  const sums = new Map<unknown, number>();
  for (const [index, key] of keys.entries())
    sums.set(key, (sums.get(key) ?? 0) + (toNumber(values[index]) ?? 0));
  return sums;
}

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
  const axis = ({ encoding }: ColumnEncoding, data: readonly unknown[]): object => ({
    type: 'category',
    data: data.map((value) => formatValue(value)),
    name: axisTitleOf(encoding),
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.mutedText },
    axisLabel: { color: look.mutedText, hideOverlap: true },
  });
  return {
    ...createBaseOption(look, { legend: {}, names: [], isAxis: true }),
    grid: { left: 6, right: 12, top: 14, bottom: 44, outerBoundsMode: 'same', outerBoundsContain: 'all' },
    xAxis: axis(x, across),
    yAxis: axis(y, down),
    tooltip: { trigger: 'item', confine: true },
    visualMap: {
      min: known.reduce((least, value) => Math.min(least, value), Infinity),
      max: known.reduce((most, value) => Math.max(most, value), -Infinity),
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

/** Counted by the query where the width of intervals is known; else here, in twenty. */
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
  const [least, most] = [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const width = (most - least) / 20 || 1;
  const counts = new Map<number, number>();
  for (const value of values) {
    const bin = Math.min(19, Math.floor((value - least) / width));
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return values.length === 0
    ? []
    : Array.from(
        { length: most === least ? 1 : 20 },
        (_, bin) => [least + bin * width, counts.get(bin) ?? 0] as const,
      );
}

export function createFunnelChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const [[value], [step]] = [
    listColumnEncodings(getObject(encodings, 'x')),
    listColumnEncodings(getObject(encodings, 'y')),
  ];
  if (value === undefined || step === undefined) return {};
  const [names, values] = [columnValuesOf(rows, step.field), columnValuesOf(rows, value.field)];
  const bySize = getText(getObject(getObject(step.encoding, 'scale'), 'sort'), 'by') === 'x-reversed';
  const data = names.map((name, index) => ({
    name: formatValue(name),
    value: toNumber(values[index]) ?? 0,
    itemStyle: { color: colourOf(index) },
  }));
  return {
    ...createBaseOption(look, { legend: {}, names: [], isAxis: false }),
    tooltip: { trigger: 'item', confine: true },
    series: [
      {
        type: 'funnel',
        name: value.title,
        data,
        sort: bySize ? 'descending' : 'none',
        left: '4%',
        right: '36%',
        top: 12,
        bottom: 12,
        label: {
          color: look.text,
          position: 'right',
          formatter: ({ name, value: size }: { name: string; value: unknown }) =>
            `${name}: ${formatValue(size, value.encoding['format'])}`,
        },
      },
    ],
  };
}

export function createSankeyChart(rows: Rows, encodings: JsonObject, look: ChartTheme): ChartOption {
  const [value] = listColumnEncodings(getObject(encodings, 'value'));
  const stages = getList(encodings, 'stages').flatMap(listColumnEncodings);
  if (value === undefined || stages.length < 2) return {};
  const columns = stages.map(({ field }) => columnValuesOf(rows, field));
  const weights = columnValuesOf(rows, value.field).map((weight) => toNumber(weight) ?? 0);
  const links = new Map<string, { source: string; target: string; value: number }>();
  // The same name in two stages is two places.
  const place = (stage: number, row: number): string =>
    `${formatValue(columns[stage]?.[row])}${'\u200B'.repeat(stage)}`;
  for (const [row, weight] of weights.entries()) {
    for (let stage = 0; stage + 1 < stages.length; stage += 1) {
      if (columns[stage + 1]?.[row] === null) break;
      const [source, target] = [place(stage, row), place(stage + 1, row)];
      const key = JSON.stringify([source, target]);
      links.set(key, { source, target, value: (links.get(key)?.value ?? 0) + weight });
    }
  }
  const names = distinct([...links.values()].flatMap(({ source, target }) => [source, target]));
  return {
    ...createBaseOption(look, { legend: {}, names: [], isAxis: false }),
    tooltip: { trigger: 'item', confine: true },
    series: [
      {
        type: 'sankey',
        data: names.map((name) => ({ name })),
        links: [...links.values()],
        label: { color: look.text },
        lineStyle: { color: 'gradient', opacity: 0.35 },
      },
    ],
  };
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

/** Places by longitude and latitude, without a map beneath them. */
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
