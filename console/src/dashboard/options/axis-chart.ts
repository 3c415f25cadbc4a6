/** Bars, lines, areas, points and combinations as ECharts draws them. */
import type { Fields, Rows } from '../../api/dashboard-documents.ts';
import { formatted } from '../formats.ts';
import {
  distinct,
  fieldsIn,
  listIn,
  numberIn,
  numberOf,
  shownIn,
  textIn,
  valuesOf,
  type Shown,
} from '../reading.ts';
import { colourOf, frame, type ChartOption, type Look } from './look.ts';

type Kind = 'bar' | 'line' | 'area' | 'scatter';

interface Series {
  readonly name: string;
  readonly kind: Kind;
  readonly values: Shown;
  /** Only the rows that have this value in the column. */
  readonly part?: { readonly field: string; readonly value: unknown };
  readonly colour: string | undefined;
  readonly axis: 0 | 1;
}

export function axisChart(
  type: Kind | 'combo',
  rows: Rows,
  { encodings, mark }: { readonly encodings: Fields; readonly mark: Fields },
  look: Look,
): ChartOption {
  const isSwapped =
    type !== 'combo' && isMeasure(fieldsIn(encodings, 'x')) && !isMeasure(fieldsIn(encodings, 'y'));
  const [category, measure] = isSwapped ? ['y', 'x'] : ['x', 'y'];
  const [x] = shownIn(fieldsIn(encodings, category));
  if (x === undefined) return {};
  const isContinuous =
    type === 'scatter' &&
    isMeasure(x.encoding) &&
    valuesOf(rows, x.field).every((value) => value === null || numberOf(value) !== undefined);
  const series = seriesOf(type, rows, encodings, fieldsIn(encodings, measure), mark);
  const categories = isContinuous ? [] : sorted(distinct(valuesOf(rows, x.field)), x.encoding);
  const layout = textIn(mark, 'layout');
  const totals = layout === 'normalize' ? totalsOf(rows, x.field, series) : undefined;
  const xs = valuesOf(rows, x.field);
  const labels = fieldsIn(encodings, 'label')['show'] === true;
  const yFormat = fieldsIn(encodings, measure)['format'] ?? series[0]?.values.encoding['format'];
  const size = shownIn(fieldsIn(encodings, 'size'))[0];
  const categoryAxis = {
    type: isContinuous ? ('value' as const) : ('category' as const),
    ...axisLook(x.encoding, look),
    name: axisTitle(x.encoding) ?? '',
    scale: true,
    ...(!isContinuous && { data: categories.map((value) => formatted(value)) }),
  };
  const valueAxis = (side: Fields, index: number): object => ({
    type: 'value',
    ...axisLook(side, look),
    name: totals === undefined ? (axisTitle(side) ?? '') : '%',
    scale: type === 'scatter',
    min: domain(side, 'min'),
    max: domain(side, 'max'),
    position: index === 1 ? 'right' : undefined,
    splitLine: { show: index === 0, lineStyle: { color: look.line } },
  });
  const sides =
    type === 'combo'
      ? ['primary', 'secondary'].map((side) => fieldsIn(fieldsIn(encodings, 'y'), side))
      : [fieldsIn(encodings, measure)];
  const used = sides
    .filter((_, index) => index === 0 || series.some(({ axis }) => axis === index))
    .map(valueAxis);
  return {
    ...frame(look, {
      legend: fieldsIn(fieldsIn(encodings, 'color'), 'legend'),
      names: series.map(({ name }) => name),
      isAxis: true,
    }),
    ...(isSwapped
      ? { yAxis: { ...categoryAxis, inverse: true }, xAxis: used }
      : { xAxis: categoryAxis, yAxis: used }),
    tooltip: {
      trigger: type === 'scatter' ? 'item' : 'axis',
      confine: true,
      valueFormatter: (value: unknown) => formatted(value, yFormat),
    },
    series: series.map((each, index) => ({
      name: each.name,
      type: each.kind === 'area' ? 'line' : each.kind,
      yAxisIndex: isSwapped || each.axis >= used.length ? undefined : each.axis,
      data: isContinuous ? points(rows, xs, each, size) : along(categories, xs, rows, each, totals),
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
          formatted(Array.isArray(value) ? value[1] : value, yFormat),
      },
    })),
  };
}

function isMeasure(encoding: Fields): boolean {
  return (
    listIn(encoding, 'fields').length > 0 || textIn(fieldsIn(encoding, 'scale'), 'type') === 'quantitative'
  );
}

/** One series for each column of values, and of each one for each value of the colour. */
function seriesOf(type: Kind | 'combo', rows: Rows, encodings: Fields, y: Fields, mark: Fields): Series[] {
  const given = mark['colors'];
  const colours: readonly unknown[] = Array.isArray(given) ? given : [];
  if (type === 'combo') {
    const side = (name: string, kind: Kind, axis: 0 | 1): Omit<Series, 'colour'>[] =>
      shownIn(fieldsIn(fieldsIn(encodings, 'y'), name)).map((values) => ({
        name: values.title,
        kind,
        values,
        axis,
      }));
    return [...side('primary', 'bar', 0), ...side('secondary', 'line', 1)].map((each, index) => ({
      ...each,
      colour: text(colours[index]),
    }));
  }
  const color = fieldsIn(encodings, 'color');
  const field = textIn(color, 'fieldName');
  const columns = shownIn(y);
  if (field === undefined)
    return columns.map((values, index) => ({
      name: values.title,
      kind: type,
      values,
      axis: 0,
      colour: text(colours[index]),
    }));
  const mappings = listIn(fieldsIn(color, 'scale'), 'mappings');
  return columns.flatMap((values) =>
    distinct(valuesOf(rows, field)).map((value): Series => ({
      name: columns.length === 1 ? formatted(value) : `${formatted(value)}, ${values.title}`,
      kind: type,
      values,
      axis: 0,
      part: { field, value },
      colour: textIn(mappings.find((mapping) => String(mapping['value']) === String(value)) ?? {}, 'color'),
    })),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Categories in the order that was wished; dates and numbers in their own. */
export function sorted(values: readonly unknown[], encoding: Fields): unknown[] {
  const scale = fieldsIn(encoding, 'scale');
  const by = textIn(fieldsIn(scale, 'sort'), 'by');
  const isOrdered = textIn(scale, 'type') === 'temporal' || textIn(scale, 'type') === 'quantitative';
  if (by === undefined && !isOrdered) return [...values];
  const ascending = values.toSorted((a, b) =>
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', { numeric: true }),
  );
  return by?.endsWith('reversed') === true ? ascending.toReversed() : ascending;
}

/** The value of a series at each category; several rows of one category are added up. */
function along(
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

function sumsOf(rows: Rows, xs: readonly unknown[], { values, part }: Series): Map<unknown, number> {
  const ys = valuesOf(rows, values.field);
  const parts = part === undefined ? undefined : valuesOf(rows, part.field);
  const sums = new Map<unknown, number>();
  for (const [index, x] of xs.entries()) {
    const y = numberOf(ys[index]);
    if (y !== undefined && (parts === undefined || parts[index] === part?.value))
      sums.set(x, (sums.get(x) ?? 0) + y);
  }
  return sums;
}

function totalsOf(rows: Rows, field: string, series: readonly Series[]): Map<unknown, number> {
  const xs = valuesOf(rows, field);
  const totals = new Map<unknown, number>();
  for (const each of series)
    for (const [x, value] of sumsOf(rows, xs, each)) totals.set(x, (totals.get(x) ?? 0) + value);
  return totals;
}

/** Points of a scatter chart; the third number is the size, from 0 to 1. */
function points(
  rows: Rows,
  xs: readonly unknown[],
  { values, part }: Series,
  size: Shown | undefined,
): (number | null)[][] {
  const ys = valuesOf(rows, values.field);
  const parts = part === undefined ? undefined : valuesOf(rows, part.field);
  const sizes = size === undefined ? [] : valuesOf(rows, size.field).map((value) => numberOf(value) ?? 0);
  const largest = sizes.reduce((most, value) => Math.max(most, value), 0) || 1;
  return xs.flatMap((x, index) =>
    parts !== undefined && parts[index] !== part?.value
      ? []
      : [[numberOf(x) ?? null, numberOf(ys[index]) ?? null, (sizes[index] ?? 0) / largest]],
  );
}

export function axisTitle(encoding: Fields): string | undefined {
  const axis = fieldsIn(encoding, 'axis');
  return (
    textIn(axis, 'title') ??
    (listIn(encoding, 'fields').length > 0 ? undefined : textIn(encoding, 'displayName'))
  );
}

function axisLook(encoding: Fields, look: Look): object {
  return {
    axisLabel: {
      show: fieldsIn(encoding, 'axis')['hideLabels'] !== true,
      color: look.soft,
      hideOverlap: true,
    },
    axisLine: { lineStyle: { color: look.line } },
    splitLine: { lineStyle: { color: look.line } },
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: { color: look.soft },
  };
}

function domain(encoding: Fields, end: 'min' | 'max'): number | undefined {
  return numberIn(fieldsIn(fieldsIn(encoding, 'scale'), 'domain'), end);
}
