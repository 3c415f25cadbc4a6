/** Charts: a classic chart names its kind in one option; each kind has a widget of its own. */
import { cut } from '../../validation/messages.ts';
import { fieldsIn, given, isTrue, numberIn, own, textIn, type Fields } from '../reading.ts';
import type { VisualType } from '../modern.ts';
import { chartColumns } from './chart-columns.ts';
import {
  axesOf,
  axisEncoding,
  colourIn,
  colourMappings,
  labelOf,
  legendOf,
  renamedValues,
  scaleOf,
  seriesOption,
  sortOf,
  valueFormat,
  type Scale,
} from './chart-styles.ts';
import { combo } from './combo.ts';
import { box, heatmap, histogram, pie } from './other-charts.ts';
import type { ChartDraft } from './chart-draft.ts';
import { valueField } from './value-field.ts';
import { fieldSet, type Shown, type Visual } from './visual.ts';

/** Kind of a classic chart -> how it is mapped. Undefined from it: the chart lacks a column that it needs. */
const kinds: Readonly<Record<string, (draft: ChartDraft) => Visual | undefined>> = {
  column: (draft) => axisChart(draft, 'bar'),
  bar: (draft) => axisChart(draft, 'bar'),
  line: (draft) => axisChart(draft, 'line'),
  area: (draft) => axisChart(draft, 'area'),
  scatter: (draft) => axisChart(draft, 'scatter'),
  bubble: (draft) => axisChart(draft, 'scatter'),
  combo,
  pie,
  histogram,
  heatmap,
  box,
};

/** The kind of a chart, in small letters. */
export function chartKind(options: Fields): string {
  return cut((textIn(options, 'globalSeriesType') ?? 'column').toLowerCase(), 60);
}

export function isChartKind(options: Fields): boolean {
  return Object.hasOwn(kinds, chartKind(options));
}

/** Undefined for a kind that is not known, and for a chart without the columns that it needs. */
export function chart({ options }: Shown): Visual | undefined {
  const kind = chartKind(options);
  const map = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (map === undefined) return undefined;
  const notes: string[] = [];
  const draft: ChartDraft = { options, columns: chartColumns(options), fields: fieldSet(notes), notes };
  const visual = isMixed(draft, kind) ? combo(draft) : map(draft);
  notes.push(...lostFormats(options, kind));
  for (const { role, column } of draft.columns.others)
    notes.push(`the column ${column} is shown as ${role} in the classic chart, which the new one has not`);
  return visual;
}

/** What every classic chart carries without anybody having chosen it. */
const usualPercentFormat = '0[.]00%';

/** Formats that somebody chose and the new charts have no place for. */
function lostFormats(options: Fields, kind: string): string[] {
  const dates = textIn(options, 'dateTimeFormat') ?? '';
  const percents = textIn(options, 'percentFormat') ?? usualPercentFormat;
  return [
    ...(dates === ''
      ? []
      : [`its format of dates, ${cut(dates, 60)}, is not kept; the new chart chooses one by itself`]),
    ...(kind === 'pie' && percents !== usualPercentFormat
      ? [`its format of percentages, ${cut(percents, 60)}, is not kept`]
      : []),
  ];
}

/** A chart whose series are of several kinds is a combination, whatever it calls itself. */
function isMixed({ options, columns }: ChartDraft, kind: string): boolean {
  if (!['column', 'bar', 'line', 'area', 'scatter'].includes(kind)) return false;
  const typesOf = columns.y.map((column) => textIn(seriesOption(options, column), 'type') ?? kind);
  return new Set(typesOf).size > 1;
}

/** A chart with two axes: bars, lines, areas or points. */
function axisChart(draft: ChartDraft, type: VisualType): Visual | undefined {
  const { options, columns, fields, notes } = draft;
  const { x, y } = columns;
  const [first] = y;
  if (x === undefined || first === undefined) return undefined;
  const axes = axesOf(options);
  const scale = scaleOf(axes.x, x, type === 'scatter' ? 'quantitative' : 'categorical');
  if (y.some((column) => numberIn(seriesOption(options, column), 'yAxis') === 1))
    notes.push('its second y axis is not kept; all values share the first');
  if (
    /^log/i.test(textIn(axes.x, 'type') ?? '') ||
    axes.y.some((axis) => /^log/i.test(textIn(axis, 'type') ?? ''))
  )
    notes.push('a logarithmic axis is shown linear');
  const encodings = {
    x: {
      fieldName: fields.transformed(x.column, x.transform),
      displayName: x.column,
      ...axisEncoding(
        axes.x,
        given({ type: scale, sort: scale === 'categorical' ? sortOf(options) : undefined }),
      ),
    },
    y: valueAxis(draft, axes.y[0] ?? {}),
    ...colouring(draft),
    ...(columns.size !== undefined && {
      size: {
        fieldName: fields.transformed(columns.size.column, columns.size.transform),
        displayName: columns.size.column,
        scale: { type: 'quantitative' },
      },
    }),
    ...given({ label: labelOf(options) }),
  };
  const mark = markOf(draft, type);
  return {
    type,
    fields: fields.fields,
    disaggregated: !fields.aggregates(),
    notes,
    encodings: isTrue(options, 'swappedAxes') ? { ...encodings, x: encodings.y, y: encodings.x } : encodings,
    ...(mark !== undefined && { mark }),
  };
}

/** One column of values, or several side by side. */
function valueAxis(draft: ChartDraft, axis: Fields): Fields {
  const {
    columns: { y },
    options,
  } = draft;
  const common = axisEncoding(axis, { type: 'quantitative' satisfies Scale });
  const format = valueFormat(options);
  const [only, ...more] = y.map((column) => valueField(draft, column));
  return more.length === 0
    ? { ...only, ...common, ...given({ format }) }
    : { fields: [only, ...more], ...common, ...given({ format }) };
}

/** The column that parts the values into series, with the colours of its values. */
function colouring({ columns: { series, y }, options, fields, notes }: ChartDraft): Fields {
  const legend = legendOf(options);
  if (series === undefined) return legend === undefined ? {} : { color: { legend } };
  if (y.length > 1)
    notes.push(
      `its values are parted by ${series.column} as well as by ${y.length} columns, which may look different`,
    );
  const renamed = renamedValues(options, 'seriesOptions', y);
  if (renamed.length > 0)
    notes.push(`names given to values of ${series.column} are not kept: ${renamed.slice(0, 5).join(', ')}`);
  const mappings = colourMappings(options, 'seriesOptions', y);
  return {
    color: given({
      fieldName: fields.transformed(series.column, series.transform),
      displayName: series.column,
      scale: given({ type: 'categorical', mappings }),
      legend,
    }),
  };
}

/** Colours in the order of the columns of values, and how bars stand to one another. */
function markOf({ options, columns }: ChartDraft, type: VisualType): Fields | undefined {
  const colours = columns.y.map((column) => colourIn(seriesOption(options, column)));
  const mark = given({
    colors:
      columns.series === undefined && colours.some((colour) => colour !== undefined)
        ? colours.map((colour, index) => colour ?? defaultColours[index % defaultColours.length])
        : undefined,
    layout: type === 'bar' || type === 'area' ? layoutOf(options, type) : undefined,
  });
  return Object.keys(mark).length > 0 ? mark : undefined;
}

/** For series without a colour of their own beside others that have one. */
const defaultColours = ['#077A9D', '#FFAB00', '#00A972', '#FF3621', '#8BCAE7', '#AB4057'];

function layoutOf(options: Fields, type: VisualType): string | undefined {
  const series = fieldsIn(options, 'series');
  if (isTrue(series, 'percentValues')) return 'normalize';
  const stacking = own(series, 'stacking');
  if (stacking === 'stack' || stacking === true) return 'stack';
  return type === 'bar' ? 'group' : 'layer';
}
