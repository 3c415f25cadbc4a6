/** Maps classic charts, whose kind is an option, to a widget for each kind. */
import { truncateText } from '../../validation/messages.ts';
import {
  getObject,
  omitUndefined,
  isTrue,
  getNumber,
  getOwn,
  getText,
  type JsonObject,
} from '../json-fields.ts';
import type { VisualType } from '../widget-encodings.ts';
import { parseChartColumns } from './chart-columns.ts';
import {
  axesOf,
  axisEncoding,
  colorOf,
  colorMappings,
  labelOf,
  legendOf,
  renamedValues,
  scaleOf,
  seriesOption,
  sortOf,
  valueFormat,
  type Scale,
} from './chart-styles.ts';
import { mapCombo } from './combo.ts';
import { mapBox, mapHeatmap, mapHistogram, mapPie } from './other-charts.ts';
import type { ChartContext } from './chart-context.ts';
import { createValueField } from './value-field.ts';
import { createFieldSet, type VisualizationInput, type WidgetDraft } from './visual.ts';

/** Kind of a classic chart -> its mapper, which returns undefined when a required column is missing. */
const kinds: Readonly<Record<string, (draft: ChartContext) => WidgetDraft | undefined>> = {
  column: (draft) => axisChart(draft, 'bar'),
  bar: (draft) => axisChart(draft, 'bar'),
  line: (draft) => axisChart(draft, 'line'),
  area: (draft) => axisChart(draft, 'area'),
  scatter: (draft) => axisChart(draft, 'scatter'),
  bubble: (draft) => axisChart(draft, 'scatter'),
  combo: mapCombo,
  pie: mapPie,
  histogram: mapHistogram,
  heatmap: mapHeatmap,
  box: mapBox,
};

/** Returns the kind of a chart in lower case. */
export function chartKind(options: JsonObject): string {
  return truncateText((getText(options, 'globalSeriesType') ?? 'column').toLowerCase(), 60);
}

export function isChartKind(options: JsonObject): boolean {
  return Object.hasOwn(kinds, chartKind(options));
}

/** Maps a chart; undefined for an unknown kind, or when a required column is missing. */
export function mapChart({ options }: VisualizationInput): WidgetDraft | undefined {
  const kind = chartKind(options);
  const map = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (map === undefined) return undefined;
  const notes: string[] = [];
  const draft: ChartContext = {
    options,
    columns: parseChartColumns(options),
    fields: createFieldSet(notes),
    notes,
  };
  const visual = isMixed(draft, kind) ? mapCombo(draft) : map(draft);
  notes.push(...describeLostFormats(options, kind));
  for (const { role, column } of draft.columns.others)
    notes.push(
      `the column ${column} is shown as ${role} in the classic chart, which the new chart does not support`,
    );
  return visual;
}

/** Percent format of every classic chart whose format was not changed. */
const defaultPercentFormat = '0[.]00%';
/** Likewise the format of dates. */
const defaultDateFormat = 'DD/MM/YYYY HH:mm';

/** Returns notes on formats that the modern charts do not support. */
function describeLostFormats(options: JsonObject, kind: string): string[] {
  const showsDates = /^date/i.test(getText(getObject(options, 'xAxis'), 'type') ?? '');
  const dates = showsDates ? (getText(options, 'dateTimeFormat') ?? defaultDateFormat) : defaultDateFormat;
  const percents = getText(options, 'percentFormat') ?? defaultPercentFormat;
  return [
    ...(dates === defaultDateFormat
      ? []
      : [`its format of dates, ${truncateText(dates, 60)}, is not kept; the new chart uses its own`]),
    ...(kind === 'pie' && percents !== defaultPercentFormat
      ? [`its format of percentages, ${truncateText(percents, 60)}, is not kept`]
      : []),
  ];
}

/** Tells whether the series of a chart are of several kinds; such a chart is a combination. */
function isMixed({ options, columns }: ChartContext, kind: string): boolean {
  if (!['column', 'bar', 'line', 'area', 'scatter'].includes(kind)) return false;
  const typesOf = columns.y.map((column) => getText(seriesOption(options, column), 'type') ?? kind);
  return new Set(typesOf).size > 1;
}

/** Maps a chart with two axes: bars, lines, areas or points. */
function axisChart(draft: ChartContext, type: VisualType): WidgetDraft | undefined {
  const { options, columns, fields, notes } = draft;
  const { x, y } = columns;
  const [first] = y;
  if (x === undefined || first === undefined) return undefined;
  const axes = axesOf(options);
  const scale = scaleOf(axes.x, x, type === 'scatter' ? 'quantitative' : 'categorical');
  const usesSecondAxis = y.some((column) => getNumber(seriesOption(options, column), 'yAxis') === 1);
  if (usesSecondAxis) notes.push('its second y axis is not kept; all values share the first');
  const usedAxes = [axes.x, ...axes.y.slice(0, usesSecondAxis ? 2 : 1)];
  if (usedAxes.some((axis) => /^log/i.test(getText(axis, 'type') ?? '')))
    notes.push('a logarithmic axis is shown linear');
  const encodings = {
    x: {
      fieldName: fields.addTransformed(x.column, x.transform),
      displayName: x.column,
      ...axisEncoding(
        axes.x,
        omitUndefined({ type: scale, sort: scale === 'categorical' ? sortOf(options) : undefined }),
      ),
    },
    y: valueAxis(draft, axes.y[0] ?? {}),
    ...colorEncoding(draft),
    ...(columns.size !== undefined && {
      size: {
        fieldName: fields.addTransformed(columns.size.column, columns.size.transform),
        displayName: columns.size.column,
        scale: { type: 'quantitative' },
      },
    }),
    ...omitUndefined({ label: labelOf(options) }),
  };
  const mark = markOf(draft, type);
  return {
    type,
    fields: fields.fields,
    disaggregated: !fields.hasAggregates(),
    notes,
    encodings: isTrue(options, 'swappedAxes') ? { ...encodings, x: encodings.y, y: encodings.x } : encodings,
    ...(mark !== undefined && { mark }),
  };
}

/** Encodes one column of values, or several side by side. */
function valueAxis(draft: ChartContext, axis: JsonObject): JsonObject {
  const {
    columns: { y },
    options,
  } = draft;
  const common = axisEncoding(axis, { type: 'quantitative' satisfies Scale });
  const format = valueFormat(options);
  const [only, ...more] = y.map((column) => createValueField(draft, column));
  return more.length === 0
    ? { ...only, ...common, ...omitUndefined({ format }) }
    : { fields: [only, ...more], ...common, ...omitUndefined({ format }) };
}

/** Encodes the column that splits the values into series, with the colours of its values. */
function colorEncoding({ columns: { series, y }, options, fields, notes }: ChartContext): JsonObject {
  const legend = legendOf(options);
  if (series === undefined) return legend === undefined ? {} : { color: { legend } };
  if (y.length > 1)
    notes.push(
      `its values are split by ${series.column} as well as by ${y.length} columns, which may look different`,
    );
  const renamed = renamedValues(options, 'seriesOptions', y);
  if (renamed.length > 0)
    notes.push(`names given to values of ${series.column} are not kept: ${renamed.slice(0, 5).join(', ')}`);
  const mappings = colorMappings(options, 'seriesOptions', y);
  return {
    color: omitUndefined({
      fieldName: fields.addTransformed(series.column, series.transform),
      displayName: series.column,
      scale: omitUndefined({ type: 'categorical', mappings }),
      legend,
    }),
  };
}

/** Returns the colours in the order of the value columns, and the layout of bars or areas. */
function markOf({ options, columns }: ChartContext, type: VisualType): JsonObject | undefined {
  const colours = columns.y.map((column) => colorOf(seriesOption(options, column)));
  const mark = omitUndefined({
    colors:
      columns.series === undefined && colours.some((colour) => colour !== undefined)
        ? colours.map((colour, index) => colour ?? defaultColors[index % defaultColors.length])
        : undefined,
    layout: type === 'bar' || type === 'area' ? layoutOf(options, type) : undefined,
  });
  return Object.keys(mark).length > 0 ? mark : undefined;
}

/** Colours of series without their own colour, where other series have one. */
const defaultColors = ['#077A9D', '#FFAB00', '#00A972', '#FF3621', '#8BCAE7', '#AB4057'];

function layoutOf(options: JsonObject, type: VisualType): string | undefined {
  const series = getObject(options, 'series');
  if (isTrue(series, 'percentValues')) return 'normalize';
  const stacking = getOwn(series, 'stacking');
  if (stacking === 'stack' || stacking === true) return 'stack';
  return type === 'bar' ? 'group' : 'layer';
}
