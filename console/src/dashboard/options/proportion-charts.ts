/** ECharts options of pie, funnel and sankey charts. */
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
} from '../encodings.ts';
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
  // Zero-width characters keep equal names of different stages apart.
  const nodeName = (stage: number, row: number): string =>
    `${formatValue(columns[stage]?.[row])}${'\u200B'.repeat(stage)}`;
  for (const [row, weight] of weights.entries()) {
    for (let stage = 0; stage + 1 < stages.length; stage += 1) {
      if (columns[stage + 1]?.[row] === null) break;
      const [source, target] = [nodeName(stage, row), nodeName(stage + 1, row)];
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
