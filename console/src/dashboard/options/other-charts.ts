/** Pies, heatmaps, histograms, funnels, flows, boxes and points on a map as ECharts draws them. */
import type { Fields, Rows } from '../../api/dashboard-documents.ts';
import { formatted } from '../formats.ts';
import { distinct, fieldsIn, listIn, numberOf, shownIn, textIn, valuesOf, type Shown } from '../reading.ts';
import { axisTitle, sorted } from './axis-chart.ts';
import { colourOf, frame, type ChartOption, type Look } from './look.ts';

export function pieChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const [[angle], [color]] = [shownIn(fieldsIn(encodings, 'angle')), shownIn(fieldsIn(encodings, 'color'))];
  if (angle === undefined || color === undefined) return {};
  const mappings = listIn(fieldsIn(color.encoding, 'scale'), 'mappings');
  const sums = sumBy(valuesOf(rows, color.field), valuesOf(rows, angle.field));
  const format = angle.encoding['format'];
  const data = [...sums].map(([name, value], index) => ({
    name: formatted(name),
    value,
    itemStyle: {
      color:
        textIn(mappings.find((mapping) => String(mapping['value']) === String(name)) ?? {}, 'color') ??
        colourOf(index),
    },
  }));
  return {
    ...frame(look, {
      legend: fieldsIn(color.encoding, 'legend'),
      names: data.map(({ name }) => name),
      isAxis: false,
    }),
    tooltip: { trigger: 'item', confine: true, valueFormatter: (value: unknown) => formatted(value, format) },
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
            fieldsIn(encodings, 'label')['show'] === true
              ? ({ name, value }: { name: string; value: unknown }) => `${name}: ${formatted(value, format)}`
              : '{b}: {d}%',
        },
      },
    ],
  };
}

function sumBy(keys: readonly unknown[], values: readonly unknown[]): Map<unknown, number> {
  const sums = new Map<unknown, number>();
  for (const [index, key] of keys.entries())
    sums.set(key, (sums.get(key) ?? 0) + (numberOf(values[index]) ?? 0));
  return sums;
}

export function heatmapChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const [[x], [y], [color]] = [
    shownIn(fieldsIn(encodings, 'x')),
    shownIn(fieldsIn(encodings, 'y')),
    shownIn(fieldsIn(encodings, 'color')),
  ];
  if (x === undefined || y === undefined || color === undefined) return {};
  const [xs, ys] = [x, y].map(({ field }) => valuesOf(rows, field));
  const values = valuesOf(rows, color.field).map(numberOf);
  const [across, down] = [sorted(distinct(xs ?? []), x.encoding), sorted(distinct(ys ?? []), y.encoding)];
  const known = values.filter((value) => value !== undefined);
  const ramp = fieldsIn(fieldsIn(fieldsIn(color.encoding, 'scale'), 'colorRamp'), 'colors');
  const inRange = {
    color: [
      textIn(ramp, 'start') ?? (look.dark ? '#173047' : '#dbe9f6'),
      textIn(ramp, 'end') ?? (look.dark ? '#8cc4f5' : '#1f5c99'),
    ],
  };
  const axis = ({ encoding }: Shown, data: readonly unknown[]): object => ({
    type: 'category',
    data: data.map((value) => formatted(value)),
    name: axisTitle(encoding),
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.soft },
    axisLabel: { color: look.soft, hideOverlap: true },
  });
  return {
    ...frame(look, { legend: {}, names: [], isAxis: true }),
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
      textStyle: { color: look.soft },
    },
    series: [
      {
        type: 'heatmap',
        name: color.title,
        data: values.flatMap((value, index) =>
          value === undefined ? [] : [[across.indexOf(xs?.[index]), down.indexOf(ys?.[index]), value]],
        ),
        label: {
          show: fieldsIn(encodings, 'label')['show'] === true,
          formatter: ({ value }: { value: unknown[] }) => formatted(value[2], color.encoding['format']),
        },
      },
    ],
  };
}

/** Counted by the query where the width of intervals is known; else here, in twenty. */
export function histogramChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const [[x], [y]] = [shownIn(fieldsIn(encodings, 'x')), shownIn(fieldsIn(encodings, 'y'))];
  if (x === undefined) return {};
  const numbers = valuesOf(rows, x.field).map(numberOf);
  const bins =
    y === undefined
      ? counted(numbers.filter((value) => value !== undefined))
      : numbers.flatMap((from, index) =>
          from === undefined ? [] : [[from, numberOf(valuesOf(rows, y.field)[index]) ?? 0] as const],
        );
  const ordered = bins.toSorted(([a], [b]) => a - b);
  return {
    ...frame(look, { legend: {}, names: [], isAxis: true }),
    xAxis: {
      type: 'category',
      data: ordered.map(([from]) => formatted(from)),
      name: axisTitle(x.encoding) ?? '',
      nameLocation: 'middle',
      nameGap: 30,
      nameTextStyle: { color: look.soft },
      axisLabel: { color: look.soft },
    },
    yAxis: { type: 'value', axisLabel: { color: look.soft }, splitLine: { lineStyle: { color: look.line } } },
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

function counted(values: readonly number[]): (readonly [number, number])[] {
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

export function funnelChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const [[value], [step]] = [shownIn(fieldsIn(encodings, 'x')), shownIn(fieldsIn(encodings, 'y'))];
  if (value === undefined || step === undefined) return {};
  const [names, values] = [valuesOf(rows, step.field), valuesOf(rows, value.field)];
  const bySize = textIn(fieldsIn(fieldsIn(step.encoding, 'scale'), 'sort'), 'by') === 'x-reversed';
  const data = names.map((name, index) => ({
    name: formatted(name),
    value: numberOf(values[index]) ?? 0,
    itemStyle: { color: colourOf(index) },
  }));
  return {
    ...frame(look, { legend: {}, names: [], isAxis: false }),
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
            `${name}: ${formatted(size, value.encoding['format'])}`,
        },
      },
    ],
  };
}

export function sankeyChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const [value] = shownIn(fieldsIn(encodings, 'value'));
  const stages = listIn(encodings, 'stages').flatMap(shownIn);
  if (value === undefined || stages.length < 2) return {};
  const columns = stages.map(({ field }) => valuesOf(rows, field));
  const weights = valuesOf(rows, value.field).map((weight) => numberOf(weight) ?? 0);
  const links = new Map<string, { source: string; target: string; value: number }>();
  // The same name in two stages is two places.
  const place = (stage: number, row: number): string =>
    `${formatted(columns[stage]?.[row])}${'\u200B'.repeat(stage)}`;
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
    ...frame(look, { legend: {}, names: [], isAxis: false }),
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

export function boxChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const y = fieldsIn(encodings, 'y');
  const [x] = shownIn(fieldsIn(encodings, 'x'));
  const parts = ['whiskerStart', 'boxStart', 'boxMid', 'boxEnd', 'whiskerEnd'].map((part) =>
    valuesOf(rows, textIn(fieldsIn(y, part), 'fieldName') ?? ''),
  );
  return {
    ...frame(look, { legend: {}, names: [], isAxis: true }),
    xAxis: {
      type: 'category',
      data: x === undefined ? ['all'] : valuesOf(rows, x.field).map((value) => formatted(value)),
      axisLabel: { color: look.soft },
    },
    yAxis: {
      type: 'value',
      scale: true,
      axisLabel: { color: look.soft },
      splitLine: { lineStyle: { color: look.line } },
    },
    tooltip: { trigger: 'item', confine: true },
    series: [
      {
        type: 'boxplot',
        name: 'Least, quartiles, most',
        data: rows.rows.map((_, row) => parts.map((part) => numberOf(part[row]) ?? null)),
        itemStyle: { color: look.card, borderColor: colourOf(0) },
      },
    ],
  };
}

/** Places by longitude and latitude, without a map beneath them. */
export function placesChart(rows: Rows, encodings: Fields, look: Look): ChartOption {
  const coordinates = fieldsIn(encodings, 'coordinates');
  const [[latitude], [longitude], [color]] = [
    shownIn(fieldsIn(coordinates, 'latitude')),
    shownIn(fieldsIn(coordinates, 'longitude')),
    shownIn(fieldsIn(encodings, 'color')),
  ];
  if (latitude === undefined || longitude === undefined) return {};
  const [ys, xs] = [latitude, longitude].map(({ field }) => valuesOf(rows, field));
  const groups = color === undefined ? [] : valuesOf(rows, color.field);
  const names = color === undefined ? [undefined] : distinct(groups);
  const axis = (title: string): object => ({
    type: 'value',
    scale: true,
    name: title,
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.soft },
    axisLabel: { color: look.soft },
    splitLine: { lineStyle: { color: look.line } },
  });
  return {
    ...frame(look, { legend: {}, names: names.map((name) => formatted(name)), isAxis: true }),
    xAxis: axis(longitude.title),
    yAxis: axis(latitude.title),
    tooltip: { trigger: 'item', confine: true },
    series: names.map((name, index) => ({
      type: 'scatter',
      name: color === undefined ? 'places' : formatted(name),
      symbolSize: 9,
      itemStyle: { color: colourOf(index) },
      data: (xs ?? []).flatMap((x, row) =>
        color !== undefined && groups[row] !== name
          ? []
          : [[numberOf(x) ?? null, numberOf(ys?.[row]) ?? null]],
      ),
    })),
  };
}
